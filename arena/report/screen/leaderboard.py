"""The leaderboard on a terminal.

To add a column, add an entry to COLUMNS. `arena.ranking.leaderboard` computes the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena.common.errors import InputError
from arena.common.names import hint_for
from arena.common.text import evenly
from arena.ranking.games import bot_tallies
from arena.ranking.grading import with_error
from arena.ranking.standings import contest_results, crosstable
from arena.report.facts import Facts
from arena.report.screen.fitting import fitted_table
from arena.scoring.grade_rules import GradeRule
from arena.scoring.tie_breaks import TieBreakName


class Column(NamedTuple):
    title: str
    names: tuple[str, ...]
    write: Callable[..., str]
    """Formats the values of these columns; if one is missing, the cell is empty instead."""

    dropped: int | None = None
    """Position, from 1, in the order in which a narrow screen leaves out columns; None if it never
    does."""

    legend: str = ""
    is_even: bool = False
    """True if the first values get equal numbers of decimals, and `write` gets them as text."""

    def cells(self, rows: Iterable[Sequence[Any]]) -> list[str]:
        known = [None if any(map(pd.isna, values)) else values for values in rows]
        filled = [values for values in known if values is not None]
        if self.is_even:
            firsts = evenly([values[0] for values in filled])
            filled = [(first, *values[1:]) for first, values in zip(firsts, filled, strict=True)]
        written = (self.write(*values) for values in filled)
        return ["" if values is None else next(written) for values in known]


def _column(title: str, name: str, form: str, dropped: int | None = None) -> Column:
    return Column(title, (name,), form.format, dropped)


GRADE = Column(
    "grade",
    ("grade", "grade_error"),
    with_error,
    legend="grade: ± with other openings",
    is_even=True,
)

# Each is printed if the leaderboard has its values; leaderboard.csv has further columns.
COLUMNS = (
    _column("#", "rank", "{}"),
    Column(
        "ranks",
        ("rank_low", "rank_high"),
        lambda low, high: f"{low}–{high}" if high > low else f"{low}",
        11,
        "ranks: from the best to the worst likely rank",
    ),
    _column("bot", "bot", "{}"),
    _column("points", "points", "{:g}"),
    _column("games", "games", "{}", 9),
    Column(
        "rating",
        ("rating", "rating_low", "rating_high"),
        lambda rating, low, high: f"{rating:.0f}" + f" ±{(high - low) / 2:.0f}" * (low < high),
        12,
        "rating: Elo points ± the 95 % interval, none for known ratings",
    ),
    _column("won", "wins", "{}", 8),
    _column("drawn", "draws", "{}", 6),
    _column("lost", "losses", "{}", 7),
    _column("by fault", "forfeits", "{}", 10),
    GRADE,
    *(
        Column(f"by {rule}", (f"grade_{rule}", f"grade_{rule}_error"), with_error, is_even=True)
        for rule in GradeRule
        if rule.rule
    ),
    _column("nodes/move", "mean_nodes", "{:,.0f}", 3),
    _column("ms/move", "mean_move_ms", "{:,.2f}", 2),
    _column("slowest ms", "max_move_ms", "{:,.1f}", 1),
    _column("accuracy", "accuracy", "{:.1%}", 5),
    _column("blunders", "blunders", "{:,}", 4),
)


def leaderboard_table(board: pd.DataFrame, width: int) -> Table:
    shown = [column for column in COLUMNS if all(name in board for name in column.names)]
    cells = {
        column.title: column.cells(zip(*(board[name] for name in column.names), strict=True))
        for column in shown
    }
    droppable = [column for column in shown if column.dropped is not None]
    dropped = sorted(droppable, key=lambda column: column.dropped or 0)
    return fitted_table(cells, width, [column.title for column in dropped])


def legend(table: Table) -> Text:
    titles = {column.header for column in table.columns}
    words = [column.legend for column in COLUMNS if column.legend and column.title in titles]
    return Text("; ".join(words), "dim")


def all_columns(facts: Facts) -> pd.DataFrame:
    ties = pd.DataFrame(
        {
            str(name): facts.standings[name.column]
            for name in TieBreakName
            if name not in facts.board
        }
    )
    tallies = tallies_of(facts).set_index("bot")
    return facts.listed.join(ties, on="bot").join(tallies, on="bot")


def chosen_columns(facts: Facts, names: Sequence[str]) -> pd.DataFrame:
    """Return these columns of the leaderboard. Raises InputError for an unknown name."""
    board = all_columns(facts)
    for name in names:
        if name not in board:
            hint = hint_for(name, board.columns, f"columns: {', '.join(board.columns)}")
            raise InputError(f"--columns {name}: there is no such column; {hint}")
    return board[list(dict.fromkeys(names))]


def chosen_table(board: pd.DataFrame, width: int) -> tuple[Table, list[str]]:
    table = fitted_table(cells_of(board), width, list(board.columns)[:0:-1])
    shown = [column.header for column in table.columns]
    return table, [name for name in board.columns if name not in shown]


def crosstable_of(facts: Facts) -> pd.DataFrame:
    bots = list(map(str, facts.board["bot"]))
    return crosstable(contest_results(facts.games, facts.contest), bots)


def tallies_of(facts: Facts) -> pd.DataFrame:
    return bot_tallies(facts.games, list(facts.board["bot"]))


def no_room_line(left_out: Sequence[str]) -> Text:
    return Text(
        f"no room for {', '.join(left_out)}; a wider terminal or --json shows them", "yellow"
    )


def cells_of(columns: pd.DataFrame) -> dict[str, list[str]]:
    cells = {}
    for name, values in columns.items():
        is_even = values.infer_objects().dtype.kind == "f"
        column = Column(str(name), (str(name),), str, is_even=is_even)
        cells[column.title] = column.cells((value,) for value in values)
    return cells
