"""Bots with a one-move mode: their input and output files, and every fault."""

from __future__ import annotations

import ast

import pytest

from arena.common.errors import NoMoveError
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.verdict import Verdict
from arena.interfaces import find_entry, lines, one_move
from arena.interfaces.contract import starter
from arena.rules import Goal, Ruleset
from support.bots import (
    CLASSIC,
    LAST_FREE,
    MakeBot,
    MakePlayer,
    MakeProgram,
    first_fault,
    first_move,
    key,
)

BEFORE = ["0000000", "0000000", "0000000", "0000000", "0002000", "0001012"]
PLAYED = ["0000000", "0000000", "0000000", "0000000", "0002000", "1001012"]


def text(rows: list[str], end: str = "\n", player: str = "2") -> bytes:
    return "".join(row + end for row in [*rows, player]).encode()


def moved(data: bytes, player: int = 0) -> int:
    return one_move.move_between(BEFORE, one_move._board(data), player)


@pytest.mark.parametrize(
    "data",
    [
        text(PLAYED),
        text(PLAYED, "\r\n"),
        text(PLAYED, "\r"),
        text(PLAYED)[:-1],
        text(PLAYED, player="1"),
        text(PLAYED, player=""),
        text(PLAYED, " \n"),
        b"\xef\xbb\xbf" + text(PLAYED),
        "\n".join(PLAYED).encode(),
    ],
)
def test_the_move_is_the_one_new_disc_however_the_lines_end(data: bytes) -> None:
    assert moved(data) == 0


def changed(*cells: tuple[int, int, str]) -> bytes:
    rows = [list(row) for row in BEFORE]
    for row, column, digit in cells:
        rows[row][column] = digit
    return text(["".join(row) for row in rows])


NO_MOVES = {
    changed(): "made no move: its output file has the board it was given",
    changed((5, 3, "0")): "took away a disc in column 3",
    changed((5, 3, "2")): "changed the colour of a disc in column 3",
    changed((5, 0, "1"), (5, 1, "1")): "dropped 2 discs in one move",
    changed((5, 0, "2")): "dropped a disc of its opponent's in column 0",
    changed((2, 3, "1")): "left its disc in the air in column 3",
    changed((0, 0, "1")): "left its disc in the air in column 0",
    b"": "wrote an empty output file",
    b"\n\n": "wrote an empty output file",
    text(PLAYED[:4], player=""): "wrote no board: its output file has 4 of six rows",
    b"hello\n": "wrote no board: line 1 of its output file is 'hello' and not seven digits",
    text([*PLAYED[:5], "100101"]): "wrote no board: line 6 of its output file is '100101'",
    text([*PLAYED[:5], "1001013"]): "wrote no board: line 6 of its output file is '1001013'",
    b"\xff\0" * 3000: "wrote no board: line 1",
}


@pytest.mark.parametrize("data", NO_MOVES)
def test_an_output_file_that_holds_no_move_is_told_in_a_sentence(data: bytes) -> None:
    with pytest.raises(NoMoveError) as error:
        moved(data)
    assert str(error.value).startswith(NO_MOVES[data])


@pytest.mark.slow
def test_its_starter_plays_whole_games_from_both_sides(
    make_program: MakeProgram, make_player: MakePlayer, make_bot: MakeBot
) -> None:
    opponent = make_player(LAST_FREE)
    for goal in Goal:
        rules = Ruleset(goal=goal)
        bot = make_program("one-move", starter("one-move"))
        seats = (bot, opponent) if goal is Goal.FIRST else (opponent, bot)
        record = play(key(make_bot(), make_bot(), rules=rules, opening=(3, 3)), *seats)
        assert not record.verdict.is_fault, record.reason
        assert len(record.columns) == 42 or goal is Goal.FIRST


SHOWS = r"""
import os, sys
print(sys.argv[1:], os.path.exists("bot.py"), len(os.listdir()), file=sys.stderr)
print(open(sys.argv[2], newline="").read().replace("\n", "|"), flush=True)
sys.exit(3)
"""


def test_a_program_gets_four_arguments_and_the_board_before_its_move(
    make_program: MakeProgram,
) -> None:
    player = make_program("one-move", SHOWS, depth=9)
    fault = first_fault(player, 1, CLASSIC, (3, 3, 0))
    assert (fault.verdict, fault.nodes) == (Verdict.CRASH, -1)
    shown = "0000000|0000000|0000000|0000000|0002000|1001000|2|"
    arguments = f"['one-move', '{one_move.IN}', '{one_move.OUT}', '9'] True 2"
    assert player.dismiss().splitlines() == [arguments, shown]
    assert fault.reason == f"ended with exit status 3 (it printed last: {shown!r})"


