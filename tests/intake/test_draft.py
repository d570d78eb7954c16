"""First descriptions of interfaces, drafted from bots, and the commands that write and try them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.intake.draft import draft
from arena.intake.submission import read_submission
from arena.interfaces.description import Role
from arena.interfaces.description_reader import description
from support.command_line import Typed

CORPUS = Path(__file__).parents[1] / "corpus" / "bots"
KID = """
class Kid:
    def __init__(self, me):
        self.me = me

    def brain(self, grid, turn):
        return 1 + grid[0].index(".")


class HumanKid(Kid):
    def brain(self, grid, turn):
        return int(input("Your move? "))
"""
FILLED_IN = """
entry = { class = "Kid", method = "brain" }
make.arguments = ["side"]
side = { first = "R", second = "Y" }
board = { form = "lists", empty = ".", first = "R", second = "Y" }
move = { arguments = ["board", "side"], base = 1 }
"""


@pytest.mark.parametrize(
    ("bot", "owner", "move", "arguments"),
    [
        ("course_wpi", "AlphaBetaAgent", "go", (Role.BOARD,)),
        ("course_galli.py", "", "minimax", (Role.BOARD, 4, 0, 0, 0)),
        ("course_policy", "Weighing", "act", (Role.BOARD,)),
        ("course_irvine.py", "StudentAI", "get_move", (Role.COLUMN,)),
        ("course_pcp", "", "generate_move", (Role.BOARD, Role.SIDE, Role.STATE)),
    ],
)
def test_the_function_that_moves_is_found(
    bot: str, owner: str, move: str, arguments: tuple[object, ...]
) -> None:
    drafted = description(tomllib.loads(draft(read_submission(CORPUS / bot), "mine.toml")))
    assert drafted.entry.class_ + drafted.entry.method == ((owner, move) if owner else ())
    assert drafted.entry.function == (() if owner else (move,))
    assert drafted.move.arguments == arguments


def test_the_name_of_a_submission_stays_in_its_comment(tmp_path: Path) -> None:
    bot = tmp_path / "my\nrefuses = 'nobody'\n.py"
    bot.write_text(KID)
    assert "refuses" not in tomllib.loads(draft(read_submission(bot), "mine.toml"))


def test_a_source_without_a_likely_function_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(InputError, match="no function or method that could"):
        draft(read_submission(tmp_path / "empty.py"), "mine.toml")


@pytest.mark.slow
def test_a_draft_is_completed_and_tried(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "kid.py").write_text(KID)
    status, out, _ = typed("new", "mine.toml", "--interface-from", "kid.py")
    assert status == 0
    assert "arena check kid.py --interface mine.toml" in out
    assert tomllib.loads((tmp_path / "mine.toml").read_text())["make"] == {"arguments": ["side"]}
    (tmp_path / "mine.toml").write_text(FILLED_IN)
    status, out, _ = typed("check", "kid.py", "--interface", "mine.toml")
    assert status == 0
    assert "Interface mine, entry point Kid in kid.py" in out
    for line in ("position (X is this bot):", "call: brain", "'R'", "answer: 1"):
        assert line in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("new", "mine.txt", "--interface-from", "kid.py"), "mine.txt: a description is TOML"),
        (("check", "kid.py", "--interface", "none.toml"), "none.toml: No such file"),
        (("check", "kid.py", "--interface", "bad.toml"), 'bad.toml:2: [board] form = "aray"'),
        (("check", "kid.py", "--interface", "pcp.toml"), "pcp is an interface of Arena; take"),
        (
            ("new", "Kid.toml", "--interface-from", "kid.py"),
            "letters, digits, - and _ only, like kid",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    typed: Typed, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "kid.py").write_text(KID)
    (tmp_path / "bad.toml").write_text('entry.function = "f"\nboard.form = "aray"\n')
    (tmp_path / "pcp.toml").write_text('entry.function = "f"\n')
    status, _, errors = typed(*words)
    assert status == 2
    assert said in errors


@pytest.mark.slow
def test_a_match_takes_the_interface_of_a_contest_file(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "kid.py").write_text(KID)
    (tmp_path / "contest.toml").write_text(f"[interface.mine]{FILLED_IN}")
    words = ("match", "kid.py", "random", "--openings", 1, "--config", "contest.toml")
    status, out, _ = typed(*words)
    assert status == 0
    assert "could not be loaded" not in out
