"""Bots with `next_move(board)`: the class to enter, its arguments, its modules."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from arena.game.verdict import Verdict
from arena.host.serve import NO_KEYBOARD
from arena.intake.folders import read_folder
from arena.intake.submission import read_submission
from arena.interfaces import INTERFACES
from arena.interfaces.contract import starter
from arena.rules import Ruleset
from support.bots import Against

FIRST_FREE = """
    def next_move(self, board):
        self.num_moves += 1
        return [board.can_add_to(col) for col in range(board.width)].index(True)
"""

AI = f"""
class AIPlayer(Player):
    def __init__(self, checker, tiebreak, lookahead):
        super().__init__(checker)
        self.tiebreak, self.lookahead = tiebreak, lookahead
{FIRST_FREE}
"""

HUMAN = """
class Player:
    def __init__(self, checker):
        self.checker = checker
        self.num_moves = 0
    def next_move(self, board):
        return self.ask()
    def ask(self):
        return int(input("column? "))
"""


def found(source: str) -> str | None:
    return INTERFACES["next_move"].find(ast.parse(dedent(source)))


MOVER = "    def next_move(self, board): return board.width - 1\n"


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        (f"class A:\n{MOVER}class AIPlayer:\n{MOVER}class B:\n{MOVER}", "AIPlayer"),
        (f"class A:\n{MOVER}class B:\n{MOVER}", "B"),
        (f"class A:\n{MOVER}class B(A): pass\n", "B"),
        (f"class RandomPlayer:\n{MOVER}" + HUMAN, "RandomPlayer"),
        (HUMAN, None),
        (HUMAN + "class AIPlayer(Player): pass\nclass Last:\n" + MOVER, "Last"),
        ("class P:\n    def next_move(self, board):\n        raise NotImplementedError", None),
        ("from hw07_3 import AIPlayer", None),
        ("def next_move(board): return 0", None),
    ],
)
def test_the_class_to_enter_is_the_best_that_plays_by_itself(
    source: str, entry: str | None
) -> None:
    assert found(source) == entry


def test_the_starter_wins_its_first_game(against_last_free: Against) -> None:
    record = against_last_free({"bot.py": starter("next_move")})
    assert (record.winner, record.verdict) == (0, Verdict.LINE)


@pytest.mark.parametrize(("file", "before"), [("hw07_3.py", "hw07_2"), ("ps9pr4.py", "ps9pr3")])
def test_the_last_part_of_the_homework_plays_alone(
    file: str, before: str, against_last_free: Against
) -> None:
    record = against_last_free({file: f"import random\nfrom {before} import *\n{AI}"})
    assert (record.verdict, record.columns) == (Verdict.LINE, (0, 6, 0, 6, 0, 6, 0))


def test_it_gets_the_courses_board_and_arguments_by_name(against_last_free: Against) -> None:
    source = """
    from board import Board

    class AIPlayer:
        def __init__(self, lookahead, tie_break, checker):
            assert (lookahead, tie_break, checker) == (3, "LEFT", "O"), (lookahead, tie_break)

        def next_move(self, board):
            assert type(board) is Board
            assert (board.height, board.width) == (4, 9)
            assert board.slots[3] == list(" " * 8 + "X"), board.slots
            raise ValueError("all is well")
    """
    rules = Ruleset(rows=4, columns=9)
    record = against_last_free({"bot.py": source}, second=True, rules=rules)
    assert record.reason == "raised ValueError: all is well (bot.py, line 12), at ply 2"


def test_options_of_the_contest_reach_it(against_last_free: Against) -> None:
    source = """
    class AIPlayer:
        def __init__(self, checker, tiebreak, look_ahead):
            raise ValueError(f"{checker} {tiebreak} {look_ahead}")
        def next_move(self, board): return board.width - 1
    """
    options = {"lookahead": 5, "tiebreak": "RIGHT"}
    record = against_last_free({"bot.py": source}, options=options)
    assert "ValueError: X RIGHT 5" in record.reason


@pytest.mark.parametrize(
    ("parameters", "options", "reason"),
    [
        ("checker, luck", {}, "wants an argument 'luck' that no contest gives it"),
        ("checker", {"lookahead": 5}, "takes no option 'lookahead'; it takes checker"),
        (
            "checker, look_ahead=3",
            {"lookahed": 5},
            "takes no option 'lookahed'; it takes checker, look_ahead (did you mean look_ahead?)",
        ),
        ("", {"lookahead": 5}, "takes no option 'lookahead', nor any other"),
    ],
)
def test_what_cannot_be_given_is_named(
    against_last_free: Against, parameters: str, options: dict[str, object], reason: str
) -> None:
    source = f"class AIPlayer:\n    def __init__(self, {parameters}): pass\n{FIRST_FREE}"
    record = against_last_free({"bot.py": source}, options=options)
    assert record.verdict is Verdict.LOAD_ERROR
    assert reason in record.reason


OWN_BOARD = """
class Board:
    def __init__(self, width, height):
        self.height, self.width = height, width
        self.slots = [[" "] * width for _ in range(height)]
    def add_checker(self, checker, col):
        row = max(r for r in range(self.height) if self.slots[r][col] == " ")
        self.slots[row][col] = checker
    def can_add_to(self, col):
        return self.slots[0][col] == " "
    def only_mine(self):
        return "seen"
