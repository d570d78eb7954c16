"""Submissions with their own course modules: packages, names, spellings, boards.

The layouts come from public repositories of these courses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.player import Fault
from arena.game.verdict import Verdict
from arena.rules import Ruleset
from support.bots import HandIn, first_move

Files = dict[str, str]


def rows_board(first: str, second: str, rows: str) -> str:
    """Return a board of rows, with methods in the older edition's spelling."""
    columns = second if rows == first else first
    return f"""
import copy
class Board:
    def __init__(self, {first}, {second}, boardState=None):
        self.rows, self.columns = {rows}, {columns}
        self.boardState = boardState or [[0] * self.columns for _ in range(self.rows)]
    def getBoardState(self):
        return copy.deepcopy(self.boardState)
    def isValid(self, x):
        return self.boardState[0][x] == 0
    def play(self, x, playerId):
        for i in reversed(range(self.rows)):
            if self.boardState[i][x] == 0:
                self.boardState[i][x] = playerId
                return True
        return False
    def getNewBoard(self, x, playerId):
        new = Board({"self.rows" if rows == first else "self.columns"},
                    {"self.columns" if rows == first else "self.rows"}, self.getBoardState())
        new.play(x, playerId)
        return new
"""


PACKAGES: Files = {
    "main.py": """
from Board import Board
from Players import MinMaxPlayer, HumanPlayer
from Heuristics import SimpleHeuristic
if __name__ == "__main__":
    MinMaxPlayer.MinMaxPlayer(2, 4, 4, SimpleHeuristic.SimpleHeuristic(4)).makeMove(Board(6, 7))
""",
    "Board.py": rows_board("rows", "columns", "rows"),
    "Heuristics/Heuristic.py": """
class Heuristic:
    def __init__(self, gameN):
        self.gameN = gameN
    def getBestAction(self, player, board):
        valid = [x for x in range(board.columns) if board.isValid(x)]
        return max(valid, key=lambda x: self.evaluateBoard(player, board.getNewBoard(x, player)))
    def evaluateBoard(self, player, board):
        return self.evaluate(player, board)
""",
    "Heuristics/SimpleHeuristic.py": """
from Heuristics import Heuristic
class SimpleHeuristic(Heuristic.Heuristic):
    def evaluate(self, player, board):
        return -sum(disc != 0 for disc in board.boardState[-1])
""",
    "Players/PlayerController.py": """
from Heuristics import SimpleHeuristic
class PlayerController:
    def makeMove(self, board):
        raise NotImplementedError
""",
    "Players/Node.py": "class Node:\n    def __init__(self, board):\n        self.board = board\n",
    "Players/MinMaxPlayer.py": """
from . import PlayerController
from . import Node
class MinMaxPlayer(PlayerController.PlayerController):
    def __init__(self, playerID, depth, gameN, heuristic):
        self.playerID, self.depth, self.gameN, self.heuristic = playerID, depth, gameN, heuristic
    def makeMove(self, board):
        assert (len(board.boardState), len(board.boardState[0])) == (5, 8), board.boardState
        assert self.gameN == self.heuristic.gameN == 4
        return self.heuristic.getBestAction(self.playerID, Node.Node(board).board)
""",
    "Players/HumanPlayer.py": """
from . import PlayerController
class HumanPlayer(PlayerController.PlayerController):
    def makeMove(self, board):
        return int(input("column? ")) - 1
""",
}

ONE_FOLDER = {
    name.rpartition("/")[2]: re.sub(r"from (Players|Heuristics|\.) import", "import", text)
    for name, text in PACKAGES.items()
}

LOWER_CASE = {
    name.replace("Players/", "players/").replace("Heuristics/", "heuristics/"): text.replace(
        "from Players", "from players"
    ).replace("from Heuristics", "from heuristics")
    for name, text in PACKAGES.items()
}

FIRST_VALID = "return [c for c in range({width}) if board.{valid}(c)][0]\n"

PLAYERS = (
    """
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from heuristics import Heuristic
    from board import Board
class PlayerController:
    pass
class MinMaxPlayer(PlayerController):
    def __init__(self, player_id, game_n, depth, heuristic):
        self.player_id, self.heuristic = player_id, heuristic
    def make_move(self, board: Board) -> int:
        assert type(board).__module__ == "board"
"""
    + "        "
    + FIRST_VALID.format(width="board.width", valid="is_valid")
)

