"""Simulated contests of bots with known strength: how certain ranks are.

A class is drawn, plays as in a contest, and is ranked and graded by Arena's own functions. The
ranks and grades are compared with the strengths drawn.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.common.errors import MachineError
from arena.common.home import has_sandbox
from arena.common.names import YARDSTICK
from arena.common.system import ENDING
from arena.openings.pool import shared_places
from arena.rules import Ruleset
from arena.scoring.field import SHARES, Field, field_by_rating, ranks_of
from arena.scoring.grade_rules import LEVELS, LINE, GradeRule, GradeTerms, Rule
from arena.scoring.steadiness import steadiness
from arena.settings.contest import Schedule
from arena.settings.known_ratings import known_ratings, spread_evenly
from arena.statistics.bradley_terry import (
    ELO,
    LEVEL,
    PRIOR,
    Floats,
    Ratings,
    difference_errors,
    fit,
    information,
    intervals,
    surely_better,
    with_shared_openings,
)
from arena_lab.figures import HALF, MANY, GradeErrors, OrderQuality, SimulatedRow, moved, near_means
from arena_lab.simulated_rounds import play_pairs, play_until_settled
from arena_lab.synthetic import Population, SyntheticResults, draw_class

# `reference` is this much stronger than the mean of a class, in Elo points. Measured against the
# demo bots by `arena run bots`.
AHEAD = 485.0


def _house() -> Mapping[str, float]:
    """Return house players' strengths with the class's mean at 0: those of `scale` on 6×7."""
    known = {name: row.rating for name, row in known_ratings(Ruleset()).items()}
    return {name: AHEAD + known[name] - known[YARDSTICK] for name in spread_evenly(known)}


HOUSE: Mapping[str, float] = MappingProxyType(_house())

# The usual class. The spread is an assumption; bias, suits and draws are measured like AHEAD, with
# openings drawn by `arena run`.
USUAL = Population(spread=250.0, bias=100.0, suits=85.0, draws=0.15, house=tuple(HOUSE.values()))


STRONGER = "master"  # is above the scale
TOP = 10  # the best students, who matter most
CHECKED = 10  # seeds of a class whose grades' intervals are checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    population: Population = USUAL
    """How classes are drawn; its `house` are the strengths of the players in `house` below."""

    house: tuple[str, ...] = tuple(HOUSE)

    openings: tuple[int, ...] = (1, 2, 5, 10, 20)
    """Numbers of openings to compare, ascending."""

    shared: int = Schedule().shared_openings
    """See `Schedule.shared_openings`."""

    seeds: int = 5
    """Each class plays with this number of seeds."""

    is_held: bool = True
    """House players have the ratings of their strengths, as in new contests; if false, they are
    rated like all bots."""

    until_settled: float = 0.0
    """If above 0, contests that end when they are settled at this level are simulated too.

    Their pairings play at most these `openings`. They have no grades by `levels`: a contest plays
    the games for these in full, so they equal a round robin's.
    """

    games_each: int = 0
    """If above 0, contests are simulated too that choose their games, with this number of games of
    each bot on average, of at most these `openings` a pairing; see `until_settled`."""

    @property
    def bots(self) -> tuple[str, ...]:
        students = (f"student {number + 1}" for number in range(self.population.players))
        return (*students, *self.house)

    @property
    def held(self) -> Mapping[int, float]:
        """The strengths of house players by index, if their ratings are held."""
        house = enumerate(self.population.house, self.population.players)
        return dict(house) if self.is_held else {}

    def games(self, openings: int) -> int:
        players = len(self.bots)
        return players * (players - 1) * openings

    @property
    def rules(self) -> Mapping[str, Rule]:
        """By name, the grade rules whose house players take part.

        The thresholds of `levels` are the default ones without `master`, which does not.
        """
        strengths = dict(zip(self.house, self.population.house, strict=True))
        best = strengths.get(YARDSTICK, 0.0)
        thresholds = {
            grade: {name: share for name, share in needed.items() if name != STRONGER}
            for grade, needed in LEVELS.items()
        }
        terms = GradeTerms(thresholds=thresholds, scale=(best - LINE[1] + LINE[0], best))
        rules = {each.value: each.rule(terms) for each in GradeRule if each.rule}
        allowed = {name: rule for name, rule in rules.items() if {*rule.needs} <= {*self.house}}
        return dict(sorted(allowed.items(), key=lambda each: each[1].by_shares))


def simulate_classes(
    scenario: Scenario, classes: int, seed: int, workers: int
) -> Iterator[tuple[SimulatedRow, ...]]:
    """Yield the rows of each class, one row for each number of openings.

    The rows depend on the seed, not on the number of worker processes. Raises MachineError if a
    worker is killed.
    """
    with ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("fork" if has_sandbox() else "spawn"),
        initializer=_start_worker,
        initargs=(os.getpid(),),
    ) as executor:
        seeds = [seed << 32 | number for number in range(classes)]
        try:
            yield from executor.map(partial(simulate_class, scenario), seeds)
        except BrokenProcessPool:
            raise MachineError(
                "a simulating process was killed; type the same command again"
            ) from None
        finally:
            executor.shutdown(cancel_futures=True)


def _start_worker(parent: int) -> None:
    """Make this worker ignore the terminal's Ctrl-C and end with the main process."""
    if not has_sandbox():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return
    from arena.host.sandbox.confining import die_with_parent  # which needs what only Linux has

    os.setsid()
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    die_with_parent(parent)


