"""Nodes of real bots in code that their files do not show, or outside their turn."""

from __future__ import annotations

import pytest

from arena.game.limits import Limits
from arena.game.player import Fault
from arena.rules import Ruleset
from support.bots import MakePlayer, first_fault

SEARCH = """
def search(depth):
    return depth and search(depth - 1) + search(depth - 1)
"""
NODES = 2**11 - 1  # Calls of `search(10)`.


def nodes_of(make_player: MakePlayer, source: str) -> list[int]:
    player = make_player(source, limits=Limits(nodes=None))
    assert player.sit(0, Ruleset(), (), 1) is None
    answers = [player.ask(-1) for _ in range(3)]
    assert not any(isinstance(answer, Fault) for answer in answers), answers
    return [answer[2] for answer in answers if not isinstance(answer, Fault)]


@pytest.mark.parametrize(
    "move",
    [
        "exec(open(__file__).read().partition('def pick_move')[0], own); own['search'](10)",
        "exec(compile(ast.parse(inspect.getsource(search)), 'x', 'exec'), own); own['search'](10)",
        "importlib.reload(sys.modules[__name__]).search(10)",
        "exec('def look(d): return d and look(d - 1) + look(d - 1)', own); own['look'](10)",
    ],
)
def test_code_that_a_bot_makes_in_its_move_is_counted(make_player: MakePlayer, move: str) -> None:
    source = f"import ast, importlib, inspect, sys\nown = {{}}\n{SEARCH}\n"
    source += f"def pick_move(rack):\n    {move}\n    return 0\n"
    assert nodes_of(make_player, source) == [NODES] * 3


def test_a_budget_holds_for_code_that_a_bot_makes(make_player: MakePlayer) -> None:
    source = f"own = {{}}\nexec({SEARCH!r}, own)\ndef pick_move(rack): return own['search'](10)"
    player = make_player(source, limits=Limits(nodes=100))
    answer = first_fault(player)
    assert answer.verdict.name == "NODES"


def test_exec_and_compile_do_what_they_do_elsewhere(make_player: MakePlayer) -> None:
    source = """
    from __future__ import annotations
    import ast
    from collections import namedtuple
    from dataclasses import dataclass
    @dataclass
    class Point:
        x: int
    kept = 1
    def here():
        inner = 2
        exec("found.append(kept + inner)")
    found = []
    exec("kept = 5")
    exec("def typed(x: nobody): pass")
    here()
    tree = ast.parse("def f(n): return n and f(n - 1) + f(n - 1)")
    before = ast.dump(tree)
    compile(tree, "x", "exec")
    def pick_move(rack):
        assert found == [7] and Point(1).x == 1 and namedtuple("Pair", "a b")(1, 2).b == 2
        assert ast.dump(tree) == before
        assert compile("def f(): pass", "x", "exec", ast.PyCF_ONLY_AST).body[0].name == "f"
        try:
            exec("def f(:")
        except SyntaxError as error:
            assert error.filename == "<string>"
            return 0
    """
    assert nodes_of(make_player, source) == [0, 0, 0]


@pytest.mark.parametrize(
    "answer",
    [
        "class Answer:\n    def __index__(self): return search(10) and 0",
        "class Answer(int):\n    def __del__(self): search(10)",
    ],
)
def test_what_an_answer_searches_when_it_is_read_is_counted(
    make_player: MakePlayer, answer: str
) -> None:
    source = f"{SEARCH}{answer}\ndef pick_move(rack): return Answer()"
    assert nodes_of(make_player, source) == [NODES] * 3


def test_what_is_searched_after_an_answer_counts_for_the_next(make_player: MakePlayer) -> None:
    source = f"""{SEARCH}
kept = []
class Late:
    def __del__(self): search(10)
def pick_move(rack):
    kept[:] = [Late()]
    search(1)
    return 0
"""
    assert nodes_of(make_player, source) == [3, 3 + NODES, 3 + NODES]


def test_loading_is_not_counted(make_player: MakePlayer) -> None:
    source = f"{SEARCH}\nsearch(10)\ndef pick_move(rack): return search(0)"
    assert nodes_of(make_player, source) == [1, 1, 1]
