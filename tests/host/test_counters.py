"""A bot's own counters: which they are, and their reset before every move."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from arena.game.player import Fault
from arena.host.meter import Counters, find_counters, find_search
from arena.rules import Ruleset
from support.bots import MakePlayer

SEARCH = """
def minMax(board, depth):
    global countNodes
    countNodes += 1
    if countNodes > 100:
        raise ValueError("over the limit")
    return 0 if depth == 0 else minMax(board, depth - 1)

def player(board):
    return minMax(board, {depth})
"""


def counters(entry: str = "player", **sources: str) -> dict[str, dict[str, int]]:
    trees = {name: ast.parse(dedent(source)) for name, source in sources.items()}
    search = find_search(trees, "bot", entry, ("pick_move",))
    return find_counters(trees, "bot", entry, ("pick_move",), search)


@pytest.mark.parametrize(
    ("start", "value"), [("", 0), ("countNodes = 0", 0), ("countNodes = 7", 7)]
)
def test_what_the_search_adds_to_is_a_counter_with_its_modules_value(
    start: str, value: int
) -> None:
    found = counters(bot=f"countNodes = 3\n{start}\n{SEARCH}" if start else SEARCH)
    assert found == {"bot": {"countNodes": value}}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("n = n + 1", {"bot": {"n": 0}}),
        ("n = 1 + n", {"bot": {"n": 0}}),
        ("n += 1; n = 0", {}),
        ("n = n + 1 if n else 0", {}),
        ("n -= 1", {}),
        ("n += 1\n    for n in range(3): pass", {}),
        ("pass", {}),
    ],
)
def test_only_adding_makes_a_counter(body: str, found: dict[str, dict[str, int]]) -> None:
    source = f"def minMax(d):\n    global n\n    {body}\n    minMax(d)\n"
    assert counters(bot=f"{source}\ndef player(board):\n    return minMax(3)\n") == found


def test_a_counter_in_a_function_that_the_search_calls_is_one_too() -> None:
    source = """
        def count():
            global n
            n += 1
        def minMax(d):
            count()
            return d and minMax(d - 1)
        def player(board):
            return minMax(3)
    """
    assert counters(bot=source) == {"bot": {"n": 0}}


def test_a_counter_that_a_move_sets_itself_is_left_alone() -> None:
    reset = "def fresh():\n    global countNodes\n    countNodes = 0\n"
    source = SEARCH.replace("return minMax(board, {depth})", "fresh(); return minMax(board, 1)")
    assert counters(bot=reset + source) == {}
    assert counters(bot=reset + SEARCH) == {"bot": {"countNodes": 0}}  # only the driver calls it


def test_what_is_counted_outside_the_search_is_the_bots_memory() -> None:
    source = """
        turn = 0
        def minMax(d):
            return d and minMax(d - 1)
        def player(board):
            global turn
            turn += 1
            return minMax(turn)
    """
    assert counters(bot=source) == {}


@pytest.mark.parametrize("start", ["[]", "''", "0.0", "time()", "True"])
def test_what_does_not_start_as_a_whole_number_is_no_counter(start: str) -> None:
    assert counters(bot=f"countNodes = {start}\n{SEARCH}") == {}


def test_a_local_of_the_same_name_is_no_counter() -> None:
    assert counters(bot=SEARCH.replace("    global countNodes\n", "")) == {}


def test_a_counter_is_put_back_in_the_module_where_it_lives() -> None:
    bot = """
        from search import *
        class Bot:
            def pick_move(self, rack):
                return minMax(rack, 3)
    """
    assert counters("Bot", bot=bot, search=SEARCH) == {"search": {"countNodes": 0}}


def test_a_bot_without_counters_keeps_its_adapter() -> None:
    class Adapter:
        def see(self, player: int, column: int) -> None: ...

        def pick(self) -> object:
            return 3

    adapter = Adapter()
    assert Counters({}).wrap(adapter) is adapter
    assert Counters({"bot": {"n": 0}}).wrap(adapter).pick() == 3


@pytest.mark.parametrize("start", ["", "countNodes = 0\n", "countNodes = 0\nminMax(None, 50)\n"])
def test_every_move_of_every_game_starts_from_the_same_count(
    start: str, make_player: MakePlayer
) -> None:
    before, _, after = start.partition("\n")
    bot = make_player(f"{before}\n{SEARCH.format(depth=60)}\n{after}")
    for _ in range(2):
        assert bot.sit(0, Ruleset(rows=8, columns=8), (), 1) is None
        answers = [bot.ask(-1), bot.ask(1), bot.ask(1)]
        assert not [answer for answer in answers if isinstance(answer, Fault)]
