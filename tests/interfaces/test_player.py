"""Bots with `player(board)`: the function, its board, and the course's module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import numpy
import pytest

from arena.common.errors import UnsuitableError
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.player import Fault
from arena.game.record import Bot
from arena.intake.notebook import extract_bot
from arena.interfaces import INTERFACES, EntryPoint, Setup, find_entry
from arena.interfaces.contract import starter
from arena.rules import Ruleset
from support.bots import MakePlayer, first_move
from support.course import imported
from support.handed_in import notebook

PLAYER = INTERFACES["player"]
EIGHT = Ruleset(rows=8, columns=8)


def found(source: str) -> str | None:
    return PLAYER.find(ast.parse(dedent(source)))


def setup(seat: int, rules: Ruleset = EIGHT, **options: object) -> Setup:
    return Setup(rules=rules, player=seat, nodes=None, options=options)


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        ("def player(board): return 0", "player"),
        ("def player2(board): return 0\ndef player(b, depth=3): return 0", "player"),
        ("def player2(board): return 0\ndef player_(board): return 0", "player_"),
        ("def player(board): return 0\nplayer = 1", "player"),
        ("def randomPlayer(board): return 0", None),
        ("def playerMove(board, col): return 0", None),
        ("def player2(board, piece): return 0", None),
        ("def player(): return 0", None),
        ("def player(board, *, depth): return 0", None),
        ("player = 1", None),
        ("player = lambda board: 0", "player"),
        ("player = lambda board, piece: 0", None),
        ("def best(board): return 0\nplayer = best", "player"),
        ("def best(b): return 0\nplayer = functools.partial(best, depth=3)", "player"),
        ("def other(piece): return 3 - piece\nplayer = other(1)", None),
        ("class player:\n    def move(self, board): return 0", None),
    ],
)
def test_a_player_is_told_by_its_name_and_its_one_parameter(source: str, entry: str | None) -> None:
    assert found(source) == entry


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_always_sees_itself_as_2_with_the_top_row_first(seat: int) -> None:
    boards: list[numpy.ndarray] = []
    bot = PLAYER.adapt(boards.append, setup(seat, Ruleset(rows=3, columns=4)))
    bot.see(0, 3)
    bot.see(1, 3)
    bot.see(0, 0)
    bot.pick()
    first, second = (2, 1) if seat == 0 else (1, 2)
    assert boards[0].tolist() == [[0, 0, 0, 0], [0, 0, 0, second], [first, 0, 0, first]]
    assert boards[0].dtype == numpy.zeros((8, 8)).astype(int).dtype


def test_a_function_takes_no_options() -> None:
    with pytest.raises(UnsuitableError, match="takes no options \\(depth\\)"):
        PLAYER.adapt(lambda board: 0, setup(0, depth=3))


def test_the_starter_answers_with_a_numpy_integer_which_is_a_column(
    make_player: MakePlayer,
) -> None:
    bot = make_player(starter("player"))
    assert first_move(bot, 0, EIGHT, (3, 3, 3, 3, 3, 3, 3, 3))[0] == 4


# Printed by seed 000 for its first example.
APPENDIX = """\
   0 1 2 3 4 5 6 7
 -------------------
 |                 |
 |                 |
 |                 |
 |                 |
 |                 |
 |           X     |
 |       O X O     |
 | X     X O X   O |
 -------------------
