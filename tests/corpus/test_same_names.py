"""Bots whose files, classes and modules have the same names, as a whole class's have."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot, GameRecord
from arena.game.verdict import Verdict
from arena.intake.submission import read_submission
from support.bots import as_entered, key

BOT = """
import settings
from settings import AUTHOR, COLUMN
from players.search import first


class Base:
    games = []


class ComputerPlayer(Base):
    def __init__(self, id, difficulty_level):
        import connect4

        assert not self.games, "another game's class"
        assert not settings.SEEN, "another game's module"
        self.games.append(id)
        assert hasattr(connect4, "find_win") == (AUTHOR == "bob")

    def pick_move(self, rack):
        assert open("author.txt").read() == AUTHOR
        assert settings.AUTHOR == AUTHOR == "{author}"
        settings.SEEN.append(rack)
        own = sum(cell == self.games[0] for column in rack for cell in column)
        assert len(settings.SEEN) == own + 1, "another bot's moves"
        return first(rack, COLUMN)
"""


def hand_in(folder: Path, author: str, column: int) -> Bot:
    """Return a bot that differs from others in its files' contents, not their names.

    Only alice's has another `connect4`, the course's module.
    """
    files = {
        "connect4player.py": BOT.format(author=author),
        "settings.py": f"AUTHOR = '{author}'\nCOLUMN = {column}\nSEEN = []\n",
        "players/__init__.py": "",
        "players/search.py": f"""
            def first(rack, column):
                assert column == {column}, "another bot's constant"
                return column
            """,
        "author.txt": author,
    }
    if author == "alice":
        files["connect4.py"] = "mine = True\n"
    for name, text in files.items():
        path = folder / author / "hw2" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    found = read_submission(folder / author / "hw2")
    assert found.problem is None
    return as_entered(found, folder / author / "hw2")


def test_bots_with_equal_names_never_see_each_others_code(tmp_path: Path, zygote: Zygote) -> None:
    alice, bob = hand_in(tmp_path, "alice", 0), hand_in(tmp_path, "bob", 6)
    assert alice.entry_point == bob.entry_point
    limits = Limits()

    def game(one: tuple[Bot, BotPlayer], other: tuple[Bot, BotPlayer]) -> GameRecord:
        return play(key(one[0], other[0]), one[1], other[1])

    with BotPlayer(zygote, alice, limits) as first, BotPlayer(zygote, bob, limits) as second:
        seats = (alice, first), (bob, second)
        records = [game(*seats), game(*reversed(seats)), game(*seats)]
    assert [record.verdict for record in records] == [Verdict.LINE] * 3, records
    assert [record.columns for record in records] == [
        (0, 6, 0, 6, 0, 6, 0),
        (6, 0, 6, 0, 6, 0, 6),
        (0, 6, 0, 6, 0, 6, 0),
    ]
