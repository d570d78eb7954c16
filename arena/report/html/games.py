"""The games in a report: all in full, and a short list for each bot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from arena.analysis.analysis import GameAnalysis
from arena.contest.settled import SettledGames
from arena.journal.packed import NOBODY, PackedGames, Vector
from arena.ranking.games import ARE_FAULTS, VERDICT_NAMES
from arena.report.facts import Facts
from arena.report.html.shell import Chunk
from arena.report.replay import ShownGame

CHUNK_GAMES = 500  # games in a chunk, by their numbers
LETTERS = np.array(["W", "L", "D", "-"], dtype=object)

# The places of bots in a report's list, by name.
BotPlaces = Mapping[str, int]


class ChunkGames(NamedTuple):
    """Games for chunks; the other fields have more about some games, by index."""

    settled: SettledGames
    analyses: Mapping[int, GameAnalysis]
    forfeits: Mapping[int, str]
    unfinished: Set[int]

    @classmethod
    def of_contest(cls, facts: Facts) -> ChunkGames:
        games = SettledGames.of(facts.settled.games)
        keys = games.table.digests[games.rows].astype("U").tolist() if facts.analyses else []
        forfeits = np.flatnonzero(games.is_forfeit).tolist()
        return cls(
            games,
            {
                index: facts.analyses[key]
                for index, key in enumerate(keys)
                if key in facts.analyses and not games.is_forfeit[index]
            },
            {index: games.table.reasons[games.rows[index]] for index in forfeits},
            frozenset(),
        )

    @classmethod
    def of(cls, shown: Iterable[ShownGame]) -> ChunkGames:
        games = list(shown)
        names = list(dict.fromkeys(name for game in games for name in game.names))
        number = {name: index for index, name in enumerate(names)}
        facts = np.array([(game.number, 0, game.opening) for game in games], np.int64)
        sides = np.array([number[name] for game in games for name in game.names], np.int64)
        return cls(
            SettledGames(
                (),
                (*facts.reshape(-1, 3).T, sides.reshape(-1, 2), np.zeros(len(games), np.bool_)),
                names,
                PackedGames.of(game.record for game in games),
                np.arange(len(games)),
            ),
            {index: game.analysis for index, game in enumerate(games) if game.analysis},
            {index: game.forfeit.reason for index, game in enumerate(games) if game.forfeit},
            {index for index, game in enumerate(games) if not game.is_over},
        )

    def sides(self, places: BotPlaces) -> Vector:
        found = np.array([places[name] for name in self.settled.names], np.int64)
        return found[self.settled.sides]

    def turn(self, index: int) -> int | None:
        if index not in self.analyses:
            return None
        turn = self.analyses[index].wrong_turn(self.settled.table.at(self.settled.rows[index]))
        return None if turn is None else turn.ply


def game_chunks(games: ChunkGames | Iterable[ShownGame], places: BotPlaces) -> Iterator[Chunk]:
    """Yield the chunks `games-0`, `games-1`, …; `games` must be ordered by number."""
    games = games if isinstance(games, ChunkGames) else ChunkGames.of(games)
    sides = games.sides(places)
    chunks = (games.settled.numbers - 1) // CHUNK_GAMES
    numbers, starts = np.unique(chunks, return_index=True)
    parts = np.split(np.arange(len(chunks)), starts[1:])
    for number, some in zip(numbers.tolist(), parts, strict=False):  # no games: one part
        yield Chunk(f"games-{number}", _full(games, sides, some))


def _full(games: ChunkGames, sides: Vector, some: Vector) -> list[dict[str, Any]]:
    """Return games in the form that the page's script reads; see `assets/data.js`."""
    settled, table = games.settled, games.settled.table
    rows = settled.rows[some]
    columns = {
        "n": settled.numbers[some].tolist(),
        "o": settled.openings[some].tolist(),
        "f": sides[some, 0].tolist(),
        "s": sides[some, 1].tolist(),
        "m": table.columns.lists(rows),
        "p": table.opening_plies[rows].tolist(),
        "w": [None if seat == NOBODY else seat for seat in table.winners[rows].tolist()],
        "v": VERDICT_NAMES[table.verdicts[rows]].tolist(),
        "r": table.reasons[rows].tolist(),
        "t": table.charged_ns.lists(rows, divisor=1000),
        "d": table.nodes.lists(rows),
        "out": table.outputs[rows].tolist(),
        **dict.fromkeys(("forfeit", "x", "b", "turn"), [None] * len(some)),
    }
    found = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for game, index in zip(found, some.tolist(), strict=True):
        if index in games.forfeits:
            game["forfeit"] = games.forfeits[index]
        if index in games.unfinished:
            game |= {"v": None, "r": ""}
        if analysis := games.analyses.get(index):
            record = table.at(settled.rows[index])
            game["x"] = [position.numbers for position in analysis.positions]
            game["b"] = [move.ply for move in analysis.blunders(record)]
            game["turn"] = games.turn(index)
    return found


def bot_chunks(games: ChunkGames | Iterable[ShownGame], places: BotPlaces) -> Iterator[Chunk]:
    """Yield for each bot, by place, the chunk `bot-PLACE`: a short list of its games."""
    games = games if isinstance(games, ChunkGames) else ChunkGames.of(games)
    sides = games.sides(places)
    order = np.argsort(sides.ravel(), kind="stable")  # two for each game, by bot
    starts = np.searchsorted(sides.ravel()[order], np.arange(len(places) + 1)).tolist()
    for place, start in enumerate(starts[:-1]):
        own = order[start : starts[place + 1]]
        yield Chunk(f"bot-{place}", _short(games, sides, own // 2, own % 2))


def _short(games: ChunkGames, sides: Vector, some: Vector, seats: Vector) -> list[list[Any]]:
    settled, table = games.settled, games.settled.table
    rows = settled.rows[some]
    verdicts, winners = table.verdicts[rows], table.winners[rows]
    results = LETTERS[np.where(winners == NOBODY, 2 + ARE_FAULTS[verdicts], winners != seats)]
    turns: list[int | None] = [None] * len(some)
    for place in np.flatnonzero(results == "L").tolist() if games.analyses else ():
        turns[place] = games.turn(int(some[place]))
    columns = zip(
        settled.numbers[some].tolist(),
        sides[some, 1 - seats].tolist(),
        seats.tolist(),
        results.tolist(),
        VERDICT_NAMES[verdicts].tolist(),
        table.columns.sizes(rows).tolist(),
        settled.openings[some].tolist(),
        turns,
        strict=True,
    )
    return [list(row) for row in columns]
