"""The strengths of house players relative to each other: the table of a contest's scale.

Players that are far apart tell little of each other, and weak, mixed and searching players are not
of one line: the model fits less well. So only players at most `NEAR` places apart play. All play
from the same openings, through the referee.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np

from arena.common.files import write_file
from arena.common.names import LEVELS, YARDSTICK
from arena.contest.folder import JOURNAL
from arena.contest.run import Run
from arena.contest.session import Session
from arena.game.record import GameRecord
from arena.intake.house_players import house_player
from arena.journal.database import Journal
from arena.openings.pool import ALL
from arena.playing.lanes import Lanes
from arena.rules import Ruleset
from arena.settings.contest import Contest, Ranking, Schedule, ScheduledGame
from arena.settings.known_ratings import KnownRating, known_ratings, read_table
from arena.statistics.bradley_terry import (
    Evidence,
    Floats,
    difference_errors,
    fit,
    with_shared_openings,
)

NEAR = 4
WEAK_TO_STRONG = (
    "random",
    *(name for name in LEVELS if name.startswith("sparring")),
    "greedy",
    "learner",
    "novice",
    "adept",
    YARDSTICK,
)
SEED = 1
NO_PRIOR = 0.01  # Imagined draws: enough to keep ratings finite.
TO_95 = 1.96
DIGITS = 1
GROUP = 25  # Openings after which all pairings have the same number of games again.


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The games of two players."""

    one: str
    other: str
    games: int

    score: float
    """Points per game of `one`."""

    expected: float
    """The same by the ratings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseScale:
    rules: Ruleset

    ratings: tuple[KnownRating, ...]
    """From weak to strong."""

    steps: tuple[float, ...]
    """Half the width of the 95 % interval of the difference to the next stronger player."""

    links: tuple[Link, ...]

    def holds(self) -> str:
        """Say how well the shipped table holds here."""
        known = known_ratings(self.rules)
        agreeing = [
            abs(each.rating - shipped.rating) <= (each.error**2 + shipped.error**2) ** 0.5
            for each in self.ratings
            if (shipped := known.get(each.player)) is not None and each.player != YARDSTICK
        ]
        if not agreeing:
            return f"{self.rules}: Arena has no table of house players for this board"
        return (
            f"{self.rules}: the table of house players holds here for {sum(agreeing)} of "
            f"{len(agreeing)} of them, within both 95 % intervals"
        )


def measure(
    rules: Ruleset,
    openings: int,
    cores: Sequence[int],
    folder: Path | None = None,
    players: Sequence[str] = WEAK_TO_STRONG,
    shown: Callable[[Iterator[GameRecord], int], Iterable[GameRecord]] = lambda games, _: games,
) -> HouseScale:
    """Play the games that the journal in `folder` lacks, and fit the ratings.

    `shown` gets the new games and their number.
    """
    plan = Schedule(openings=openings, shared_openings=ALL, seed=SEED)
    contest = Contest(rules=rules, schedule=plan)
    with Session.throwaway(contest, [house_player(name) for name in players]) as session:
        rank = {name: number for number, name in enumerate(players)}
        games = [
            game for game in session.games if abs(rank[game.first] - rank[game.second]) <= NEAR
        ]
        place = folder or session.folder.path
        place.mkdir(parents=True, exist_ok=True)
        with closing(Journal(place / JOURNAL)) as journal, Lanes(cores) as lanes:
            for first in range(0, session.games.openings, GROUP):
                some = [game for game in games if first < game.opening <= first + GROUP]
                run = Run(some, journal, lanes)
                for _ in shown((record for records in run for record in records), run.missing):
                    pass
            winners = {digest: winner for digest, _, winner in journal.ends()}
    return fitted(rules, players, [(game, winners[game.key.digest]) for game in games])


def fitted(
    rules: Ruleset,
    players: Sequence[str],
    results: Sequence[tuple[ScheduledGame, int | None]],
) -> HouseScale:
    """Return the scale of these players; `results` have both games of each opening in a row."""
    index = {name: number for number, name in enumerate(players)}
    first = np.array([index[game.first] for game, _ in results])
    second = np.array([index[game.second] for game, _ in results])
    opening = np.array([game.opening for game, _ in results])
    points = np.array([0.5 if won is None else float(won == 0) for _, won in results])
    one, other = first[::2], second[::2]
    both = points[::2] + 1 - points[1::2]
    games = np.full(len(one), 2.0)
    evidence = Evidence.of(len(players), one, other, (games, games), (both, 2 - both))
    ratings = with_shared_openings(
        fit(evidence, NO_PRIOR),
        np.concatenate([first, second]),
        np.concatenate([second, first]),
        np.concatenate([opening, opening]) - 1,
        np.concatenate([points, 1 - points]),
    )
    fixed = index[YARDSTICK]
    elo = ratings.elo - ratings.elo[fixed] + Ranking().anchor_rating
    errors = TO_95 * difference_errors(ratings)
    rows = [
        KnownRating(
            board=str(rules),
            player=name,
            rating=round(float(elo[number]), DIGITS),
            error=round(float(errors[number, fixed]), DIGITS),
            games=int(evidence.games[number].sum()),
        )
        for name, number in index.items()
    ]
    rows.sort(key=lambda row: row.rating)
    order = [index[row.player] for row in rows]
    return HouseScale(
        rules=rules,
        ratings=tuple(rows),
        steps=tuple(float(errors[a, b]) for a, b in pairwise(order)),
        links=tuple(_links(players, evidence, elo)),
    )


def _links(players: Sequence[str], evidence: Evidence, elo: Floats) -> Iterator[Link]:
    for i, j in np.argwhere(np.triu(evidence.games) > 0):
        games = evidence.games[i, j]
        yield Link(
            one=players[i],
            other=players[j],
            games=int(games),
            score=float(evidence.points[i, j] / games),
            expected=float(1 / (1 + 10 ** ((elo[j] - elo[i]) / 400))),
        )


def write_table(path: Path, scale: HouseScale) -> None:
    """Write the ratings into a table, in place of those of the same board."""
    others = read_table(path) if path.exists() else []
    rows = [row for row in others if row.board != str(scale.rules)]
    text = StringIO(newline="")
    writer = csv.DictWriter(
        text, [field.name for field in fields(KnownRating)], lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(asdict(row) for row in (*rows, *scale.ratings))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text.getvalue())
