"""A list of games on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from arena.quoting import MAX_SENTENCE
from arena.report.fitting import fitted, padded
from arena.report.shown import ShownGame
from arena.rules import MARKS

NAMES = (*MARKS, "winner")
"""The columns with names of bots, which get shorter where there is little room."""

LEFT = (*NAMES, "verdict", "reason")
"""The columns with text, which begins at their left end."""

DROPPED = ("plies", "opening", "reason", "verdict")
"""The columns that a narrow screen goes without, in this order."""

NAME, REASON = 24, 20
"""Cells of a name at most, and of a reason at least, if it is that long."""

GAP = "  "


def games_table(games: Sequence[ShownGame], width: int) -> Text:
    """Return a title and a line for each of some games, for a screen `width` columns wide."""
    rows = [_cells(game) for game in games]
    titles = {title: title for title in rows[0]}
    sizes = {title: max(cell_len(row[title]) for row in [titles, *rows]) for title in titles}
    reason = sizes["reason"]
    sizes["reason"] = min(reason, REASON)
    for title in DROPPED:
        if _width(sizes) > width:
            del sizes[title]
    while _width(sizes) > width and (longest := max(sizes[title] for title in NAMES)) > 1:
        sizes[next(title for title in NAMES if sizes[title] == longest)] -= 1
    if "reason" in sizes:
        sizes["reason"] = min(reason, sizes["reason"] + width - _width(sizes))
    lines = [Text(_line(titles, sizes), "bold")]
    for game, row in zip(games, rows, strict=True):
        lines.append(Text(_line(row, sizes), "red" if game.result.verdict.is_fault else ""))
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


def _cells(game: ShownGame) -> dict[str, str]:
    """Return the cells of a game's line, by the titles of the columns."""
    record = game.result
    names = (fitted(name, NAME) for name in game.names)
    nobody = "draw" if record.is_game else "no game"
    return {
        "game": f"{game.number}",
        "opening": f"{game.opening}",
        **dict(zip(MARKS, names, strict=True)),
        "winner": fitted(winner_of(game) or nobody, NAME),
        "plies": f"{len(record.columns)}",
        "verdict": f"{record.verdict.name}{' (forfeit)' if game.forfeit else ''}",
        "reason": fitted(record.reason, MAX_SENTENCE),
    }


def _width(sizes: Mapping[str, int]) -> int:
    """Return how wide a line is."""
    return sum(sizes.values()) + len(GAP) * (len(sizes) - 1)


def _line(cells: Mapping[str, str], sizes: Mapping[str, int]) -> str:
    """Return a line of the cells for which there is room."""
    fields = (padded(cells[title], sizes[title], right=title not in LEFT) for title in sizes)
    return GAP.join(fields).rstrip()


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
