"""Games for a report: in full, and as each bot's list of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from arena.contest import GameAnalysis
from arena.referee import GameRecord
from arena.report.html.chunks import Chunk

CHUNK_GAMES = 500
"""Games in a chunk: those numbered 1 to so many are in the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGame:
    """A game as a report shows it."""

    number: int
    """Its number, from 1."""

    opening: int
    """The number of its opening, from 1."""

    first: int
    """The index, in the report's list of bots, of the one that moves first from the empty board."""

    second: int
    """The index of the other."""

    record: GameRecord
    """What was played."""

    forfeit: str | None = None
    """Why it counts as a forfeit, whatever was played; None if it does not."""

    analysis: GameAnalysis | None = None
    """What its moves were worth, if that is known."""


def game_chunks(games: Iterable[PlayedGame]) -> Iterator[Chunk]:
    """Yield the chunks `games-K` of games that come in the order of their numbers."""
    for place, part in groupby(games, key=lambda game: (game.number - 1) // CHUNK_GAMES):
        yield Chunk(f"games-{place}", [full(game) for game in part])


def bot_chunks(games: Iterable[PlayedGame], bots: int) -> Iterator[Chunk]:
    """Yield the chunks `bot-K`: a list of each bot's games, in order."""
    rows: list[list[list[Any]]] = [[] for _ in range(bots)]
    for game in games:
        for seat, (own, other) in enumerate(((game.first, game.second), (game.second, game.first))):
            rows[own].append(_short(game, seat, other))
    yield from (Chunk(f"bot-{index}", own) for index, own in enumerate(rows))


def full(game: PlayedGame) -> dict[str, Any]:
    """Return a game as the page's script reads it, see `assets/data.js`."""
    record, analysis = game.record, game.analysis
    turn = analysis.wrong_turn(record) if analysis else None
    return {
        "n": game.number,
        "o": game.opening,
        "f": game.first,
        "s": game.second,
        "m": list(record.columns),
        "p": record.opening_plies,
        "w": record.winner,
        "v": record.verdict.name,
        "r": record.reason,
        "t": [spent // 1000 for spent in record.charged_ns],
        "d": list(record.nodes),
        "out": record.output,
        "forfeit": game.forfeit,
        "x": None if analysis is None else [p.numbers for p in analysis.positions],
        "b": None if analysis is None else [move.ply for move in analysis.blunders(record)],
        "turn": None if turn is None else turn.ply,
    }


def _short(game: PlayedGame, seat: int, opponent: int) -> list[Any]:
    """Return a game as a row of a bot's list."""
    record = game.record
    result = "-"
    if record.is_game:
        result = "D" if record.winner is None else "WL"[record.winner != seat]
    turn = game.analysis.wrong_turn(record) if game.analysis and result == "L" else None
    return [
        game.number,
        opponent,
        seat,
        result,
        record.verdict.name,
        len(record.columns),
        game.opening,
        None if turn is None else turn.ply,
    ]
