"""Bots with `make_move(board)`: the class to enter, its arguments, its modules."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from arena.game.verdict import Verdict
from arena.intake.submission import read_submission
from arena.interfaces import INTERFACES
from arena.interfaces.contract import starter
from arena.rules import Ruleset
from support.bots import Against

MOVER = "    def make_move(self, board): return board.width - 1\n"
ASKER = "    def make_move(self, board): return self.ask()\n    def ask(self): return input()\n"

FIRST_VALID = """
    def make_move(self, board):
        return [board.is_valid(col) for col in range(board.width)].index(True)
"""

ALPHA_BETA = f"""
class AlphaBetaPlayer(PlayerController):
    def __init__(self, player_id, game_n, depth, heuristic):
        super().__init__(player_id, game_n, heuristic)
        self.depth = depth
{FIRST_VALID}
"""

JUDGE = "\n    def evaluate_board(self, player_id, board): return 0\n"
MINE = f"class Mine:\n    def __init__(self, n): pass{JUDGE}"
SIMPLE = f"class SimpleHeuristic:\n    def __init__(self, game_n): self.game_n = game_n{JUDGE}"

SCAFFOLD = '''
    def make_move(self, board):
        """To be done."""
        # TODO
        return 0
'''


def found(source: str) -> str | None:
    return INTERFACES["make_move"].find(ast.parse(dedent(source)))


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        (f"class MinMaxPlayer:\n{MOVER}class AlphaBetaPlayer:\n{MOVER}", "AlphaBetaPlayer"),
        (f"class MinMaxPlayer:\n{MOVER}class AlphaBetaPlayer:\n{SCAFFOLD}", "MinMaxPlayer"),
        (
            f"class MinMaxPlayer:\n{MOVER}class AlphaBetaPlayer(MinMaxPlayer): pass",
            "AlphaBetaPlayer",
        ),
        (f"class A:\n{MOVER}class B:\n{MOVER}class HumanPlayer:\n{ASKER}", "B"),
        (f"class A:\n{MOVER}class C(A): pass\nclass D:\n{SCAFFOLD}class E(D): pass", "C"),
        ("class A:\n    def makeMove(self, board): return board.width - 1", "A"),
        ("class A:\n    @abstractmethod\n    def make_move(self, board): print()", None),
        ("class A:\n    @abc.abstractmethod\n    def make_move(self, board): print()", None),
        ("class A:\n    def make_move(self, board): raise NotImplementedError", None),
        ("class A:\n    def make_move(self, board): ...", None),
        (f"class HumanPlayer:\n{ASKER}", None),
        ("from players import AlphaBetaPlayer", None),
        ("class A:\n    def make_move(self, b, deeper=True): return b.width - 1", "A"),
        ("class A:\n    def make_move(self, state: Board): return state.width - 1", "A"),
        ("class Game:\n    def make_move(self, col): self.board.play(col)", None),
        ("class Board:\n    def make_move(self): print()", None),
        ("class Game:\n    def make_move(self, board, col): board.play(col)", None),
    ],
)
def test_the_class_to_enter_is_the_best_that_is_finished(source: str, entry: str | None) -> None:
    assert found(source) == entry


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (f"class A:\n{SCAFFOLD}", "players.py: A.make_move is not written yet"),
        (f"class A:\n{SCAFFOLD}class B:\n{ASKER}", "players.py: B.make_move asks a person"),
    ],
)
def test_of_classes_that_do_not_play_by_themselves_it_is_said_why(
    tmp_path: Path, source: str, problem: str
) -> None:
    (tmp_path / "players.py").write_text(source)
    (tmp_path / "board.py").write_text("class Board: pass\n")
    assert read_submission(tmp_path).problem == problem


@pytest.mark.slow
def test_the_starter_wins_its_first_game(against_last_free: Against) -> None:
    record = against_last_free({"bot.py": starter("make_move")})
    assert (record.winner, record.verdict) == (0, Verdict.LINE), record.reason


@pytest.mark.parametrize(
    "parameters",
    ["player_id, game_n, depth, heuristic", "playerID, depth, gameN, heuristic", "*args, **kwargs"],
)
@pytest.mark.parametrize("move", ["make_move", "makeMove"])
def test_it_is_built_by_the_names_of_its_parameters(
    against_last_free: Against, parameters: str, move: str
) -> None:
    given = parameters.replace("*args, **kwargs", "player_id, game_n, depth, heuristic")
    source = f"""
    class Base:
        def __init__(self, {given}):
            self.given = [{given.replace("heuristic", "heuristic.game_n")}]

    class MyPlayer(Base):
        def __init__(self, {parameters}):
            super().__init__({parameters})

        def {move}(self, board):
            assert False, self.given
    """
    if given == parameters:
        source = source.replace(f"super().__init__({parameters})", f"super().__init__({given})")
    rules = Ruleset(rows=5, columns=9, connect=3)
    files = {"bot.py": source, "heuristics.py": SIMPLE}
    record = against_last_free(files, second=True, rules=rules)
    order = "2, 4, 3, 3" if "ID" in parameters else "2, 3, 4, 3"
    assert f"AssertionError: [{order}]" in record.reason


@pytest.mark.slow
def test_it_sees_the_courses_board(against_last_free: Against) -> None:
    source = """
    import numpy as np
    from board import Board
    from players import PlayerController

    class MinMaxPlayer(PlayerController):
        def make_move(self, board):
            assert type(board) is Board and (board.width, board.height) == (5, 4)
            state = board.get_board_state()
            assert state[4, 3] == board.get_value(4, 3) == 1 and state.sum() == 1
            board.play(0, 1), board.play(0, 1)
            assert (str(self.heuristic), self.heuristic.eval_count) == ("Simple", 0)
            assert self.heuristic.winning(state, self.game_n) == 0
            assert self.heuristic.get_best_action(self.player_id, Board(state)) == 0
            return np.int64(4)
    """
    record = against_last_free({"bot.py": source}, second=True, rules=Ruleset(rows=4, columns=5))
    assert record.columns[:2] == (4, 4)
    assert record.reason.startswith("raised AssertionError (bot.py, line 10), at ply 4")


@pytest.mark.slow
def test_a_whole_folder_of_the_course_plays_with_its_own_edits(against_last_free: Against) -> None:
    files = {
        "app.py": """
            from board import Board
            from heuristics import SimpleHeuristic
            from players import AlphaBetaPlayer
            def winning(state, game_n): return 0
            if __name__ == "__main__":
                while True: input("play? ")
        """,
        "board.py": """
            import numpy as np
            from heuristics import Heuristic
            from players import PlayerController
            class Board:
                def __init__(self, *args):
                    self.width, self.height = args if len(args) == 2 else args[0].shape
                    self.board_state = np.zeros(args, int) if len(args) == 2 else args[0]
                def play(self, col, player_id):
                    row = max(r for r in range(self.height) if not self.board_state[col, r])
                    self.board_state[col, row] = player_id
                    return True
                def is_valid(self, col):
                    return self.board_state[col, 0] == 0
                def is_winning(self, game_n):
                    return "edited"
        """,
        "heuristics.py": """
            class Heuristic:
                def __init__(self, game_n):
                    self.game_n = game_n
            class SimpleHeuristic(Heuristic):
                def get_best_action(self, player_id, board):
                    from app import winning
                    return 0, winning(board.board_state, self.game_n)
            class WindowHeuristic(Heuristic):
                def get_best_action(self, player_id, board): return 1
        """,
        "players.py": """
            from __future__ import annotations
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from board import Board
            class PlayerController:
                def __init__(self, player_id, game_n, heuristic):
                    self.player_id, self.heuristic = player_id, heuristic
            class AlphaBetaPlayer(PlayerController):
                def __init__(self, player_id, game_n, depth, heuristic):
                    super().__init__(player_id, game_n, heuristic)
                def make_move(self, board: Board):
                    assert board.is_winning(4) == "edited"
                    return self.heuristic.get_best_action(self.player_id, board)[0]
            class HumanPlayer(PlayerController):
                def make_move(self, board):
                    return self.ask_input(board)
                def ask_input(self, board):
                    return int(input("column? "))
        """,
    }
    record = against_last_free(files)
    assert (record.winner, record.verdict) == (0, Verdict.LINE), record.reason


BASE = f"from abc import *\nclass Base:{JUDGE}    @abstractmethod\n    def value(self): pass\n"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"heuristics.py": MINE}, "Mine"),
        ({"heuristics.py": MINE + BASE}, "Mine"),
        ({"heuristics.py": MINE + SIMPLE}, "SimpleHeuristic"),
        ({"heuristics.py": "from others import *", "others.py": SIMPLE}, "SimpleHeuristic"),
        ({"heuristics.py": "from others import *", "others.py": MINE}, "Mine"),
        ({"heuristics.py": SIMPLE.replace("Simple", "")}, "Heuristic"),
        ({}, "SimpleHeuristic"),
    ],
)
def test_a_heuristic_of_its_own_comes_before_the_courses(
    against_last_free: Against, files: dict[str, str], name: str
) -> None:
    bot = """
    class MinMaxPlayer:
        def __init__(self, heuristic):
            raise ValueError(type(heuristic).__name__, hasattr(heuristic, "get_best_action"))
        def make_move(self, board): return board.width - 1
    """
    record = against_last_free(files | {"bot.py": bot})
    assert f"ValueError: ('{name}', {not files})" in record.reason


def test_the_contest_may_name_another_heuristic_of_its_own(against_last_free: Against) -> None:
    files = {
        "bot.py": f"from players import *\n{ALPHA_BETA}".replace("= depth", "= depth; 1 / 0"),
        "heuristics.py": SIMPLE
        + "class Super(SimpleHeuristic):\n    def __init__(self, n): raise ValueError('super')\n",
    }
    record = against_last_free(files, options={"heuristic": "Super"})
    assert "ValueError: super (heuristics.py, line 5)" in record.reason
    record = against_last_free(files, options={"heuristic": "Hyper"})
    assert "has no heuristic 'Hyper', which the contest's option names" in record.reason


def test_heuristics_without_a_heuristic_are_told_in_a_sentence(against_last_free: Against) -> None:
    bot = f"from players import *\n{ALPHA_BETA}"
    record = against_last_free({"bot.py": bot, "heuristics.py": "def evaluate(board): return 0"})
    assert record.verdict is Verdict.LOAD_ERROR
    assert "has a file heuristics.py of its own without a heuristic that is ready" in record.reason
