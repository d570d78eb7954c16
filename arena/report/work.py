"""Bots that compute more than their counted nodes explain, named to the instructor.

The meter sees no search that does not recurse, or that runs while the bot is loaded; the clock sees
it. Each bot is compared with the median of the other students' bots, but for programs, whose nodes
nobody can count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median

import pandas as pd
from rich.text import Text

from arena.contest.entries import without_budget
from arena.interfaces import is_program
from arena.numbers import counted
from arena.referee.pace import Pace
from arena.report.facts import Facts

UNUSUAL = 10
"""Multiple of the others' median from which a bot is named."""

LEAST_MS, LEAST_SHARE = 0.2, 0.02
"""Milliseconds a node, and share of the node budget that others would use in the time of a move,
below which no bot is named: so little work helps nobody."""

LOAD_SECONDS = 1.0
"""Charged seconds of loading below which no bot is named."""

MOST = 5
"""Bots that are named; the others are counted."""


def work_lines(facts: Facts, paces: Mapping[str, Pace]) -> Iterator[Text]:
    """Yield a line for each bot whose work does not fit its nodes, the most unusual first.

    `paces` has the bots that were tried before this run, whose loading was timed.
    """
    contest = facts.contest
    students = [
        name
        for name, bot in contest.playing.items()
        if not (bot.house or is_program(bot.entry_point.interface))
    ]
    loads = {name: paces[name].load for name in students if name in paces}
    found = list(_of_loading(loads))
    if contest.limits.nodes is not None:
        spent = facts.spent.loc[[bot for bot in students if bot in facts.spent.index]]
        unlimited = without_budget(contest)
        moves = _of_moves(spent, contest.limits.nodes)
        found += [(times, bot, work) for times, bot, work in moves if bot not in unlimited]
    found.sort(reverse=True)
    for _, bot, work in found[:MOST]:
        yield Text(f"{bot}: {work}", "yellow")
    if more := len(found[MOST:]):
        yield Text(f"… and {counted(more, 'more line')} about work that is not in nodes", "yellow")


def _of_moves(spent: pd.DataFrame, budget: int) -> Iterator[tuple[float, str, str]]:
    """Yield (how unusual, bot, its work) of bots whose nodes do not explain the time of a move.

    `spent` is a `spent_frame`.
    """
    nodes = spent["mean_nodes"].fillna(0.0)
    each = dict((spent["mean_move_ms"] / nodes)[nodes > 0])
    for bot, move in zip(map(str, spent.index), spent["mean_move_ms"], strict=True):
        usual = _usual(each, bot)
        a_node = move / max(nodes[bot], 1.0)
        if not usual or a_node < max(LEAST_MS, UNUSUAL * usual):
            continue
        others = move / usual
        if others < LEAST_SHARE * budget:
            continue
        work = (
            f"{move:,.3g} ms a move for {nodes[bot]:,.1f} nodes"
            if bot in each
            else f"{move:,.3g} ms a move, no node is counted"
        )
        yield (
            a_node / usual,
            bot,
            f"{work}; the others' median is {usual:,.2g} ms a node, or {others:,.0f} nodes in that "
            "time: it evaluates slowly, or searches what is not counted",
        )


def _of_loading(loads: Mapping[str, float]) -> Iterator[tuple[float, str, str]]:
    """Yield (how unusual, bot, its work) of bots that compute much while they are loaded."""
    for bot, load in loads.items():
        usual = _usual(loads, bot)
        if usual is not None and load >= max(LOAD_SECONDS, UNUSUAL * usual):
            yield (
                load / max(usual, 1e-3),
                bot,
                f"{load:,.1f} s to load, the others' median is {usual:,.2g} s: it imports or "
                "compiles, or searches where no node is counted",
            )


def _usual(values: Mapping[str, float], bot: str) -> float | None:
    """Return the median of the others' values; None if there are none."""
    others = [value for name, value in values.items() if name != bot]
    return median(others) if others else None
