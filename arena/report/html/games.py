"""The games in a report: all in full, and a short list for each bot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import Any

from arena.game.verdict import Verdict
from arena.journal.rows import flat, unpacked
from arena.report.html.shell import Chunk
from arena.report.replay import ShownGame

CHUNK_GAMES = 500  # games in a chunk, by their numbers

# An Enum's `name` is slow, and a large contest needs millions of names.
VERDICT_NAMES = {verdict: verdict.name for verdict in Verdict}


# The places of bots in a report's list, by name.
BotPlaces = Mapping[str, int]


def game_chunks(games: Iterable[ShownGame], places: BotPlaces) -> Iterator[Chunk]:
    """Yield the chunks `games-0`, `games-1`, …; `games` must be ordered by number."""
    for chunk, part in groupby(games, key=lambda game: (game.number - 1) // CHUNK_GAMES):
        yield Chunk(f"games-{chunk}", full(list(part), places))


def bot_chunks(games: Iterable[ShownGame], places: BotPlaces) -> Iterator[Chunk]:
    """Yield for each bot, by place, the chunk `bot-PLACE`: a short list of its games."""
    rows: list[list[list[Any]]] = [[] for _ in places]
    for game in games:
        first, second = (places[name] for name in game.names)
        rows[first].append(_short(game, 0, second))
        rows[second].append(_short(game, 1, first))
    for place, own in enumerate(rows):
        yield Chunk(f"bot-{place}", own)


def full(games: Sequence[ShownGame], places: BotPlaces) -> list[dict[str, Any]]:
    """Return games in the form that the page's script reads; see `assets/data.js`."""
    # convert all games' numbers at once: a large contest has 40 million
    microseconds = (flat([game.record.charged_ns for game in games]) // 1000).tolist()
    ends = accumulate((len(game.record.nodes) for game in games), initial=0)
    return [
        _full(game, places, columns, microseconds[start:end], nodes)
        for game, columns, nodes, (start, end) in zip(
            games,
            unpacked([game.record.columns for game in games]),
            unpacked([game.record.nodes for game in games]),
            pairwise(ends),
            strict=True,
        )
    ]


def _full(
    game: ShownGame,
    places: BotPlaces,
    columns: list[int],
    microseconds: list[int],
    nodes: list[int],
) -> dict[str, Any]:
    record, analysis = game.record, game.analysis
    turn = analysis.wrong_turn(record) if analysis else None
    return {
        "n": game.number,
        "o": game.opening,
        "f": places[game.names[0]],
        "s": places[game.names[1]],
        "m": columns,
        "p": record.opening_plies,
        "w": record.winner,
        "v": VERDICT_NAMES[record.verdict] if game.is_over else None,
        "r": record.reason if game.is_over else "",
        "t": microseconds,
        "d": nodes,
        "out": record.output,
        "forfeit": game.forfeit and game.forfeit.reason,
        "x": None if analysis is None else [p.numbers for p in analysis.positions],
        "b": None if analysis is None else [move.ply for move in analysis.blunders(record)],
        "turn": None if turn is None else turn.ply,
    }


def _short(game: ShownGame, seat: int, opponent: int) -> list[Any]:
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
