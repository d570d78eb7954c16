"""Finding the search function, and counting its calls."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

import pytest

from arena.common.errors import NoSuchFunctionError, OverBudgetError
from arena.host.meter import Meter, Search, find_search, instrument


def search_of(source: str, entry: str = "pick_move", named: str | None = None) -> set[str]:
    trees = {"bot.py": ast.parse(dedent(source))}
    found = find_search(trees, "bot.py", entry, ["pick_move"], named)
    return {name for _, name in found.functions}


def metered(source: str, entry: str = "pick_move") -> tuple[dict[str, Any], Meter]:
    tree = ast.parse(dedent(source))
    search = find_search({"bot.py": tree}, "bot.py", entry, ["pick_move"])
    instrument(tree, search.steps("bot.py"))
    meter = Meter(search)
    namespace: dict[str, Any] = {}
    meter.new_game(None, 7)
    exec(compile(tree, "bot.py", "exec"), namespace)
    return namespace, meter


SEARCHES = {
    "the recursion nearest to the move": """
def flood(n): return n and flood(n - 1)
def evaluate(rack): return flood(3)
def search(rack, depth): return evaluate(rack) if depth == 0 else search(rack, depth - 1)
def pick_move(rack): return search(rack, 3)
""",
    "none without recursion": "def pick_move(rack): return 0",
    "two functions that call each other": """
def high(d): return max(low(d - 1) for _ in range(2))
def low(d): return min(high(d - 1) for _ in range(2))
def pick_move(rack): return high(3)
""",
    "a function, not the parameter that is called like the move": """
def search(board, pick_move, depth):
    return search(board, other(pick_move), depth - 1) if depth else evaluate(board, pick_move)
def evaluate(board, pick_move): return score(board, pick_move)
def score(board, who): return 0
def other(pick_move): return 3 - pick_move
def pick_move(board): return search(board, 2, 3)
""",
    "no list's own method": """
class Board:
    def copy(self): return Board([column.copy() for column in self.columns])
def search(board, depth): return depth and search(board.copy(), depth - 1)
def pick_move(rack): return Board(rack).copy() or search(rack, 2)
""",
    "a method with a name that lists have too": """
class Engine:
    def find(self, depth): return depth and self.find(depth - 1)
def pick_move(rack):
    engine = Engine()
    return engine.find(3)
""",
}
FOUND = {
    "none without recursion": set[str](),
    "two functions that call each other": {"high", "low"},
    "a method with a name that lists have too": {"Engine.find"},
}
LOCAL_VALUES = (
    "move = 3; return use(move) + search(d - 1)",
    "return [use(move) for move in range(3)] and search(d - 1)",
    "return search(d - 1) + max([1], key=lambda move: use(move))",
    "for move in range(3): use(move)\n    return search(d - 1)",
    "def inner(): return use(move)\n    move = 1; return search(d - 1) + inner()",
)
LOCAL_NAMES = (
    "def move(rack, search=search): return search(3)",
    "def move(rack):\n    global search; search = search; return search(3)",
    "def move(rack):\n    search = here.search; return search(3)",
    "def move(rack): return [search for search in ()] or search(3)",
)


@pytest.mark.parametrize("what", SEARCHES)
def test_the_search_is(what: str) -> None:
    assert search_of(SEARCHES[what]) == FOUND.get(what, {"search"})


@pytest.mark.parametrize("line", LOCAL_VALUES)
def test_a_local_value_is_not_the_function_of_its_name(line: str) -> None:
    source = f"def search(d):\n    {line}\ndef use(value): return value\n"
    assert search_of(f"{source}def move(board): return search(3)", "move") == {"search"}


@pytest.mark.parametrize("line", LOCAL_NAMES)
def test_a_local_name_for_a_function_is_that_function(line: str) -> None:
    assert search_of(f"def search(d): return d and search(d - 1)\n{line}", "move") == {"search"}


def test_methods_are_found_through_self_and_nested_functions_by_their_name() -> None:
    source = """
    class ComputerPlayer:
        def pick_move(self, rack):
            def visit(d):
                return d and visit(d - 1)
            return self.search(3) + visit(2)
        def search(self, d):
            return d and self.search(d - 1)
    """
    assert search_of(source, "ComputerPlayer") == {"ComputerPlayer.search"}
    nested = source.replace("self.search(3) + ", "")
    assert search_of(nested, "ComputerPlayer") == {"ComputerPlayer.pick_move.<locals>.visit"}


BESIDE = """
def search(d): return d and sum(search(d - 1) for _ in range(7))
def also(d): return d and also(d - 1) + also(d - 1)
def decoy(n): return n and decoy(n - 1)
"""
ANSWER = """
class Column:
    def __index__(self): return also(3)
