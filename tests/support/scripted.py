"""Contests without bots: schedules and invented results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from itertools import combinations, count
from pathlib import Path
from typing import Any

from arena.contest.folder import ContestFolder
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.playing.driver import Batch
from arena.rules import Position, Ruleset
from arena.settings.contest import BotEntry, Contest, Schedule, ScheduledGame
from support.bots import key, record


def games_between(
    *pairs: tuple[str, str], files: dict[str, str] | None = None
) -> list[ScheduledGame]:
    """Return a game for each pair, numbered from 1.

    `files` names the bots with the same files.
    """
    met: Counter[frozenset[str]] = Counter()
    games = []
    for number, (first, second) in enumerate(pairs, 1):
        one, two = ((files or {}).get(name, name) for name in (first, second))
        met[frozenset((one, two, first, second))] += 1
        again = met[frozenset((one, two, first, second))]
        games.append(
            ScheduledGame(
                number=number,
                pairing=number,
                opening=again,
                first=first,
                second=second,
                key=key(Bot(content_hash=one, root=""), Bot(content_hash=two, root=""), seed=again),
            )
        )
    return games


def sample_order(games: Iterable[ScheduledGame]) -> list[ScheduledGame]:
    """Return the games in the order in which retirement counts them."""
    return sorted(games, key=lambda game: (game.key.digest, game.number))


def round_robin(
    names: Iterable[str], openings: Sequence[tuple[int, ...]]
) -> Iterator[ScheduledGame]:
    """Yield a game for each pairing, opening and side, numbered from 1."""
    bots, number = {name: Bot(content_hash=name, root="") for name in names}, count(1)
    for pairing, pair in enumerate(combinations(bots, 2), 1):
        for opening, columns in enumerate(openings, 1):
            for first, second in (pair, pair[::-1]):
                one, other = bots[first], bots[second]
                yield ScheduledGame(
                    number=next(number),
                    pairing=pairing,
                    opening=opening,
                    first=first,
                    second=second,
                    key=key(one, other, opening=columns),
                )


def contest_of(games: list[ScheduledGame], **schedule: Any) -> Contest:
    """Return a contest of the bots in these games, with settings of its schedule."""
    names = dict.fromkeys(name for game in games for name in (game.first, game.second))
    return Contest(
        bots={name: BotEntry() for name in names},
        schedule=Schedule(**{"retire_after": 0, **schedule}),
    )


def ended(
    key: GameKey, winner: int = 0, verdict: Verdict = Verdict.LINE, reason: str = "made a line"
) -> GameRecord:
    """Return a record of a game that ended at its opening."""
    return record(key, key.opening, verdict, winner, reason=reason)


def lost(game: ScheduledGame, loser: str | None, verdict: Verdict = Verdict.TIMEOUT) -> GameRecord:
    """Return a record that `loser` lost; None if neither bot could be loaded."""
    winner = None if loser is None else int(loser == game.first)
    answers = {"opening_plies": 0, "charged_ns": (5, 5), "nodes": (-1, -1)}
    return record(game.key, (3, 3), verdict, winner, reason="lost", **answers)


def two_bots(path: Path, rules: Ruleset, openings: int = 1) -> ContestFolder:
    """Create the folder of a contest of `ann` and `bob` without any games."""
    folder = ContestFolder(path)
    bots = {name: BotEntry(source=name, content_hash=name) for name in ("ann", "bob")}
    folder.create()
    folder.write(Contest(rules=rules, schedule=Schedule(openings=openings), bots=bots), ())
    return folder


def at_random(
    folder: ContestFolder, *, plies: int = 1000, failing: int | None = None
) -> list[GameRecord]:
    """Play all games but the last with random moves, into the contest's journal.

    No game gets more than `plies`; game number `failing` ends by a fault at once.
    """
    draw, records = random.Random(1), []
    for game in folder.games(folder.read())[:-1]:
        position, is_fault = Position(game.key.rules, game.key.opening), game.number == failing
        while not (position.is_over or is_fault) and position.ply < plies:
            position.play(draw.choice(position.legal()))
        asked = position.ply - len(game.key.opening) + is_fault
        answers = {"charged_ns": (10**6,) * asked, "nodes": (-1,) * asked}
        winner, verdict, reason = position.winner, Verdict.LINE, "so it went"
        if is_fault:
            winner, verdict, reason = 1 - position.to_move, Verdict.ERROR, "raised KeyError"
        elif winner is None:
            verdict = Verdict.BOARD_FULL
        made = record(game.key, position.moves, verdict, winner, reason=reason, **answers)
        records.append(made)
    journal = folder.journal()
    journal.add(records)
    journal.close()
    return records


def by_key(*records: GameRecord) -> dict[str, GameRecord]:
    return {record.key: record for record in records}


def random_contest(
    draw: random.Random, rounds: int
) -> tuple[list[ScheduledGame], dict[str, GameRecord]]:
    """Return a round robin of five bots, two of them identical, with results by key."""
    names = ["v", "w", "x", "y", "twin"]
    pairs = [pair for one, two in combinations(names, 2) for pair in ((one, two), (two, one))]
    games = games_between(*pairs * rounds, files={"twin": "x"})
    kinds = [Verdict.TIMEOUT, Verdict.ERROR, Verdict.LINE]
    results = by_key(
        *(lost(game, draw.choice([game.first, game.second]), draw.choice(kinds)) for game in games)
    )
    return games, results


class Scripted(Executor):
    """Plays batches from known results, a few games at a time, in random order."""

    def __init__(self, results: dict[str, GameRecord], draw: random.Random) -> None:
        self._results = results
        self._draw = draw
        self._running: list[tuple[Future[Any], Batch[GameKey]]] = []
        self.played: list[str] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._running.append((future, args[0]))
        return future

    def finish_some(self) -> None:
        """Finish some of the batches, with some of their games."""
        self._draw.shuffle(self._running)
        for _ in range(self._draw.randint(min(1, len(self._running)), len(self._running))):
            future, batch = self._running.pop()
            keys = batch.items[: self._draw.randint(1, len(batch.items))]
            self.played += (each.digest for each in keys)
            future.set_result([self._results[each.digest] for each in keys])
