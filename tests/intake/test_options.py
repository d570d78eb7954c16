"""Options of the contest file that a bot does not take are the contest file's mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.contest.entries import enter, only_overrides
from arena.intake.submission import read_submission
from arena.interfaces import Overrides
from arena.settings.contest import BotEntry, Contest

TAKES = {
    "class ComputerPlayer:\n    def __init__(self, id, difficulty_level): pass\n"
    "    def pick_move(self, rack): return 0\n": {
        "difficulty_level": None,
        "dificulty_level": "takes no 'dificulty_level'; did you mean difficulty_level?",
        "speed": "takes no 'speed'; it takes id, difficulty_level",
    },
    "class ComputerPlayer:\n    def __init__(self, *args): pass\n"
    "    def pick_move(self, rack): return 0\n": {"anything": None},
    "from base import Base\nclass ComputerPlayer(Base):\n"
    "    def pick_move(self, rack): return 0\n": {"anything": None},
    "class Bot:\n    def pick_move(self, rack): return 0\n": {"depth": "it takes none"},
    "def pick_move(rack): return 0\n": {"depth": "it takes none"},
    "class AIPlayer:\n    def __init__(self, checker, depth): pass\n"
    "    def next_move(self, board): return board.width - 1\n": {
        "lookahead": None,
        "tiebreak": "takes no 'tiebreak'; it takes checker, depth",
    },
    "import sys\nif sys.argv[1] == 'one-move': pass\n": {
        "depth": None,
        "comand": "did you mean command?",
    },
}


@pytest.mark.parametrize(
    ("source", "option", "said"),
    [(source, *pair) for source, pairs in TAKES.items() for pair in pairs.items()],
)
def test_unknown_options_fail(source: str, option: str, said: str | None, tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(source)
    contest = Contest(bots={"ann": BotEntry(overrides=Overrides(options={option: 3}))})
    submissions = [read_submission(tmp_path / "ann.py")]
    if said is None:
        entered, _ = enter(contest, submissions, ())
        assert entered.bots["ann"].entry_point.options == {option: 3}
    else:
        with pytest.raises(InputError, match=r"\[bots.ann\] options: the bot") as error:
            enter(contest, submissions, ())
        assert said in str(error.value)


TWO = (
    "class One:\n    def pick_move(self, rack): return 0\n"
    "class Two:\n    def pick_move(self, rack): return 0\n"
    "def agent(observation): return 0\n"
)


def test_what_the_contest_file_says_of_a_bot_holds_or_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(TWO)
    submissions = [read_submission(tmp_path / "ann.py")]

    def entered(overrides: Overrides) -> tuple[str, str]:
        wanted = Contest(bots={"ann": BotEntry(overrides=overrides)})
        contest, _ = enter(wanted, submissions, ())
        again, _ = enter(Contest(bots=only_overrides(contest)), submissions, ())
        assert again == contest  # a contest that is gone on with keeps what was said
        point = contest.bots["ann"].entry_point
        return point.name, point.interface

    assert entered(Overrides(entry="One")) == ("One", "pick_move")
    assert entered(Overrides(entry="agent")) == ("agent", "agent")
    assert entered(Overrides(interface="agent")) == ("agent", "agent")
    for overrides, said in (
        (Overrides(entry="Nope"), "names the entry 'Nope', which none of its files defines"),
        (Overrides(interface="make_move"), "no bot in ann.py for the interface make_move, which"),
    ):
        with pytest.raises(InputError, match=r"\[bots.ann\]: with these settings, ") as error:
            entered(overrides)
        assert said in str(error.value)


def test_nothing_is_kept_of_what_only_was_found(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text(TWO)
    contest, _ = enter(Contest(), [read_submission(tmp_path / "ann.py")], ())
    assert only_overrides(contest) == {}