NUMPY_BOARD = """
import numpy as np
class Board:
    def __init__(self, width, height, player_ids):
        self.width, self.height, self.player_ids = width, height, player_ids[:]
        self.board_state = np.zeros((width, height), dtype=int)
    def is_valid(self, x):
        return self.board_state[x, 0] == 0
    def play(self, x, player_id):
        self.board_state[x, np.flatnonzero(self.board_state[x] == 0)[-1]] = player_id
"""

IMMUTABLE_BOARD = """
class Board:
    def __init__(self, board_state):
        self.board_state = board_state
        self.width, self.height = board_state.shape
    def is_valid(self, col):
        return self.board_state[col, 0] == 0
    def get_new_board(self, col, player_id):
        state = self.board_state.copy()
        state[col, max(r for r in range(self.height) if state[col, r] == 0)] = player_id
        return Board(state)
"""

TURNS_BOARD = """
class Board:
    def __init__(self, size):
        self.height, self.width = size
        self.cells = [[None] * self.width for _ in range(self.height)]
        self.turn = "red"
    def is_valid(self, col):
        return self.cells[-1][col] is None
    def drop(self, col):
        print("dropping", col)
        next(row for row in self.cells if row[col] is None)[col] = self.turn
        self.turn = "yellow" if self.turn == "red" else "red"
"""

HEIGHTS_BOARD = """
class Board:
    def __init__(self, height=6, width=7, *, verbose=False):
        if width % 2:
            raise ValueError("the width must be even")
        self.masks, self.heights, self.width, self.height = [0, 0], [0] * width, width, height
    def is_valid(self, col):
        return self.heights[col] < self.height
    def play(self, col, player_id):
        if not self.is_valid(col):
            return False
        self.masks[player_id - 1] |= 1 << (col * (self.height + 1) + self.heights[col])
        self.heights[col] += 1
        return True
"""

GAME_BOARD: Files = {
    "connect4/__init__.py": "",
    "connect4/grid.py": """
class GameBoard:
    def __init__(self, num_rows, num_cols):
        self.num_rows, self.num_cols = num_rows, num_cols
        self.cells = [["."] * num_cols for _ in range(num_rows)]
    def can_drop(self, col):
        return self.cells[self.num_rows - 1][col] == "."
    def drop_piece(self, player, col):
        row = [row for row in range(self.num_rows) if self.cells[row][col] == "."][0]
        self.cells[row][col] = player
        return row
""",
    "connect4/bot.py": """
class AlphaBetaPlayer:
    def __init__(self, player_id, depth=4):
        self.player_id = player_id
    def make_move(self, board):
        assert (board.num_rows, board.num_cols) == (5, 8)
        """
    + FIRST_VALID.format(width="board.num_cols", valid="can_drop"),
}

NROW: Files = {
    "app.py": "from NRow.Players.HumanPlayer import HumanPlayer\nHumanPlayer()\n",
    "NRow/Players/HumanPlayer.py": """
from .PlayerController import PlayerController
class HumanPlayer(PlayerController):
    def makeMove(self, board): return int(input("column? ")) - 1
""",
    "NRow/Board.py": rows_board("width", "height", "height"),
    "NRow/Heuristics/Heuristic.py": """
from abc import ABC, abstractmethod
class Heuristic(ABC):
    def __init__(self, gameN):
        self.gameN = gameN
    def getBestAction(self, player, board):
        """
    + FIRST_VALID.format(width="board.columns", valid="isValid")
    + """
    @abstractmethod
    def name(self): pass
""",
    "NRow/Heuristics/CountingHeuristic.py": """
from NRow.Heuristics.Heuristic import Heuristic
class CountingHeuristic(Heuristic):
    def name(self): return "Counting"
""",
    "NRow/Players/PlayerController.py": """
class PlayerController:
    def makeMove(self, board): raise NotImplementedError
""",
    "NRow/Players/MinMaxPlayer.py": """
from __future__ import annotations
from ..Board import Board
from ..Heuristics.Heuristic import Heuristic
from .PlayerController import PlayerController
class MinMaxPlayer(PlayerController):
    def __init__(self, playerId, gameN, depth, heuristic):
        self.playerId, self.heuristic = playerId, heuristic
    def makeMove(self, board: Board):
        assert isinstance(self.heuristic, Heuristic)
        return self.heuristic.getBestAction(self.playerId, board)
""",
}