"""


@pytest.fixture
def cs4100(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for each in imported(monkeypatch, "player"):
        yield each("cs4100")


def test_boards_print_as_in_the_course(
    cs4100: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    board = cs4100.getEmptyBoard()
    for move, column in enumerate((3, 4, 0, 7, 5, 3, 4, 5, 5)):
        assert cs4100.dropPiece(move % 2 + 1, column, board) is board
    cs4100.printBoard(board)
    assert capsys.readouterr().out == APPENDIX
    cs4100.printBoard(cs4100.ERROR)
    assert capsys.readouterr().out == " ERROR: Overflow in column.\n"
    cs4100.printBoard(board, 1)
    assert capsys.readouterr().out.startswith("\t   0 1 2")


def test_the_seeds_full_board_has_no_room(
    cs4100: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    board = cs4100.getEmptyBoard()
    columns = [*range(8), *reversed(range(8))] * 4
    for move, column in enumerate(columns):
        cs4100.dropPiece(move % 2 + 1, column, board)
    cs4100.printBoard(board)
    rows = capsys.readouterr().out.split("\n")[2:-2]
    assert rows == [" | O X O X O X O X |", " | X O X O X O X O |"] * 4
    assert cs4100.noRoomInColumn(4, board)
    assert cs4100.isError(cs4100.dropPiece(1, 4, board))


def test_a_move_outside_the_board_is_an_error_on_every_size(cs4100: ModuleType) -> None:
    assert cs4100.illegalMove(8)
    assert not cs4100.illegalMove(7)
    small = numpy.zeros((6, 7)).astype(int)
    assert cs4100.dropPiece(1, 7, small) == cs4100.ERROR
    assert cs4100.dropPiece(1, 100, cs4100.getEmptyBoard()) == cs4100.ERROR
    assert cs4100.dropPiece(2, 6, small)[5].tolist() == [0, 0, 0, 0, 0, 0, 2]


def test_the_course_module_is_there_for_a_bot_that_imports_it(make_player: MakePlayer) -> None:
    bot = make_player(
        """
        from cs4100 import *

        def player(board):
            assert not isError(board) and N == 8 and symbol[O] == "O" and sys.maxsize > X
            return [m for m in range(N) if not noRoomInColumn(m, board)][-1]
        """
    )
    assert first_move(bot, 0, EIGHT)[0] == 7


CONTEST = """\
# Solution for Problem Three
def minMax(board, depth):
    global countNodes2
    countNodes2 += 1
    if countNodes2 > 6:
        raise ValueError("over the limit")
    if depth == 0:
        return [m for m in range(N) if not noRoomInColumn(m, board)][0]
    return minMax(board, depth - 1)

def player(board):
    return minMax(board, 5 + board.sum() // 99)

while True:
    countNodes2 = 0
    dropPiece(X, int(input("X's move: ")), board)
"""


def test_a_contest_cell_that_needs_its_course_and_its_driver_plays(
    tmp_path: Path, zygote: Zygote
) -> None:
    taken = extract_bot(notebook("import math", CONTEST).encode(), "HW04.ipynb")
    assert taken.how == "the contest cell (cell 2) after the course's definitions"
    (tmp_path / "HW04.ipynb.py").write_text(taken.source)
    bot = Bot(
        content_hash="",
        root=str(tmp_path),
        entry_point=EntryPoint(file="HW04.ipynb.py", interface="player", name="player"),
    )
    with BotPlayer(zygote, bot, Limits()) as seat:
        assert seat.sit(0, EIGHT, (), 5) is None
        assert [seat.ask(-1)[0], seat.ask(0)[0]] == [0, 0]  # type: ignore[index]
        assert seat.sit(1, Ruleset(rows=4, columns=4), (), 5) is None  # not the course's size
        fault = seat.ask(0)
    assert isinstance(fault, Fault)
    assert "IndexError" in fault.reason
    assert fault.reason.endswith("(HW04.ipynb, cell 2, line 8)")


def test_beside_an_agent_player_is_a_helper_that_says_whose_turn_it_is() -> None:
    source = "def player(board): return 1\ndef my_agent(observation, configuration): return 0\n"
    assert find_entry(ast.parse(source)) == EntryPoint(interface="agent", name="my_agent")


def test_a_notebook_is_the_main_module_when_its_bot_is_loaded(make_player: MakePlayer) -> None:
    text = "# Solution for Problem Three\nif __name__ == '__main__':\n    last = 7\n"
    whole = notebook(f"{text}player = lambda board: last\n")
    bot = make_player(extract_bot(whole.encode(), "HW04.ipynb").source)
    assert first_move(bot, 0, EIGHT)[0] == 7
