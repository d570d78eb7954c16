"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from arena.contest import Contest, Settled
from arena.contest.entries import without_budget
from arena.ranking import TIE_BREAKS
from arena.report.retired import retired_sentence

DROPPED = (
    *("slowest ms", "ms/move", "nodes/move", "blunders", "accuracy"),
    *("by fault", "drawn", "lost", "won", "games"),
)
"""Columns of the leaderboard that a narrow screen goes without, the least important first."""

NAME_WIDTH = 16
"""Characters of bots' names for which other columns give way; longer ones are folded."""

BETWEEN = 3
"""Characters between the contents of two columns."""

MOST_NAMED = 5
"""Bots named in a line that is not about them alone; the others are counted."""

MOST_RETIRED = 10
"""Retired bots named below a table; the others are counted."""


def leaderboard_table(board: pd.DataFrame, width: int) -> Table:
    """The leaderboard as it is printed: what a class wants to see, the rest is in the CSV.

    On a screen `width` columns wide without those of DROPPED for which there is no room.
    """
    rows = list(board.itertuples(index=False))
    cells: dict[str, list[str]] = {
        "#": [str(row.rank) for row in rows],
        "bot": [str(row.bot) for row in rows],
        "points": [f"{row.points:g}" for row in rows],
        "games": [str(row.games) for row in rows],
        "won": [str(row.wins) for row in rows],
        "drawn": [str(row.draws) for row in rows],
        "lost": [str(row.losses) for row in rows],
        "by fault": [str(row.forfeits) for row in rows],
        "grade": [_number(row.grade, "{:.0f}") for row in rows],
        "nodes/move": [_number(row.mean_nodes, "{:,.0f}") for row in rows],
        "ms/move": [_number(row.mean_move_ms, "{:,.2f}") for row in rows],
        "slowest ms": [_number(row.max_move_ms, "{:,.1f}") for row in rows],
    }
    if "accuracy" in board:
        cells["accuracy"] = [_number(row.accuracy, "{:.1%}") for row in rows]
        cells["blunders"] = [_number(row.blunders, "{:,}") for row in rows]
    return fitted_table(cells, width, DROPPED)


def fitted_table(
    cells: Mapping[str, Sequence[str]], width: int, dropped: Iterable[str] = ()
) -> Table:
    """A table from its columns by title: long names in the one called `bot` are folded.

    On a screen `width` columns wide without those of `dropped` for which there is no room.
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


def tie_lines(board: pd.DataFrame) -> Iterator[Text]:
    """Yield a line, to be printed below the leaderboard, if bots with equal points have ranks."""
    if (board.groupby(["points", "games"])["rank"].nunique() > 1).any():
        by = ", then ".join(each.short for each in TIE_BREAKS.values())
        yield Text(f"equal points: ranked by {by}; see results/README.md", "dim")


def retired_lines(settled: Settled, board: pd.DataFrame) -> Iterator[Text]:
    """Which bots were retired, and by what, to be printed below the leaderboard."""
    bots = list(settled.retired)
    for bot in bots[:MOST_RETIRED]:
        yield Text(f"{bot} {retired_sentence(bot, settled, board)}", style="red")
    if more := len(bots[MOST_RETIRED:]):
        yield Text(f"… and {more} more; games.csv says of each game why it is a forfeit", "red")


def budget_lines(contest: Contest) -> Iterator[Text]:
    """For which bots no node budget holds, to be printed below the leaderboard if there are any."""
    if bots := without_budget(contest):
        more = f" and {len(bots) - MOST_NAMED} more" if len(bots) > MOST_NAMED else ""
        yield Text(
            f"no node budget holds for {', '.join(bots[:MOST_NAMED])}{more}: courses of their kind "
            "have none, and `nodes` is not set for this contest",
            "dim",
        )


def refused_lines(contest: Contest) -> Iterator[Text]:
    """Which bots do not take part, and why, to be printed below the leaderboard."""
    for bot, why in contest.refused.items():
        yield Text(f"{bot} does not take part: it {why}", style="yellow")


def _number(value: object, form: str) -> str:
    """A number in a cell, or nothing where there is none."""
    return "" if pd.isna(value) else form.format(value)  # type: ignore[call-overload]