"""

PLAYS = f"class Other:\n{MOVER}"

PLAYS_ON_ITS_OWN = """
class AIPlayer:
    def __init__(self, checker, tiebreak, lookahead): pass
    def next_move(self, board):
        assert board.only_mine() == "seen"
        return [board.can_add_to(col) for col in range(board.width)].index(True)
"""


@pytest.mark.parametrize(
    "files",
    [
        {"board.py": OWN_BOARD, "hw07_3.py": PLAYS_ON_ITS_OWN},
        {"board.py": OWN_BOARD, "hw07_3.py": "from hw07_2 import *\n" + PLAYS_ON_ITS_OWN},
        {"ps9pr1.py": OWN_BOARD, "ps9pr4.py": "from ps9pr3 import *\n" + PLAYS_ON_ITS_OWN},
        {"ps9pr1.py": OWN_BOARD, "ps9pr4.py": "import random\n" + PLAYS_ON_ITS_OWN},
        {"connect.py": OWN_BOARD + PLAYS_ON_ITS_OWN},
        {"hw/board.py": OWN_BOARD, "hw/hw07_3.py": "from board import *\n" + PLAYS_ON_ITS_OWN},
    ],
)
def test_a_submissions_own_board_is_the_one_it_sees(
    against_last_free: Against, files: dict[str, str]
) -> None:
    record = against_last_free(files)
    assert (record.winner, record.verdict) == (0, Verdict.LINE), record.reason


def test_a_chain_goes_through_the_submissions_own_parts(against_last_free: Against) -> None:
    files = {
        "hw07_1.py": "from board import Board\n" + HUMAN.replace("num_moves = 0", "num_moves = 40"),
        "hw07_3.py": "from hw07_2 import *\n"
        + AI.replace("+= 1", "+= 1; assert self.num_moves > 40"),
    }
    record = against_last_free(files)
    assert (record.winner, record.verdict) == (0, Verdict.LINE), record.reason


@pytest.mark.parametrize(
    ("board", "reason"),
    [
        (
            OWN_BOARD.replace(
                "width, height):", "width=7, height=6):\n        width, height = 7, 6"
            ),
            "has a Board that is always 6 rows × 7 columns, and this game has 8 rows × 8 columns",
        ),
        (
            OWN_BOARD.replace(
                "width, height):", "width, height):\n        assert height < 8, 'high'"
            ),
            "has a Board that cannot be made with 8 rows × 8 columns (AssertionError: high)",
        ),
    ],
)
def test_a_board_of_other_sizes_only_is_told_in_a_sentence(
    against_last_free: Against, board: str, reason: str
) -> None:
    files = {"board.py": board, "hw07_3.py": PLAYS_ON_ITS_OWN}
    assert not against_last_free(files).verdict.is_fault
    record = against_last_free(files, rules=Ruleset(rows=8, columns=8))
    assert record.verdict is Verdict.LOAD_ERROR
    assert reason in record.reason


@pytest.mark.parametrize("module", ["hw07_3", "ps9pr4"])
def test_the_finished_homework_is_not_lent(against_last_free: Against, module: str) -> None:
    source = f"from {module} import AIPlayer\n\nclass Mine(AIPlayer):\n{MOVER}"
    assert against_last_free({"bot.py": source}).reason == (
        f"could not be loaded: ImportError: cannot import name 'AIPlayer' from '{module}', which "
        "it does not bring along; Arena's own is as the course hands it out (bot.py, line 1)"
    )


def test_a_file_that_ends_in_a_game_for_two_is_entered_all_the_same(
    against_last_free: Against,
) -> None:
    source = f"from hw07_2 import *\n{AI}\nconnect_four(Player('X'), AIPlayer('O', 'LEFT', 1))\n"
    record = against_last_free({"hw07_3.py": source})
    assert (record.winner, record.verdict) == (0, Verdict.LINE), record.reason


def test_a_class_that_asks_a_person_is_no_bot(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HUMAN)
    assert read_submission(tmp_path).problem == "bot.py: Player.next_move asks a person"


def test_a_person_at_the_board_is_an_end_of_file(against_last_free: Against) -> None:
    asks = HUMAN.replace("return self.ask()", "return getattr(self, 'ask')()")
    record = against_last_free({"bot.py": asks})
    assert record.verdict is Verdict.ERROR
    assert record.reason.startswith(
        f"raised EOFError: EOF when reading a line; {NO_KEYBOARD} (bot.py, line 9)"
    )


def test_the_file_with_the_best_class_is_entered(against_last_free: Against) -> None:
    files = {
        "one.py": "from board import *\nimport random" + HUMAN,
        "two.py": PLAYS,
        "three.py": "from hw07_1 import *\n" + AI,
    }
    record = against_last_free(files)
    assert (record.winner, record.verdict) == (0, Verdict.LINE), record.reason


def test_files_linked_by_a_course_module_alone_are_one_bot(tmp_path: Path) -> None:
    (tmp_path / "hw07_1.py").write_text(HUMAN)
    (tmp_path / "mine.py").write_text(f"from hw07_2 import *\n{AI}")
    assert read_folder(tmp_path).is_certain
    (tmp_path / "mine.py").write_text(f"from board import *\n{AI}")
    assert not read_folder(tmp_path).is_certain