COPIES = "import sys, shutil; shutil.copy(*sys.argv[2:4])"
NO_MOVE = {
    "print('thinking')": "wrote no output file",
    "open('result.txt', 'w')": "wrote no output file, but 'result.txt'",
    "import os, sys; os.mkdir(sys.argv[3])": "wrote no output file that can be "
    "read: Is a directory",
    COPIES: "made no move: its output file has the board it was given",
}
CRASHES = {
    "def move():\n    return 1 // 0\nmove()": "ended with exit status 1 (it printed last: "
    "'ZeroDivisionError: integer division or modulo by zero')",
    "import sys; open(sys.argv[3], 'w'); sys.exit('no move left')": "ended with exit status 1 "
    "(it printed last: 'no move left')",
    "import os; os.abort()": "crashed (signal SIGABRT)",
}
FAULTS = {source: (Verdict.ILLEGAL_MOVE, why) for source, why in NO_MOVE.items()}
FAULTS |= {source: (Verdict.CRASH, why) for source, why in CRASHES.items()}
FAULTS["while True: pass"] = Verdict.TIMEOUT, "took more than 0.5 s for its move"


@pytest.mark.parametrize("source", FAULTS)
def test_a_program_loses_with_a_true_sentence(source: str, make_program: MakeProgram) -> None:
    verdict, _ = FAULTS[source]
    limits = Limits(move_seconds=0.5 if verdict is Verdict.TIMEOUT else 10, first_move_seconds=0)
    fault = first_fault(make_program("one-move", source, limits))
    assert (fault.verdict, fault.reason) == FAULTS[source]


def test_a_program_that_made_its_move_may_end_as_it_likes(make_program: MakeProgram) -> None:
    player = make_program(
        "one-move", starter("one-move").replace("int(sys.argv[4]))", "3)\n    1 / 0")
    )
    assert first_move(player)[0] == 3


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"command": "nosuchlanguage bot"},
            "'nosuchlanguage' is no program of this machine and no file of the bot's",
        ),
        ({"command": 3}, "has the command 3: expected a text like 'java maxconnect4'"),
        ({"command": "'Java"}, 'has the command "\'Java": no closing quotation'),
        (
            {"command": "./bot.py", "interpreter": "python2"},
            "has both a command and an interpreter; give only one of them",
        ),
        ({"level": 3}, "takes no option 'level'; it takes command, interpreter, depth"),
        ({"depth": "deep"}, "has the depth 'deep': expected a whole number"),
    ],
)
def test_a_contest_file_is_told_what_is_wrong_with_its_options(
    options: dict[str, object], why: str, make_program: MakeProgram
) -> None:
    fault = first_fault(make_program("one-move", starter("one-move"), **options))
    assert (fault.verdict, fault.reason) == (Verdict.LOAD_ERROR, f"could not be loaded: {why}")


@pytest.mark.parametrize(
    ("source", "interface"),
    [
        (starter("one-move"), "one-move"),
        ("import sys\nif sys.argv[1] == 'one-move': pass", "one-move"),
        ("from sys import argv\nif argv[1] == 'one-move': pass", "one-move"),
        ("import argparse\nmodes = ['one-move', 'interactive']", "one-move"),
        ("mode = 'one-move'", None),
        ("import sys\nprint(sys.argv, 'one-move mode')", None),
        (starter("lines"), "lines"),
        ("import sys\nwords = 'move', 'game'", None),
        ("import sys\nfor line in sys.stdin: print('move')", None),
    ],
)
def test_a_program_in_python_is_told_by_the_words_it_knows(
    source: str, interface: str | None
) -> None:
    entry = find_entry(ast.parse(source))
    assert (entry.interface if entry else None) == interface


def test_one_move_is_for_the_board_of_its_files_alone() -> None:
    assert one_move.refuses(Ruleset()) is None
    assert one_move.refuses(Ruleset(goal=Goal.MOST)) is None
    for rules in (Ruleset(rows=8, columns=8), Ruleset(rows=7, columns=6), Ruleset(connect=5)):
        assert (one_move.refuses(rules) or "").startswith("the one-move file format ")
        assert lines.refuses(rules) is None
