"""One true sentence about a source without a bot, and a guess which files were meant as bots."""

from __future__ import annotations

import pytest

from arena.intake.hints import looks_like_bot, no_bot
from arena.source.trees import parse

WANTED = ("pick_move", "next_move", "make_move", "player", "agent")

NEAR = {
    "def pickMove(rack): pass": "its pickMove must be renamed to pick_move (bot.py, line 1)",
    "class A:\n def Pick_Move(self, rack): pass": "its Pick_Move must be renamed to pick_move",
    "class A:\n  def __init__(self):\n    def pick_move(self, rack): pass": "its pick_move is "
    "inside the function __init__; check its indentation (bot.py, line 3)",
    "if __name__ == '__main__':\n  def player(b): pass": "its player is not at the top level",
    "pick_move = lambda rack: 0": "its pick_move is assigned, not defined with def",
    "from team import BestPlayer": "it imports BestPlayer from team, which is not among its files",
    "def best_column(n, board): pass": "it has the function best_column; docs/reference",
    "class P:\n  def get_move(self, board): pass": "it has the class P; docs/reference",
    "class P:\n  def make_move(self, state): return 1": "it has make_move(state) of P; docs",
    "def agent(board, player=1): return board[0]": "it has agent(board, player); docs",
    "class Game:\n  def makeMove(self, column): return 1": "it has the class Game; docs",
    "class P:\n  def nextMove(self, env, move): return 1": "it has the class P; docs",
    "def player(board, depth): return 1": "it has player(board, depth); docs/reference",
    "def player(board): return 1\ndef actions(board): pass\ndef result(board, a): pass": "it has a "
    "player beside actions and result, which says whose turn it is; docs/reference/interfaces.md",
}


@pytest.mark.parametrize("source", NEAR)
def test_what_came_nearest_to_a_bot_is_named(source: str) -> None:
    said = no_bot({"bot.py": parse(source.encode(), "bot.py")}, WANTED, ["bot.py"])
    assert said.startswith(
        "no bot in bot.py: no pick_move(rack), next_move(board), make_move(board), player(board) "
        f"or agent(observation, configuration) that picks a move; {NEAR[source]}"
    )


def test_every_source_of_a_folder_is_searched_for_the_nearest() -> None:
    trees = {f"{n}.py": parse(b"def f(): pass\n" * n, "") for n in range(1, 4)}
    trees["2.py"] = parse(b"def pickmove(rack): pass", "")
    said = no_bot(trees, WANTED[:1], list(trees))
    assert said.startswith("no bot in its 3 Python files: no pick_move(rack) that")
    assert said.endswith("; its pickmove must be renamed to pick_move (2.py, line 1)")


LIKE = (
    "def pick_move(x): pass",
    "def pickMoove(x): pass",  # three letters of four are right
    "def choose_column(board): pass",
    "class A:\n  def next_mov(self, x): pass",
    "player = best",
    "from team import Player",
)
UNLIKE = (
    "def choose_column(n): pass",
    "class A:\n  def playr(self, x): pass",
    "x = 1",
    "player = 1",
    "from bot import Player",
    "def board(x): pass",
    "def test_pick_mov(): pass",
    "def noRoomInColumn(move, board): pass",
    "def get_valid_moves(board): pass",
    "class Game:\n  def play(self, column): pass",
)


@pytest.mark.parametrize("source", [*LIKE, *UNLIKE])
def test_a_file_that_was_meant_as_a_bot_looks_like_one(source: str) -> None:
    tree, files = parse(source.encode(), "a.py"), ["a.py", "bot.py"]
    assert looks_like_bot(tree, WANTED, files) is (source in LIKE)
    if source in UNLIKE:
        start = "no bot in a.py: no pick_move(rack) or player(board) that picks a move; "
        said = no_bot({"a.py": tree}, ("pick_move", "player"), files)
        assert said.startswith((f"{start}it has the ", f"{start}docs/"))