ONE_PACKAGE: Files = {
    "connect_n/__init__.py": """
from .board import Board
from .heuristics import Heuristic, SimpleHeuristic
from .players import PlayerController, AlphaBetaPlayer
""",
    "connect_n/board.py": """
import numpy as np
class Board:
    def __init__(self, *args):
        self.state = np.zeros(args, int) if len(args) == 2 else args[0].state.copy()
        self.rows, self.cols = self.state.shape
    def is_valid(self, col):
        return self.state[0, col] == 0
    def play(self, col, player_id):
        self.state[np.flatnonzero(self.state[:, col] == 0)[-1], col] = player_id
""",
    "connect_n/heuristics.py": """
class Heuristic:
    def __init__(self, game_n): self.game_n = game_n
    def evaluate_board(self, player_id, board): return 0
class SimpleHeuristic(Heuristic):
    pass
""",
    "connect_n/players.py": """
from . import Board, Heuristic
class PlayerController:
    def __init__(self, player_id, game_n, heuristic): self.heuristic = heuristic
class AlphaBetaPlayer(PlayerController):
    def make_move(self, board):
        assert isinstance(board, Board) and isinstance(self.heuristic, Heuristic)
        """
    + FIRST_VALID.format(width="board.cols", valid="is_valid"),
}

OWN_NEXT_MOVE: Files = {
    "hw10pr2.py": """
class Board:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.data = [[" "] * width for _ in range(height)]
    def addMove(self, col, ox):
        [row for row in self.data if row[col] == " "][-1][col] = ox
    def allowsMove(self, c):
        return 0 <= c < self.width and self.data[0][c] == " "
""",
    "hw10pr3.py": """
from hw10pr2 import Board
class Player:
    def __init__(self, ox, tbt, ply): self.ox = ox
    def next_move(self, b):
        return [c for c in range(b.width) if b.allowsMove(c)][0]
""",
}

TURNED_PS9: Files = {
    "ps9pr1.py": """
class Board:
    def __init__(self, cols, rows):
        self.height, self.width = rows, cols
        self.slots = [[" "] * cols for _ in range(rows)]
    def add_checker(self, col, checker):
        row = self.height - 1
        while self.slots[row][col] != " ":
            row -= 1
        self.slots[row][col] = checker
    def can_add_to(self, col):
        return self.slots[0][col] == " "
""",
    "ps9pr4.py": """
from ps9pr3 import *
class AIPlayer(Player):
    def next_move(self, board):
        assert (board.height, board.width) == (5, 8) == (len(board.slots), len(board.slots[0]))
        """
    + FIRST_VALID.format(width="board.width", valid="can_add_to"),
}

OWN_BITS: Files = {
    "players.py": """
class BitBoard:
    def __init__(self, width, height):
        self.width, self.height, self.tops = width, height, [0] * width
    def play(self, col, player):
        self.tops[col] += 1
class MinMaxPlayer:
    def __init__(self, player_id, game_n, depth, heuristic):
        self.player_id, self.heuristic = player_id, heuristic
    def make_move(self, board):
        bits = BitBoard(board.width, board.height)
        assert type(board).__module__ == "board" and board.getValue(bits.width - 1, 0) == 0
        return self.heuristic.getBestAction(self.player_id, board)
"""
}

FOLDERS = {
    "packages whose modules are imported, with a board of rows and columns": PACKAGES,
    "the same with files that make them packages": PACKAGES
    | {"Heuristics/__init__.py": "", "Players/__init__.py": ""},
    "the same with parameters without a meaning": PACKAGES
    | {"Board.py": rows_board("m", "n", "m")},
    "the same with parameters that mean the other": PACKAGES
    | {"Board.py": rows_board("width", "height", "width")},
    "the same with the columns first": PACKAGES | {"Board.py": rows_board("cols", "rows", "rows")},
    "the same in one folder, with a file for each class": ONE_FOLDER,
    "packages called like course modules": LOWER_CASE,
    "a package of the course's name in camel case": NROW,
    "a package that imports itself": ONE_PACKAGE,
    "a board that takes the players": {"board.py": NUMPY_BOARD, "players.py": PLAYERS},
    "a board that makes new boards": {"board.py": IMMUTABLE_BOARD, "players.py": PLAYERS},
    "a board that knows whose turn it is": {"board.py": TURNS_BOARD, "players.py": PLAYERS},
    "a board of bits that insists on its width": {"board.py": HEIGHTS_BOARD, "players.py": PLAYERS},
    "a board of another name": GAME_BOARD,
    "a board of another homework": OWN_NEXT_MOVE,
    "a board whose parameters are turned": TURNED_PS9,
    "a board for its own use beside the course's": OWN_BITS,
}


