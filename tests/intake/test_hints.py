"""One true sentence about a source without a bot, and a guess which files were meant as bots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.intake.hints import DOCUMENT, HOW_TO, looks_like_bot, no_bot
from arena.interfaces import INTERFACES, with_own
from arena.source.trees import parse

NEAR = {
    "def pickMove(rack): return 1": "its pickMove must be renamed to pick_move (bot.py, line 1)",
    "class A:\n def Pick_Move(self, rack): return 1": "its Pick_Move must be renamed to pick_move",
    "class AIPlayer:\n def get_alphabeta_move(self, board): return 1": (
        "its get_alphabeta_move must be renamed to get_alpha_beta_move (bot.py, line 2)"
    ),
    "class A:\n  def __init__(self):\n    def pick_move(self, rack): return 1": "its pick_move is "
    "inside the function __init__; check its indentation (bot.py, line 3)",
    "def make():\n  class A:\n    def pick_move(self, rack): return 1": "its A is inside the "
    "function make; check its indentation (bot.py, line 2)",
    "class A:\n  class B:\n    def pick_move(self, rack): return 1": "its B is inside the class A",
    "if 1:\n  class A:\n    def pick_move(self, rack): return 1": "its A is not at the top level",
    "if __name__ == '__main__':\n  def player(b): return 1": "its player is not at the top level",
    "from team import BestPlayer": "it imports BestPlayer from team, which is not among its files",
    "from agents.common import PlayerAction\nfrom agents.mine import generate_move": "it imports "
    "generate_move from agents.mine, which is not among its files (bot.py, line 2)",
    "def best_column(n, board): return 1": "it has best_column(n, board); an instructor can "
    "describe its interface (the documentation's page My course's bots have another interface): "
    "arena new mycourse.toml --interface-from bot.py",
    "class P:\n  def get_move(self, board): return 1": "it has get_move(board) of P; an instructor",
    "class P:\n  def get_move(self, board): return input()": "it has get_move(board) of P "
    "(asks a person); the documentation's page Interfaces",
    "def agent(board): pass": "it has agent(board) (not written yet); the documentation's page",
    "class Game:\n  def checkMove(self, column): return 1": "it has Game; the documentation's",
    "def winning_move(board, piece): return 1": "it has winning_move; the documentation's page",
    "x = 1": "it has no function or class; the documentation's page "
    "Interfaces lists the functions",
    "def player(board): return 1\ndef actions(board): pass\ndef result(board, a): pass": "it has a "
    "player beside actions and result, which says whose turn it is; ",
    # an interface that is nearly fitted
    "class P:\n  def make_move(self, state): return 1": "nearest is nus, make_move(state) of an "
    "AIAgent, but its class is P; an instructor",
    "class AIAgent:\n  def make_move(self, state, seconds): return 1": "nearest is nus, "
    "make_move(state) of an AIAgent, but its make_move takes (state, seconds); an instructor",
    "class AIPlayer:\n  def get_move(self, board): return 1": "nearest is ecs170a, "
    "get_alpha_beta_move(board) of an AIPlayer, but its AIPlayer has get_move(board); an instr",
    "class AlphaBetaAgent:\n  def go(self, brd): return 1": "nearest is wpi, go(brd) of an "
    "AlphaBetaAgent, but AlphaBetaAgent is no subclass of Agent; an instructor",
    "class A:\n  def act(self, s): return 1": "nearest is policy, act(s) of a Policy, but A is no "
    "subclass of Policy; an instructor",
    "class A:\n  def find_legal_move(self, timeout=None): return 1": "nearest is huji, "
    "find_legal_move() of an AI, but its class is A; an instructor",
    "def generate_move(board, player): return 1": "nearest is pcp, generate_move(board, player, "
    "saved_state), but its generate_move takes (board, player); an instructor",
    "def my_move(board, player, saved_state): return 1": "nearest is pcp, generate_move(board, "
    "player, saved_state), but it has my_move(board, player, saved_state); an instructor",
    "from connectfour import *\nquick_player = lambda board: minimax(board)": "nearest is mit-k, "
    "alphabeta_player(board), but it has quick_player(board); an instructor",
    "def player(board, depth): return 1": "nearest is player, player(board), but its player takes "
    "(board, depth); an instructor",
}  # fmt: skip


@pytest.mark.parametrize("source", NEAR)
def test_what_came_nearest_to_a_bot_is_named(source: str) -> None:
    said = no_bot({"bot.py": parse(source.encode(), "bot.py")}, INTERFACES, ["bot.py"])
    assert said.startswith(f"no bot in bot.py: {NEAR[source]}")


def test_the_pages_that_hints_name_have_these_titles() -> None:
    docs = Path(__file__).parents[2] / "docs"
    titles = {page.read_text().partition("\n")[0] for page in docs.glob("*/*.md")}
    named = (DOCUMENT, HOW_TO, "the documentation's page The description of an interface")
    pages = [said.removeprefix("the documentation's page ").split(" lists")[0] for said in named]
    assert titles >= {f"# {page}" for page in pages}


def test_an_interface_that_the_contest_names_is_the_only_one_compared() -> None:
    own = {"mine": json.dumps({"entry": {"class": "Kid", "method": "brain"}})}
    wanted = {"mine": with_own(own)["mine"]}
    source = b"class Kid:\n  def brain(self, board, turn): return 1\ndef pickMove(rack): return 1"
    said = no_bot({"bot.py": parse(source, "bot.py")}, wanted, ["bot.py"])
    assert said.startswith(
        "no bot in bot.py for the interface mine, which the contest file names: its "
        "Kid.brain(self, board, turn) does not fit the keys parameters and arguments"
    )


def test_every_source_of_a_folder_is_searched_for_the_nearest() -> None:
    trees = {f"{n}.py": parse(b"def f(): pass\n" * n, "") for n in range(1, 4)}
    trees["2.py"] = parse(b"def pickmove(rack): return 1", "")
    said = no_bot(trees, INTERFACES, list(trees))
    assert said == (
        "no bot in its 3 Python files: its pickmove must be renamed to pick_move (2.py, line 1)"
    )


LIKE = (
    "class A:\n  def act(self):\n    def pick_move(self, x): return 1",
    "def pickMoove(x): return 1",  # three letters of four are right
    "def choose_column(board): pass",
    "class A:\n  def next_mov(self, x): return 1",
    "class AIPlayer:\n  def get_move(self, board): return 1",
    "class A:\n  def act(self, s): return 1",
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
    "def minimax(board, depth): return 1",  # beside bots that import it
)


@pytest.mark.parametrize("source", [*LIKE, *UNLIKE])
def test_a_file_that_was_meant_as_a_bot_looks_like_one(source: str) -> None:
    tree, files = parse(source.encode(), "a.py"), ["a.py", "bot.py"]
    assert looks_like_bot(tree, INTERFACES, files) is (source in LIKE)
