"""Finding the search: calls are followed to the class of their object."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from arena.game.limits import Limits
from arena.host.meter import find_search
from support.bots import MakePlayer, first_move

OTHER = "def search(d): return d and search(d - 1)\n"


def search_of(source: str) -> tuple[set[str], bool]:
    trees = {"bot.py": ast.parse(dedent(source)), "other.py": ast.parse(OTHER)}
    entry = "Bot" if "class Bot" in source else "pick_move"
    found = find_search(trees, "bot.py", entry, ["pick_move"])
    return {name for _, name in found.functions}, found.sure


@pytest.mark.parametrize(
    "source",
    [
        """
        class Bot:
            def __init__(self, strategy): self.strategy = strategy
            def pick_move(self, rack): return self.strategy.pick_move(rack)
        """,
        """
        class Bot:
            def pick_move(self, rack, strategy=None): return strategy.pick_move(rack)
        """,
        """
        class Bot:
            def __init__(self, heuristic): self.heuristic = heuristic
            def get_eval_count(self): return self.heuristic.get_eval_count()
            def pick_move(self, rack): return self.get_eval_count()
        """,
        """
        class Heuristic:
            def value(self): return 1
        class Judge:
            def __init__(self, heuristic: "Heuristic | None"): self.heuristic = heuristic
            def value(self): return self.heuristic.value()
        class Bot:
            def __init__(self): self.judge = Judge(None)
            def pick_move(self, rack): return self.judge.value()
        """,
        """
        import torch.nn as nn
        class Net(nn.Module):
            def __init__(self):
                super(Net, self).__init__()
                self.layer = nn.Linear(1, 2)
            def forward(self, x): return self.layer.forward(x)
        def pick_move(rack): return Net().forward(rack)
        """,
        """
        class Base:
            def __init__(self): pass
            def pick_move(self, rack): return 0
        class Bot(Base):
            def __init__(self): super().__init__()
            def pick_move(self, rack): return super().pick_move(rack)
        """,
        """
        def pick_move(rack):
            if not hasattr(pick_move, "cache"):
                pick_move.cache = {}
            return 0
        """,
        """
        import copy
        class Game:
            def play(self, c): self.board.play(c)
            def copy(self): return copy.copy(self)
        def pick_move(rack):
            game = Game().copy()
            game.play(0)
            return 0
        """,
    ],
)
def test_another_function_of_the_same_name_is_no_recursion(source: str) -> None:
    assert search_of(source) == (set(), True)


@pytest.mark.parametrize(
    ("source", "search"),
    [
        (
            """
            class Node:
                def __init__(self, rack, depth):
                    self.children = [Node(rack, depth - 1) for _ in range(7)] if depth else []
            def pick_move(rack): return Node(rack, 4)
            """,
            {"Node.__init__"},
        ),
        (
            """
            class Node:
                def __init__(self, depth):
                    self.children = [self.child(depth - 1) for _ in range(7)] if depth else []
            class Mine(Node):
                def child(self, depth): return Theirs(depth)
            class Theirs(Node):
                def child(self, depth): return Mine(depth)
            def pick_move(rack): return Mine(4)
            """,
            {"Node.__init__", "Mine.child", "Theirs.child"},
        ),
        (
            """
            class Node:
                def __init__(self): self.children = {}
                def grow(self, c): self.children[c] = Node()
                def value(self, depth):
                    best = 0
                    for c, child in self.children.items():
                        best = max(best, child.value(depth - 1))
                    return best
            class Bot:
                def pick_move(self, rack): return self.root().value(4)
                def root(self): return Node()
            """,
            {"Node.value"},
        ),
        (
            """
            class Base:
                def pick_move(self, rack): return self.search(3)
                def search(self, d): return 0
            class Bot(Base):
                def search(self, d): return d and self.search(d - 1)
            """,
            {"Bot.search"},
        ),
        (
            """
            import other as engine
            def pick_move(rack):
                go = engine.search
                return go(3)
            """,
            {"search"},
        ),
        (
            """
            from other import *
            class Bot:
                def __init__(self): self.look = search
                def pick_move(self, rack): return max(range(7), key=lambda c: self.look(c))
            """,
            {"search"},
        ),
        (
            """
            class Bot:
                @classmethod
                def look(cls, d): return d and cls.look(d - 1)
                def pick_move(self, rack):
                    with pool() as workers: return workers.map(Bot.look, rack)
            """,
            {"Bot.look"},
        ),
        (
            """
            class Stack:
                def pop(self, n): return n and self.pop(n - 1)
            def search(d): return d and search(d - 1)
            def think(rack): return search(3)
            def pick_move(rack):
                rack.copy().pop(0)
                return think(rack)
            """,
            {"search"},
        ),
        (
            """
            class Bot:
                def __init__(self, strategy): self.strategy = strategy
                def pick_move(self, rack):
                    self.strategy.pick_move(rack)
                    return self.search(3)
                def search(self, d): return d and self.search(d - 1)
            """,
            {"Bot.search"},
        ),
    ],
)
def test_a_recursion_is_found_through_objects_and_modules(source: str, search: set[str]) -> None:
    assert search_of(source) == (search, True)


UNSURE = """
import json
class Rack:
    def value(self): return 0
class Node:
    def value(self, depth, children):
        return sum(child.value(depth - 1, []) for child in children) + 1
def pick_move(rack):
    for _ in range(50):
        Node().value(1, json.loads("[]"))
    return 0
"""


def test_what_is_not_sure_is_not_held_against_a_bot(make_player: MakePlayer) -> None:
    assert search_of(UNSURE) == ({"Node.value"}, False)
    player = make_player(UNSURE, limits=Limits(nodes=10))
    answer = first_move(player)
    assert answer[::2] == (0, -1)
    named = make_player(UNSURE + 'NODE_FUNCTION = "value"', limits=Limits(nodes=100))
    answer = first_move(named)
    assert answer[::2] == (0, 50)


def test_the_nearest_of_several_searches_is_the_first() -> None:
    for start in range(20):
        names = [f"f{(start + n) * 7 % 20:02}" for n in range(20)]
        searches = "".join(f"def {f}(d): return d and {f}(d - 1)\n" for f in names)
        choice = " if rack else ".join(names)
        moves = f"def pick_move(rack):\n    search = {choice}\n    return search(3)\n"
        assert search_of(searches + moves) == ({names[0]}, True)