@pytest.mark.parametrize("name", FOLDERS)
def test_what_a_submission_brings_is_what_it_plays_with(
    name: str, zygote: Zygote, hand_in: HandIn
) -> None:
    with BotPlayer(zygote, hand_in(FOLDERS[name]), Limits(nodes=None)) as player:
        assert player.sit(1, Ruleset(rows=5, columns=8), (0, 0, 7, 0, 7), 1) is None
        for seen, own in ((-1, 0), (7, 0)):
            answer = player.ask(seen)
            assert isinstance(answer, tuple) and answer[0] == own, answer
    files = {file: text.replace("(5, 8)", "(8, 8)") for file, text in FOLDERS[name].items()}
    with BotPlayer(zygote, hand_in(files), Limits(nodes=None)) as player:
        answer = first_move(player, 0, Ruleset(rows=8, columns=8), (7, 7))
        assert answer[0] in range(8), answer


@pytest.mark.parametrize(
    ("files", "seated"),
    [
        (
            PACKAGES,
            "plays with its own heuristic, Heuristics.SimpleHeuristic.SimpleHeuristic; "
            "sees its own board, Board.Board",
        ),
        (OWN_BITS, "plays with the course's heuristic, heuristics.SimpleHeuristic"),
        (OWN_NEXT_MOVE, "sees its own board, hw10pr2.Board"),
        (
            {"players.py": PLAYERS, "board.py": "class Board:\n    pass\n"},
            "plays with the course's heuristic, heuristics.SimpleHeuristic; sees the course's "
            "board, as its own board.Board has no method that drops a disc",
        ),
    ],
)
def test_it_is_said_what_it_plays_with(
    files: Mapping[str, str], seated: str, zygote: Zygote, hand_in: HandIn
) -> None:
    with BotPlayer(zygote, hand_in(files), Limits(nodes=None)) as player:
        assert player.sit(0, Ruleset(), (), 1) is None
        assert player.seated == seated


NO_MIDDLE = "assert self.heights[3] == 0; return True"


@pytest.mark.parametrize(
    ("board", "why"),
    [
        (
            HEIGHTS_BOARD.replace("verbose=False", "colour"),
            "board.Board wants an argument 'colour' that no contest gives it",
        ),
        ("SIZE = 7", "board has no class Board"),
        (
            "import nowhere\n" + HEIGHTS_BOARD,
            "board cannot be imported (ModuleNotFoundError: No module named 'nowhere')",
        ),
        (
            HEIGHTS_BOARD.replace("+= 1", "+= 2"),
            "board.Board does not hold the discs that are dropped on it, on 8 rows × 8 columns",
        ),
        (
            HEIGHTS_BOARD.replace("return True", NO_MIDDLE),
            "refuses a disc of this game (AssertionError)",
        ),
    ],
)
def test_a_board_that_cannot_be_played_on_is_the_courses_and_faults_say_so(
    board: str, why: str, zygote: Zygote, hand_in: HandIn
) -> None:
    players = PLAYERS.replace('assert type(board).__module__ == "board"', "board.heights")
    bot = hand_in({"board.py": board, "players.py": players})
    with BotPlayer(zygote, bot, Limits(nodes=None)) as player:
        assert player.sit(0, Ruleset(rows=8, columns=8), (2, 3), 1) is None
        fault = player.ask(-1)
    assert isinstance(fault, Fault) and fault.verdict is Verdict.ERROR
    assert fault.reason == (
        "raised AttributeError: 'Board' object has no attribute 'heights' (players.py, line 13); "
        f"it sees the course's board, as its own {why}"
    )
