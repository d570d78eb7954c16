"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena.contest import Contest, Settled

MOST_RETIRED = 10
"""Retired bots named below a table; the others are counted."""


def leaderboard_table(board: pd.DataFrame) -> Table:
    """The leaderboard as it is printed: what a class wants to see, the rest is in the CSV."""
    table = Table(header_style="bold")
    for title, justify in (
        ("#", "right"),
        ("bot", "left"),
        ("points", "right"),
        ("games", "right"),
        ("won", "right"),
        ("drawn", "right"),
        ("lost", "right"),
        ("by fault", "right"),
        ("grade", "right"),
        ("nodes/move", "right"),
        ("ms/move", "right"),
        ("slowest ms", "right"),
    ):
        table.add_column(title, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for row in board.itertuples(index=False):
        table.add_row(
            str(row.rank),
            Text(str(row.bot)),
            f"{row.points:g}",
            str(row.games),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            Text(str(row.forfeits), style="red" if row.forfeits else ""),
            _number(row.grade, "{:.0f}"),
            _number(row.mean_nodes, "{:,.0f}"),
            _number(row.mean_move_ms, "{:,.2f}"),
            _number(row.max_move_ms, "{:,.1f}"),
        )
    return table


def retired_lines(settled: Settled) -> Iterator[Text]:
    """Which bots were retired, and by what, to be printed below the leaderboard."""
    bots = list(settled.retired)
    for bot in bots[:MOST_RETIRED]:
        yield Text(f"{bot} {settled.sentence(bot)}", style="red")
    if more := len(bots[MOST_RETIRED:]):
        yield Text(f"… and {more} more; games.csv says of each game why it is a forfeit", "red")


def refused_lines(contest: Contest) -> Iterator[Text]:
    """Which bots do not take part, and why, to be printed below the leaderboard."""
    for bot, why in contest.refused.items():
        yield Text(f"{bot} does not take part: it {why}", style="yellow")


def crosstable_table(cross: pd.DataFrame) -> Table:
    """Points of each bot against each other, in the order of the ranking."""
    table = Table(header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("bot", no_wrap=True)
    for place in range(1, len(cross) + 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    for place, (bot, points) in enumerate(cross.iterrows(), 1):
        cells = (_number(value, "{:g}") for value in points)
        table.add_row(str(place), Text(str(bot)), *cells)
    return table


def _number(value: object, form: str) -> str:
    """A number in a cell, or nothing where there is none."""
    return "" if pd.isna(value) else form.format(value)  # type: ignore[call-overload]