def simulate_class(scenario: Scenario, seed: int) -> tuple[SimulatedRow, ...]:
    """Draw a class, play it with several seeds, and compare them with the truth."""
    drawn = draw_class(scenario.population, seed)
    most, seeds = scenario.openings[-1], range(1, scenario.seeds + 1)
    # one opening more than is compared, to see what it changes
    plays = [drawn.play(most + 1, number, scenario.shared) for number in seeds]
    is_chosen = scenario.until_settled or scenario.games_each
    ways = [_round_robins, _in_rounds] if is_chosen else [_round_robins]
    rows = []
    for way in ways:
        played = zip(scenario.openings, *(way(scenario, each) for each in plays), strict=True)
        for openings, *outcomes in played:
            rules, changed = dict(scenario.rules), None
            if way is _in_rounds:
                rules.pop(GradeRule.LEVELS, None)
            elif len(scenario.bots) > 2:
                changed = _changed(scenario, outcomes[0], openings)
            grades = {}
            for name, rule in rules.items():
                errors = _grade_errors(scenario, outcomes, drawn.elo, rule)
                moves = _moves(scenario, outcomes[0], changed, rule) if changed else {}
                grades[name] = replace(errors, **moves)
            rows.append(
                SimulatedRow(
                    openings=openings,
                    in_rounds=way is _in_rounds,
                    games=2 * float(outcomes[0].played.sum()),
                    order=_order(scenario, outcomes[0], drawn.elo),
                    grades=grades,
                )
            )
    return tuple(rows)


class _Outcome(NamedTuple):
    results: SyntheticResults  # Of all openings, also unplayed ones.
    played: NDArray[np.int64]  # Openings played, by pairing.
    ratings: Ratings  # On the scale of the strengths, unless no house player fixes it.

    @property
    def games(self) -> Floats:
        games = np.zeros((self.results.players, self.results.players))
        games[self.results.one, self.results.other] = 2 * self.played
        both: Floats = games + games.T
        return both


def _round_robins(scenario: Scenario, results: SyntheticResults) -> Iterator[_Outcome]:
    for openings in scenario.openings:
        yield _outcome(scenario, results, np.full(len(results.one), openings))


def _in_rounds(scenario: Scenario, results: SyntheticResults) -> Iterator[_Outcome]:
    """Yield, for each largest number of openings, the outcome of a contest in rounds."""
    for openings in scenario.openings:
        last = shared_places(openings, scenario.shared)  # as in `arena.contest.rounds`
        most = results.first(openings).shuffled(last)
        if scenario.games_each:
            pairs = scenario.games_each * results.players // 4
            rounds = play_pairs(most, pairs, scenario.population.players, scenario.held)
        else:
            rounds = play_until_settled(most, scenario.until_settled, scenario.held)
        *_, end = rounds
        yield _outcome(scenario, most, end.played[results.one, results.other])


def _outcome(scenario: Scenario, results: SyntheticResults, played: NDArray[np.int64]) -> _Outcome:
    """Return the outcome of a contest; `played` has the number of openings of each pairing."""
    opening, pairing = np.nonzero(np.arange(played.max())[:, None] < played)
    fitted = fit(results.evidence_of(pairing, opening), held=scenario.held)
    one, other = results.one[pairing], results.other[pairing]
    share = results.points[opening, pairing].mean(axis=1)
    opening = results.opening[opening, pairing].astype(np.int64)
    ratings = with_shared_openings(
        fitted,
        np.concatenate([one, other]),
        np.concatenate([other, one]),
        np.concatenate([opening, opening]),
        np.concatenate([share, 1 - share]),
    )
    if not scenario.held and YARDSTICK in scenario.house:
        place = scenario.house.index(YARDSTICK)
        anchor = np.eye(results.players)[scenario.population.players + place]
        ratings = ratings.centred(scenario.population.house[place], anchor)
    return _Outcome(results, played, ratings)


