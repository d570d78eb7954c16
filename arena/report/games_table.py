"""A list of games on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from arena.report.fitting import fitted
from arena.report.shown import ShownGame
from arena.rules import MARKS

NAME = 24
"""Cells of a bot's name at most."""


def games_table(games: Sequence[ShownGame]) -> Table:
    """Return a table with a line for each game."""
    table = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for title in ("game", "opening", f"{MARKS[0]}", f"{MARKS[1]}", "winner", "plies", "verdict"):
        is_number = title in ("game", "opening", "plies")
        table.add_column(title, justify="right" if is_number else "left", no_wrap=True)
    table.add_column("reason", no_wrap=True, ratio=1)
    for game in games:
        record = game.result
        verdict = f"{record.verdict.name}{' (forfeit)' if game.forfeit else ''}"
        cells = [
            f"{game.number}",
            f"{game.opening}",
            *(fitted(name, NAME) for name in game.names),
            fitted(winner_of(game) or ("draw" if record.is_game else "no game"), NAME),
            f"{len(record.columns)}",
            verdict,
            fitted(record.reason, 200),
        ]
        style = "red" if record.verdict.is_fault else ""
        table.add_row(*map(Text, cells), style=style)
    return table


def winner_of(game: ShownGame) -> str | None:
    """Return the name of the winner; None for a draw, and for no game."""
    winner = game.result.winner
    return None if winner is None else game.names[winner]


def as_plain(game: ShownGame) -> dict[str, Any]:
    """Return a game of the list as plain data, for JSON."""
    record = game.result
    return {
        "game": game.number,
        "opening": game.opening,
        "first": game.names[0],
        "second": game.names[1],
        "winner": winner_of(game),
        "verdict": record.verdict.name,
        "reason": record.reason,
        "plies": len(record.columns),
        "forfeit": game.forfeit is not None,
        "key": record.key,
    }
