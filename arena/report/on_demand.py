"""Tables that are printed when they are asked for: chosen columns, the crosstable, tallies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
from rich.box import SIMPLE
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from arena.errors import InputError
from arena.naming import hint_for
from arena.ranking import (
    FAULTS,
    bot_tallies,
    contest_results,
    crosstable,
    opening_tallies,
)
from arena.report.facts import Facts
from arena.report.tables import NAME_WIDTH, fitted_table
from arena.scoring import TieBreakName


def all_columns(facts: Facts) -> pd.DataFrame:
    """Return the leaderboard with every column there is: the tie-breaks and tallies, too."""
    ties = pd.DataFrame(
        {
            str(name): facts.standings[name.column]
            for name in TieBreakName
            if name not in facts.board
        }
    )
    tallies = bot_tallies(facts.games, list(facts.board["bot"])).set_index("bot")
    return facts.listed.join(ties, on="bot").join(tallies, on="bot")


def chosen_columns(facts: Facts, names: Sequence[str]) -> pd.DataFrame:
    """Return these columns of the leaderboard. Raises InputError for a name that none has."""
    board = all_columns(facts)
    for name in names:
        if name not in board:
            hint = hint_for(name, board.columns, f"columns: {', '.join(board.columns)}")
            raise InputError(f"--columns {name}: there is no such column; {hint}")
    return board[list(dict.fromkeys(names))]


def chosen_table(board: pd.DataFrame, width: int) -> tuple[Table, list[str]]:
    """Return chosen columns as a table, and the last of them if they find no room on the screen."""
    table = fitted_table(_cells(board), width, list(board.columns)[:0:-1])
    shown = [column.header for column in table.columns]
    return table, [name for name in board.columns if name not in shown]


def crosstable_tables(facts: Facts, width: int) -> Iterator[Table]:
    """Yield the crosstable, in as many parts as a screen `width` columns wide needs.

    Columns are called by the line of the table in which the bot stands.
    """
    bots = list(map(str, facts.board["bot"]))
    cross = crosstable(contest_results(facts.games, facts.contest), bots)
    lines = [str(line) for line in range(1, len(bots) + 1)]
    cross.columns = pd.Index(lines)
    cells = _cells(cross)
    names = min(NAME_WIDTH, max(map(cell_len, ["bot", *bots])))
    numbers = len(lines[-1])
    column = max(cell_len(text) for texts in (lines, *cells.values()) for text in texts)
    a_part = max(1, (width - numbers - names - 2) // (column + 1))
    for start in range(0, len(lines), a_part):
        part = lines[start : start + a_part]
        table = Table(box=SIMPLE, show_edge=False, padding=0, header_style="bold")
        table.add_column("", justify="right", width=numbers)
        table.add_column("bot", overflow="fold", width=names)
        for name in part:
            table.add_column(name, justify="right", width=column)
        for row, (line, bot) in enumerate(zip(lines, bots, strict=True)):
            table.add_row(line, Text(bot), *(cells[name][row] for name in part))
        yield table


def tally_tables(facts: Facts, width: int) -> Iterator[tuple[str, Table]]:
    """Yield the tallies with their titles: of bots, of faults if there are any, of openings."""
    tallies = bot_tallies(facts.games, list(facts.board["bot"]))
    bots = pd.DataFrame(
        {
            "bot": tallies["bot"],
            "won": tallies["board_wins"],
            "lost": tallies["board_losses"],
            "fault +": tallies["wins_by_fault"],
            "fault −": tallies["losses_by_fault"],
            "as first": _shares(tallies, "first"),
            "as second": _shares(tallies, "second"),
        }
    )
    yield (
        "On the board and by faults; share of points on either side",
        fitted_table(_cells(bots), width),
    )
    kinds = [name for name in FAULTS.values() if tallies[name].any()]
    if kinds:
        faulty = tallies[tallies["losses_by_fault"] > 0]
        yield (
            "Games lost by a fault, by its kind",
            fitted_table(_cells(faulty[["bot", *kinds]]), width, kinds[::-1]),
        )
    openings = opening_tallies(facts.games)
    yield (
        "Openings: the first player's share of points; pairs of games that the same side won",
        fitted_table(
            _cells(
                pd.DataFrame(
                    {
                        "opening": openings["opening"].replace("", "empty board"),
                        "games": openings["games"],
                        "by fault": openings["faults"],
                        "first won": openings["first_wins"],
                        "drawn": openings["draws"],
                        "second won": openings["second_wins"],
                        "first's share": openings["first_share"].map("{:.0%}".format),
                        "same side": [
                            f"{both} of {pairs}"
                            for both, pairs in zip(
                                openings["same_side"], openings["pairs"], strict=True
                            )
                        ],
                    }
                )
            ),
            width,
            ["games", "drawn", "second won", "first won"],
        ),
    )


def no_room_line(left_out: Sequence[str]) -> Text:
    """Return a line about chosen columns for which there was no room."""
    return Text(
        f"no room for {', '.join(left_out)}; a wider terminal or --json shows them", "yellow"
    )


def _shares(tallies: pd.DataFrame, side: str) -> pd.Series:
    """Return shares of points on a side as text; nothing without games."""
    games = tallies[f"{side}_games"]
    shares = tallies[f"{side}_points"] / games.where(games > 0)
    return shares.map(lambda share: "" if pd.isna(share) else f"{share:.0%}")


def _cells(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Write the values of a frame as they are shown."""
    return {str(name): [_cell(value) for value in frame[name]] for name in frame}


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value
    if pd.isna(value):  # type: ignore[call-overload]
        return ""
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value}"