"""


@pytest.mark.parametrize(
    ("lines", "counted"),
    [
        ("def pick_move(rack): return decoy(3) + search(5)", {"search"}),
        ("def pick_move(rack): return also(3) + search(5)", {"also", "search"}),
        (f"{ANSWER}def pick_move(rack): return search(5), Column()", {"also", "search"}),
        (f"{ANSWER}def pick_move(rack): return decoy(3)", {"also"}),
        ('NODE_FUNCTION = "decoy"\ndef pick_move(rack): return search(5)', {"decoy", "search"}),
        ("def first(d): return d and also(d) + first(d - 1) + first(d - 2)\n"
         "def pick_move(rack): return also(2) + first(5)", {"first"}),
    ],
)  # fmt: skip
def test_a_recursion_beside_the_search_hides_it_no_more(lines: str, counted: set[str]) -> None:
    assert search_of(f"{BESIDE}\n{lines}") == counted


@pytest.mark.parametrize(
    ("move", "nodes"),
    [("one(9)", 1023), ("one(9) + two(3)", 1023), ("one(9) + two(9)", 1023)]
    + [("one(9) + two(9) + three(9) + four(9)", 2046)],
)
def test_recursions_beside_each_other_count_as_the_largest_or_half_of_all(
    move: str, nodes: int
) -> None:
    names = ("one", "two", "three", "four")
    source = "\n".join(f"def {n}(d): return d and {n}(d - 1) + {n}(d - 1)" for n in names)
    unused = "; ".join(f"{name}(0)" for name in names)
    source += f"\ndef pick_move(rack):\n    if rack: {unused}\n    {move}"
    namespace, meter = metered(source)
    meter.new_move()
    namespace["pick_move"](())
    assert meter.end_move()[1] == nodes


@pytest.mark.parametrize(
    ("lines", "doubt"),
    [
        ("def pick_move(rack): return search(3)", ""),
        ("def pick_move(rack): return decoy(3)", "decoy calls itself at most once"),
        ("import ctypes\ndef pick_move(rack): return search(3)", "the bot uses ctypes"),
        ('exec("")\ndef pick_move(rack): return search(3)', "the bot uses exec"),
    ],
)
def test_doubts_about_the_search_are_explained(lines: str, doubt: str) -> None:
    tree = ast.parse(BESIDE + lines)
    found = find_search({"bot.py": tree}, "bot.py", "pick_move", ["pick_move"])
    assert found.counts
    assert found.doubt.startswith(doubt) and bool(found.doubt) == bool(doubt)


def test_the_contest_file_goes_before_the_bot_and_the_bot_before_the_call_graph() -> None:
    source = """
    NODE_FUNCTION = "count_me"
    def count_me(): pass
    def minimax(d): return d and minimax(d - 1)
    def pick_move(rack): return minimax(3) + count_me()
    """
    assert search_of(source) == {"count_me"}
    assert search_of(source, named="minimax") == {"minimax"}
    with pytest.raises(NoSuchFunctionError, match="'nothing'"):
        search_of(source, named="nothing")


def test_a_compiled_search_is_recognised_and_left_alone() -> None:
    source = """
    @numba.njit(cache=True)
    def minimax(d): return d and minimax(d - 1)
    def pick_move(rack): return minimax(3)
    """
    trees = {"bot.py": ast.parse(dedent(source))}
    found = find_search(trees, "bot.py", "pick_move", ["pick_move"])
    assert found.compiled == found.functions
    assert not Meter(found).counts


@pytest.mark.slow
def test_large_sources_are_looked_through_in_a_moment() -> None:
    book = f"def pick_move(rack): return {list(range(50_000))}[0]"
    assert search_of(book) == set()
    chain = "".join(f"def f{i}(n): return f{i + 1}(n)\n" for i in range(1100))
    ring = chain + "def f1100(n): return f0(n)\ndef pick_move(rack): return f7(1)"
    assert len(search_of(ring)) == 1101  # more than frames may be on the stack


TREE = '''
def minimax(depth):
    """A tree with three children a node."""
    if depth:
        for _ in range(3):
            minimax(depth - 1)
    return minimax.__doc__
def pick_move(rack): return minimax(4)
'''


def test_every_call_is_counted_and_docstrings_stay() -> None:
    namespace, meter = metered(TREE)
    for _ in range(2):
        meter.new_move()
        assert namespace["pick_move"](()) == "A tree with three children a node."
        assert meter.end_move()[1] == 1 + 3 + 9 + 27 + 81
    meter.new_game(500, 7)
    meter.new_move()
    namespace["pick_move"](())
    assert meter.end_move() == (0, 121)


OBEDIENT = """
LIMIT = 1000
calls = 0
def minimax(depth):
    global calls
    calls += 1
    if calls > LIMIT:
        return
    if depth:
        for _ in range(7):
            minimax(depth - 1)
def pick_move(rack):
    global calls
    calls = 0
    minimax(9)
"""


def test_a_search_that_obeys_its_budget_may_unwind() -> None:
    namespace, meter = metered(OBEDIENT)
    meter.new_game(1000, 7)
    meter.new_move()
    namespace["pick_move"](())
    depth, nodes = meter.end_move()
    assert nodes == namespace["calls"] > 1000
    assert nodes - 1000 <= 7 * depth


@pytest.mark.parametrize("limit", [1001, 1100, 5000])
def test_a_search_that_goes_on_above_its_budget_is_stopped(limit: int) -> None:
    source = OBEDIENT.replace("LIMIT = 1000", f"LIMIT = {limit + 70}")
    namespace, meter = metered(source)
    meter.new_game(1000, 7)
    meter.new_move()
    with pytest.raises(OverBudgetError):
        namespace["pick_move"](())
    depth, nodes = meter.end_move()
    assert nodes == 1000 + 7 * depth + 1


def test_a_bare_except_does_not_hide_the_nodes_above_the_budget() -> None:
    source = """
    def minimax(depth):
        try:
            for _ in range(7):
                minimax(depth + 1)
        except:
            pass
    def pick_move(rack): minimax(0)
    """
    namespace, meter = metered(source)
    meter.new_game(50, 7)
    meter.new_move()
    namespace["pick_move"](())
    depth, nodes = meter.end_move()
    assert nodes - 50 > 7 * depth


def test_a_bot_with_nothing_to_count_reports_minus_one() -> None:
    meter = Meter(Search())
    assert meter.end_move() == (0, -1)
