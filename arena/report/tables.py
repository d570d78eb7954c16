"""The leaderboard on a terminal.

A further column is one more entry of COLUMNS; `arena.ranking.leaderboard` computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text


class Column(NamedTuple):
    """A column of the leaderboard as it is printed."""

    title: str
    """Its title."""

    name: str
    """The column of the leaderboard that it shows."""

    form: str
    """The format of a number in it; a missing number is shown as nothing."""

    dropped: int | None = None
    """Its place, from 1, among those that a narrow screen goes without; None: always there."""


COLUMNS = (
    Column("#", "rank", "{}"),
    Column("bot", "bot", "{}"),
    Column("points", "points", "{:g}"),
    Column("games", "games", "{}", 10),
    Column("won", "wins", "{}", 9),
    Column("drawn", "draws", "{}", 7),
    Column("lost", "losses", "{}", 8),
    Column("by fault", "forfeits", "{}", 6),
    Column("grade", "grade", "{:g}"),
    Column("nodes/move", "mean_nodes", "{:,.0f}", 3),
    Column("ms/move", "mean_move_ms", "{:,.2f}", 2),
    Column("slowest ms", "max_move_ms", "{:,.1f}", 1),
    Column("accuracy", "accuracy", "{:.1%}", 5),
    Column("blunders", "blunders", "{:,}", 4),
)
"""The columns that are printed, where the leaderboard has them; the rest is in leaderboard.csv."""

NAME_WIDTH = 16
"""Characters of bots' names for which other columns give way; longer ones are folded."""

BETWEEN = 3
"""Characters between the contents of two columns."""


def leaderboard_table(board: pd.DataFrame, width: int) -> Table:
    """Return the leaderboard as it is printed, on a screen `width` columns wide."""
    shown = [column for column in COLUMNS if column.name in board]
    cells = {
        column.title: [_number(value, column.form) for value in board[column.name]]
        for column in shown
    }
    droppable = [column for column in shown if column.dropped is not None]
    dropped = sorted(droppable, key=lambda column: column.dropped or 0)
    return fitted_table(cells, width, [column.title for column in dropped])


def fitted_table(
    cells: Mapping[str, Sequence[str]], width: int, dropped: Iterable[str] = ()
) -> Table:
    """Return a table from its columns by title, for a screen `width` columns wide.

    Columns of `dropped` for which there is no room are left out, in that order. Long names in the
    column `bot` are folded.
    """
    need = {title: max(map(cell_len, [title, *column])) for title, column in cells.items()}
    need["bot"] = min(need["bot"], NAME_WIDTH)
    for title in dropped:
        if title in need and sum(each + BETWEEN for each in need.values()) + 1 > width:
            del need[title]
    table = Table(header_style="bold")
    for title in need:
        if title == "bot":
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in zip(*(cells[title] for title in need), strict=True):
        named = zip(need, row, strict=True)
        table.add_row(*(Text(cell, _style(title, cell)) for title, cell in named))
    return table


def _style(title: str, cell: str) -> str:
    return "red" if title == "by fault" and cell != "0" else ""


def _number(value: object, form: str) -> str:
    """Write a number in a cell, or nothing where there is none."""
    return "" if pd.isna(value) else form.format(value)  # type: ignore[call-overload]
