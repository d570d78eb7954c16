"""The leaderboard on a terminal.

A further column is one more entry of COLUMNS; `arena.ranking.leaderboard` computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from arena.scoring import SURE


class Column(NamedTuple):
    """A column of the leaderboard as it is printed."""

    title: str
    """Its title."""

    names: tuple[str, ...]
    """The columns of the leaderboard that it shows."""

    write: Callable[..., str]
    """A function from their values to the text of a cell; where one is missing it is empty."""

    dropped: int | None = None
    """Its place, from 1, among those that a narrow screen goes without; None: always there."""

    legend: str = ""
    """Words below the table for who does not know it."""


def _rating(rating: float, low: float, high: float) -> str:
    """Write a rating with its interval."""
    return f"{rating:.0f} ±{(high - low) / 2:.0f}"


def _ranks(low: int, high: int) -> str:
    return f"{low}–{high}" if high > low else f"{low}"


def _column(title: str, name: str, form: str, dropped: int | None = None) -> Column:
    """Return a column that shows one of the leaderboard's, with the format of a number in it."""
    return Column(title, (name,), form.format, dropped)


COLUMNS = (
    _column("#", "rank", "{}"),
    Column(
        "ranks",
        ("rank_low", "rank_high"),
        _ranks,
        11,
        "ranks: from the best to the worst that a bot may have in truth",
    ),
    _column("bot", "bot", "{}"),
    _column("points", "points", "{:g}"),
    _column("games", "games", "{}", 9),
    Column(
        "rating",
        ("rating", "rating_low", "rating_high"),
        _rating,
        12,
        "rating: Elo points ± the 95 % interval",
    ),
    _column("won", "wins", "{}", 8),
    _column("drawn", "draws", "{}", 6),
    _column("lost", "losses", "{}", 7),
    _column("by fault", "forfeits", "{}", 10),
    _column("grade", "grade", "{:g}"),
    _column("nodes/move", "mean_nodes", "{:,.0f}", 3),
    _column("ms/move", "mean_move_ms", "{:,.2f}", 2),
    _column("slowest ms", "max_move_ms", "{:,.1f}", 1),
    _column("accuracy", "accuracy", "{:.1%}", 5),
    _column("blunders", "blunders", "{:,}", 4),
)
"""The columns that are printed, where the leaderboard has them; the rest is in leaderboard.csv."""

NAME_WIDTH = 16
"""Characters of bots' names for which other columns give way; longer ones are folded."""

LEFT = ("bot", "opening", "verdict")
"""Titles of columns with text, which begins at the left."""

BETWEEN = 3
"""Characters between the contents of two columns."""


def leaderboard_table(board: pd.DataFrame, width: int) -> Table:
    """Return the leaderboard as it is printed, on a screen `width` columns wide."""
    shown = [column for column in COLUMNS if all(name in board for name in column.names)]
    cells = {
        column.title: [
            "" if any(pd.isna(value) for value in values) else column.write(*values)
            for values in zip(*(board[name] for name in column.names), strict=True)
        ]
        for column in shown
    }
    if "grade" in cells and "grade_sure" in board:
        marks = ("?" if sure < SURE else "" for sure in board["grade_sure"])
        cells["grade"] = [cell + mark for cell, mark in zip(cells["grade"], marks, strict=True)]
    droppable = [column for column in shown if column.dropped is not None]
    dropped = sorted(droppable, key=lambda column: column.dropped or 0)
    return fitted_table(cells, width, [column.title for column in dropped])


def legend(table: Table) -> Text:
    """Return a line that explains those columns of a printed leaderboard that need it."""
    titles = {column.header for column in table.columns}
    words = [column.legend for column in COLUMNS if column.legend and column.title in titles]
    return Text("; ".join(words), "dim")


def fitted_table(
    cells: Mapping[str, Sequence[str]], width: int, dropped: Iterable[str] = ()
) -> Table:
    """Return a table from its columns by title, for a screen `width` columns wide.

    Columns of `dropped` for which there is no room are left out, in that order. Long names in the
    column `bot` are folded.
    """
    need = {title: max(map(cell_len, [title, *column])) for title, column in cells.items()}
    if "bot" in need:
        need["bot"] = min(need["bot"], NAME_WIDTH)
    for title in dropped:
        if title in need and sum(each + BETWEEN for each in need.values()) + 1 > width:
            del need[title]
    table = Table(header_style="bold")
    for title in need:
        if title in LEFT:
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in zip(*(cells[title] for title in need), strict=True):
        named = zip(need, row, strict=True)
        table.add_row(*(Text(cell, _style(title, cell)) for title, cell in named))
    return table


def _style(title: str, cell: str) -> str:
    return "red" if title == "by fault" and cell != "0" else ""
