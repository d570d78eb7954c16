"""Answers to examiners: first mover, results against ratings, fair lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.ranking.ratings import ContestRatings, held_players
from arena.settings.contest import Contest
from arena.statistics.bradley_terry import ELO, Floats, Ints, fit, logistic
from arena.statistics.surprises import error_of_mean, pairing_scores, place_scores, surprising

USED = ["pairing", "opening", "first", "second", "winner", "loser", "fault"]
FALSE_PAIRINGS, FALSE_LANES = 0.05, 0.01  # chances that one is named with nothing behind it


class PlaceTest(NamedTuple):
    """How likely results, and faults, differ as much between places by chance."""

    kind: str  # `lane` or `machine`
    places: list[str]
    results_chance: float
    faults_chance: float
    bots: pd.DataFrame
    """`bot`, `place`, `standard_score` of the bot's points there, `surprising`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exam:
    openings: int
    first_mover: float
    """Mean share of the first mover's points in their pairs − ½; each opening counts once."""

    first_mover_error: float
    """Half of its 95 % interval over draws of the openings; infinite for one opening."""

    pairings: pd.DataFrame
    """`one`, `other`, `games`, `points` of `one` and `predicted` points a game by the ratings,
    `standard_score`, `surprising`. Identical bots are one."""

    places: tuple[PlaceTest, ...]


def examined(
    games: pd.DataFrame,
    openings: pd.DataFrame,
    places: Sequence[str | None],
    ratings: ContestRatings,
    contest: Contest,
) -> Exam:
    shares = openings["first_share"].dropna().to_numpy(np.float64)
    return Exam(
        openings=len(shares),
        first_mover=float(shares.mean()) - 0.5 if len(shares) else 0.0,
        first_mover_error=error_of_mean(shares),
        pairings=_pairings(ratings, contest),
        places=tuple(_places(games, places, ratings)),
    )


def _pairings(ratings: ContestRatings, contest: Contest) -> pd.DataFrame:
    evidence, elo = ratings.evidence, ratings.ratings.elo
    games = evidence.points + evidence.points.T  # that count for both: points add up to 1
    if not np.allclose(games, evidence.games):
        elo = fit(replace(evidence, games=games), held=held_players(ratings.players, contest)).elo
    expected = logistic((elo[:, None] - elo[None, :]) / ELO)
    scores = pairing_scores(games, evidence.points, expected, ratings.ratings.are_free)
    met = np.triu(games > 0, 1).nonzero()
    bots = {player: bot for bot, player in [*ratings.players.items()][::-1]}
    columns = {
        "one": [bots[player] for player in met[0].tolist()],
        "other": [bots[player] for player in met[1].tolist()],
        "games": games[met].astype(int),
        "points": evidence.points[met],
        "predicted": expected[met],
        "standard_score": scores[met],
        "surprising": surprising(scores[met], FALSE_PAIRINGS),
    }
    return pd.DataFrame(columns)


def _places(
    games: pd.DataFrame, places: Sequence[str | None], ratings: ContestRatings
) -> Iterator[PlaceTest]:
    named = np.array(places, dtype=object)
    counts = games["is_game"].to_numpy(bool) & ~games["is_forfeit"].to_numpy(bool) & pd.notna(named)
    lane, lanes = pd.factorize(named[counts], sort=True)
    machine, machines = pd.factorize(np.array([name.rpartition("/")[0] for name in lanes], object))
    for kind, place, names in (("lane", lane, lanes), ("machine", machine[lane], machines)):
        if len(names) > 1:
            yield _place_test(kind, place, list(names), games.loc[counts, USED], ratings)


def _place_test(
    kind: str, place: Ints, names: list[str], games: pd.DataFrame, ratings: ContestRatings
) -> PlaceTest:
    """Test whether it matters where the pairs of games were played.

    A bot's results are compared within each opening that it plays more than once, as openings may
    suit it. The mean of the pairing is taken off, as a bot may be better there than its rating, and
    a pairing's games are often played on one lane.
    """
    bots = pd.Index(ratings.players)
    first, second, winner, loser = (
        bots.get_indexer(pd.Index(games[side])).astype(np.int32) for side in USED[2:6]
    )
    low, high = np.minimum(first, second), np.maximum(first, second)
    points = 0.5 + 0.5 * (winner == low) - 0.5 * (loser == low)
    pairing = games["pairing"].to_numpy(np.int64)
    of_pairing = np.bincount(pairing).clip(1)

    def centred(values: Floats) -> Floats:
        rests: Floats = values - (np.bincount(pairing, values) / of_pairing)[pairing]
        return rests

    opening, texts = pd.factorize(games["opening"])
    pairs = (pairing * len(texts) + opening) * len(names) + place
    _, at, pair = np.unique(pairs, return_index=True, return_inverse=True)
    # from here an entry for each side of each pair
    bot = np.concatenate([low[at], high[at]])
    there, played, own_opening = np.tile([place[at], np.bincount(pair), opening[at]], 2)
    stratum = bot * (len(texts) + 1) + own_opening
    is_single = np.bincount(stratum)[stratum] == 1
    stratum[is_single] = (bot * (len(texts) + 1) + len(texts))[is_single]
    elo = ratings.ratings.elo[[*ratings.players.values()]]
    share = np.tile(logistic((elo[low[at]] - elo[high[at]]) / ELO), 2)
    rests = np.bincount(pair, centred(points))
    spread = played * (1 - played / np.tile(of_pairing[pairing[at]], 2))  # the mean is of the same
    scores, chance = place_scores(
        bot, there, stratum, np.concatenate([rests, -rests]), spread * share * (1 - share)
    )
    is_fault = games["fault"].to_numpy(bool)
    own = [centred((is_fault & (loser == side)).astype(float)) for side in (low, high)]
    faults = np.concatenate([np.bincount(pair, each) for each in own])
    often = [(np.bincount(pairing, each**2) / of_pairing)[pairing[at]] for each in own]
    variances = spread * np.concatenate(often)
    _, faults_chance = place_scores(np.zeros_like(bot), there, stratum, faults, variances)
    cells = scores.nonzero()
    columns = {
        "bot": bots[cells[0]],
        "place": np.array(names, dtype=object)[cells[1]],
        "standard_score": scores[cells],
        "surprising": surprising(scores[cells], FALSE_LANES),
    }
    return PlaceTest(kind, names, chance, faults_chance, pd.DataFrame(columns))
