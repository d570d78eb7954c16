"""The games in a report: all in full, and a short list for each bot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Any, NamedTuple

from arena.analysis.analysis import GameAnalysis
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.journal.rows import flat, unpacked
from arena.report.html.shell import Chunk

CHUNK_GAMES = 500  # games in a chunk, by their numbers

# An Enum's `name` is slow, and a large contest needs millions of names.
VERDICT_NAMES = {verdict: verdict.name for verdict in Verdict}


class PlayedGame(NamedTuple):
    number: int

    opening: int
    """Number of the opening, from 1."""

    first: int
    """The bot that moves first from the empty board, as an index in the report's list of bots."""

    second: int
    """The other bot, likewise."""

    record: GameRecord

    forfeit: str | None = None
    """The reason if the game counts as a forfeit, even if it was played; else None."""

    analysis: GameAnalysis | None = None

    is_over: bool = True
    """False for an abandoned game, in whose record verdict and winner mean nothing."""


def game_chunks(games: Iterable[PlayedGame]) -> Iterator[Chunk]:
    """Yield the chunks `games-0`, `games-1`, …; `games` must be ordered by number."""
    for place, part in groupby(games, key=lambda game: (game.number - 1) // CHUNK_GAMES):
        yield Chunk(f"games-{place}", full(list(part)))


def bot_chunks(games: Iterable[PlayedGame], bots: int) -> Iterator[Chunk]:
    """Yield for each bot, by index, the chunk `bot-INDEX`: a short list of its games."""
    by_bot: list[list[PlayedGame]] = [[] for _ in range(bots)]
    for game in games:
        for index in {game.first, game.second}:
            by_bot[index].append(game)
    for index, own in enumerate(by_bot):
        rows = []
        for game in own:
            if game.first == index:
                rows.append(_short(game, 0, game.second))
            if game.second == index:
                rows.append(_short(game, 1, game.first))
        yield Chunk(f"bot-{index}", rows)


def full(games: Sequence[PlayedGame]) -> list[dict[str, Any]]:
    """Return games in the form that the page's script reads; see `assets/data.js`."""
    # convert all games' numbers at once: a large contest has 40 million
    microseconds = (flat([game.record.charged_ns for game in games]) // 1000).tolist()
    ends = accumulate((len(game.record.nodes) for game in games), initial=0)
    return [
        _full(game, columns, microseconds[start:end], nodes)
        for game, columns, nodes, (start, end) in zip(
            games,
            unpacked([game.record.columns for game in games]),
            unpacked([game.record.nodes for game in games]),
            pairwise(ends),
            strict=True,
        )
    ]


def _full(
    game: PlayedGame, columns: list[int], microseconds: list[int], nodes: list[int]
) -> dict[str, Any]:
    record, analysis = game.record, game.analysis
    turn = analysis.wrong_turn(record) if analysis else None
    return {
        "n": game.number,
        "o": game.opening,
        "f": game.first,
        "s": game.second,
        "m": columns,
        "p": record.opening_plies,
        "w": record.winner,
        "v": VERDICT_NAMES[record.verdict] if game.is_over else None,
        "r": record.reason if game.is_over else "",
        "t": microseconds,
        "d": nodes,
        "out": record.output,
        "forfeit": game.forfeit,
        "x": None if analysis is None else [p.numbers for p in analysis.positions],
        "b": None if analysis is None else [move.ply for move in analysis.blunders(record)],
        "turn": None if turn is None else turn.ply,
    }


def _short(game: PlayedGame, seat: int, opponent: int) -> list[Any]:
    record, turn = game.record, None
    if record.winner is not None:
        result = "W" if record.winner == seat else "L"
    else:
        result = "D" if record.is_game else "-"
    if game.analysis and result == "L":
        turn = game.analysis.wrong_turn(record)
    return [
        game.number,
        opponent,
        seat,
        result,
        VERDICT_NAMES[record.verdict],
        len(record.columns),
        game.opening,
        None if turn is None else turn.ply,
    ]
