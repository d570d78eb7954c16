"""Contests whose games are made up: schedules and results without bots."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

from arena.contest import ScheduledGame
from arena.referee import Bot, GameRecord, Verdict
from support.bots import key


def games_between(
    *pairs: tuple[str, str], files: dict[str, str] | None = None
) -> list[ScheduledGame]:
    """A game for each pair, numbered from 1; `files` names the bots that share theirs."""
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


def lost(game: ScheduledGame, loser: str | None, verdict: Verdict = Verdict.TIMEOUT) -> GameRecord:
    """The record of a game that a bot lost so; with no loser neither could be loaded."""
    winner = None if loser is None else int(loser == game.first)
    return GameRecord(
        key=game.key.digest,
        columns=(3, 3),
        opening_plies=0,
        charged_ns=(5, 5),
        nodes=(-1, -1),
        winner=winner,
        verdict=verdict,
        reason="lost",
    )


def by_key(*records: GameRecord) -> dict[str, GameRecord]:
    return {record.key: record for record in records}


def random_contest(
    draw: random.Random, rounds: int
) -> tuple[list[ScheduledGame], dict[str, GameRecord]]:
    """A round robin of five bots, two of them the same, and a result for every key."""
    names = ["v", "w", "x", "y", "twin"]
    pairs = [pair for one, two in combinations(names, 2) for pair in ((one, two), (two, one))]
    games = games_between(*pairs * rounds, files={"twin": "x"})
    kinds = [Verdict.TIMEOUT, Verdict.ERROR, Verdict.LINE]
    results = by_key(
        *(lost(game, draw.choice([game.first, game.second]), draw.choice(kinds)) for game in games)
    )
    return games, results