def _order(scenario: Scenario, outcome: _Outcome, strengths: Floats) -> OrderQuality:
    students = np.arange(scenario.population.players)
    ratings = outcome.ratings
    if not scenario.held:
        told = information(outcome.games, ratings.elo) + PRIOR
        ratings = ratings.centred(float(np.average(strengths, weights=told)), told)
    low, high = intervals(ratings)
    errors = ratings.elo - strengths
    allowed = NormalDist().inv_cdf((1 + LEVEL) / 2) * difference_errors(ratings)
    differences = np.abs(errors[:, None] - errors[None, :]) <= allowed
    better = surely_better(ratings)
    rank_low, rank_high = 1 + better.sum(axis=0), len(strengths) - better.sum(axis=1)
    ranks, true_ranks = ranks_of(ratings.elo), ranks_of(strengths)
    best = [
        {*np.argsort(-each[students], kind="stable")[:TOP].tolist()}
        for each in (ratings.elo, strengths)
    ]
    in_order = strengths[students][np.argsort(-ratings.elo[students], kind="stable")]
    return OrderQuality(
        rating_coverage=_mean(((low <= strengths) & (strengths <= high))[students]),
        difference_coverage=_mean(differences[np.triu_indices(len(students), 1)]),
        rank_coverage=_mean(((rank_low <= true_ranks) & (true_ranks <= rank_high))[students]),
        ranks=_mean((1 + rank_high - rank_low)[students]),
        rating_error=_mean((high - low)[students] / 2),
        rank_error=_mean(np.abs(ranks - true_ranks)[students]),
        rank_correlation=_correlation(ranks_of(ratings.elo[students]), true_ranks[students]),
        top_ten=len(best[0] & best[1]) / len(best[1]),
        neighbours_wrong=_mean(in_order[1:] > in_order[:-1]),
    )


def _correlation(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return the correlation; 0 if all values of one are equal."""
    return float(np.corrcoef(one, other)[0, 1]) if one.std() and other.std() else 0.0


def true_field(bots: Sequence[str], house: Sequence[str], elo: ArrayLike) -> Field:
    """Return the field of bots with known strengths that score exactly as expected."""
    strengths = np.asarray(elo, dtype=np.float64)
    pairs = {}
    for player in house:
        expected = 1 / (1 + np.exp((strengths[list(bots).index(player)] - strengths) / ELO))
        pairs[player] = np.zeros((len(bots), len(SHARES)))
        pairs[player][:, 0], pairs[player][:, -1] = 1 - expected, expected
    certain = Ratings(elo=strengths, covariance=np.zeros((len(bots), len(bots))))
    return field_by_rating(bots, house, certain, pairs)


def _grade_errors(
    scenario: Scenario,
    outcomes: Sequence[_Outcome],
    strengths: Floats,
    rule: Rule,
) -> GradeErrors:
    """Compare a class's grades with the true ones, and with their means over seeds."""
    bots, house, students = scenario.bots, scenario.house, scenario.population.players
    deserved = rule.mark(true_field(bots, house, strengths)).values[:students]
    fields = [_field(scenario, each, rule) for each in outcomes]
    given = np.array([rule.mark(field).values[:students] for field in fields])
    errors = [
        steadiness(field, rule, seed).error[:students]
        for seed, field in enumerate(fields[:CHECKED])
        if len(fields) >= MANY
    ]
    return GradeErrors(
        wrong=_mean(np.abs(given[0] - deserved) > HALF),
        far=_mean(np.abs(given[0] - deserved) > 1),
        **near_means(given, np.array(errors)),
    )


class _Changed(NamedTuple):
    fewer: Scenario  # Without its last student.
    less: _Outcome  # Of `fewer`.
    more: _Outcome  # With one opening more.


def _changed(scenario: Scenario, outcome: _Outcome, openings: int) -> _Changed:
    results, last = outcome.results, scenario.population.players - 1
    fewer = replace(scenario, population=replace(scenario.population, players=last))
    without = results.without(last)
    return _Changed(
        fewer=fewer,
        less=_outcome(fewer, without, np.full(len(without.one), openings)),
        more=_outcome(scenario, results, np.full(len(results.one), openings + 1)),
    )


def _moves(
    scenario: Scenario, outcome: _Outcome, changed: _Changed, rule: Rule
) -> Mapping[str, float]:
    """Return the shares of grades that one bot less, and one opening more, change."""
    before, among, after = (
        rule.mark(_field(drawn, each, rule)).values[: changed.fewer.population.players]
        for drawn, each in (
            (scenario, outcome),
            (changed.fewer, changed.less),
            (scenario, changed.more),
        )
    )
    return {"moved_by_bot": moved(before, among), "moved_by_opening": moved(before, after)}


def _field(scenario: Scenario, outcome: _Outcome, rule: Rule) -> Field:
    pairs = _pairs(scenario, outcome, rule.needs)
    return field_by_rating(scenario.bots, scenario.house, outcome.ratings, pairs)


def _pairs(scenario: Scenario, outcome: _Outcome, opponents: Sequence[str]) -> Mapping[str, Floats]:
    """Return, by house player, n × 5: opening pairs in which each bot scored 0, ½ … 2 points."""
    results, played = outcome.results, outcome.played
    points = results.points[: played.max()].sum(axis=2)
    counts = {}
    for name in opponents:
        player = scenario.bots.index(name)
        counts[name] = np.zeros((results.players, 5))
        for bots, own, met in (
            (results.one, points, results.other == player),
            (results.other, 2 - points, results.one == player),
        ):
            opening, pairing = np.nonzero(np.arange(len(points))[:, None] < played[met])
            shown = np.rint(2 * own[:, met][opening, pairing]).astype(np.int64)
            np.add.at(counts[name], (bots[met][pairing], shown), 1)
    return counts


def _mean(values: NDArray[np.generic]) -> float:
    return float(np.mean(values.astype(np.float64)))
