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


ADDS = "def minMax(d):\n    global n\n    {}\n    minMax(d)\ndef player(board): return minMax(3)\n"
CALLS = """
def count():
    global n
    n += 1
def minMax(d):
    count()
    return d and minMax(d - 1)
def player(board): return minMax(3)
"""
OUTSIDE = """
turn = 0
def minMax(d): return d and minMax(d - 1)
def player(board):
    global turn
    turn += 1
    return minMax(turn)
"""
RESETS = "def fresh():\n    global countNodes\n    countNodes = 0\n"
MOVE = "return minMax(board, {depth})"
COUNTED, N = {"countNodes": 0}, {"n": 0}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (SEARCH, COUNTED),
        (f"countNodes = 3\ncountNodes = 0\n{SEARCH}", COUNTED),
        (f"countNodes = 3\ncountNodes = 7\n{SEARCH}", {"countNodes": 7}),
        *((f"countNodes = {start}\n{SEARCH}", None) for start in ("[]", "''", "0.0", "time()")),
        (f"countNodes = True\n{SEARCH}", None),
        (SEARCH.replace("    global countNodes\n", ""), None),
        (ADDS.format("n = n + 1"), N),
        (ADDS.format("n = 1 + n"), N),
        (ADDS.format("n += 1; n = 0"), None),
        (ADDS.format("n = n + 1 if n else 0"), None),
        (ADDS.format("n -= 1"), None),
        (ADDS.format("n += 1\n    for n in range(3): pass"), None),
        (ADDS.format("pass"), None),
        (CALLS, N),
        (RESETS + SEARCH, COUNTED),  # only the course's driver calls it
        (RESETS + SEARCH.replace(MOVE, "fresh(); return minMax(board, 1)"), None),
        (OUTSIDE, None),
    ],
)
def test_a_counter_is_a_whole_number_to_which_only_the_search_adds(
    source: str, found: dict[str, int] | None
) -> None:
    assert counters(bot=source) == ({"bot": found} if found else {})


def test_a_counter_is_put_back_in_the_module_where_it_lives() -> None:
    bot = """
        from search import *
        class Bot:
            def pick_move(self, rack):
                return minMax(rack, 3)
    """
    assert counters("Bot", bot=bot, search=SEARCH) == {"search": COUNTED}


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
