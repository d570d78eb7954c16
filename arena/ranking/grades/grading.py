"""Grading a contest: its rule, its field, and a grade with its reason for each student's bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from arena.contest import Contest, GradeRule
from arena.ranking.grades.curve import CURVE
from arena.ranking.grades.field import SHARES, Field, Floats, Ints
from arena.ranking.grades.levels import levels
from arena.ranking.grades.rule import Rule
from arena.ranking.grades.seed import SEED
from arena.ranking.ratings import ContestRatings
from arena.ranking.standings import contest_results
from arena.statistics import Ratings

NO_GAUNTLET = (
    "no grades: in a gauntlet students do not meet, so that ranks among them say little; the rule "
    'levels grades by the scores against house players: [grades] rule = "levels"'
)
"""The remark on a gauntlet for which no rule was chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The grade of one bot."""

    value: float
    """The grade."""

    why: str
    """A sentence for the bot's author that says why, with the numbers in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """The grades of a contest."""

    by_bot: Mapping[str, Grade] = field(default_factory=dict)
    """The grade of each bot that has one, by its name."""

    remark: str = ""
    """A sentence for the instructor, if there are no grades or not all; else empty."""


def contest_grades(
    games: pd.DataFrame, contest: Contest, standings: pd.DataFrame, ratings: ContestRatings
) -> Grades:
    """Grade the bots of a contest of which all games have been played.

    `games` is its games frame, `standings` and `ratings` are those of all its games.
    """
    rule = rule_of(contest)
    if rule is None:
        return Grades(remark=NO_GAUNTLET if contest.grades.rule is GradeRule.AUTO else "")
    graded = field_of(games, contest, standings, ratings, rule.needs)
    if missing := [name for name in rule.needs if name not in graded.house]:
        return Grades(remark=f"no grades: they need {' and '.join(missing)}, not in this contest")
    marks = rule.mark(graded)
    return Grades(
        by_bot={
            bot: Grade(value=int(value), why=f"Grade {value}: {marks.why(index)}.")
            for index, (bot, value) in enumerate(zip(graded.bots, marks.values, strict=True))
            if bot not in graded.house
        }
    )


def rule_of(contest: Contest) -> Rule | None:
    """Return the rule by which a contest is graded; None if it is not."""
    match contest.grade_rule:
        case GradeRule.SEED:
            return SEED
        case GradeRule.LEVELS:
            return levels(contest.grades.thresholds)
        case GradeRule.CURVE:
            return CURVE
        case _:
            return None


def field_of(
    games: pd.DataFrame,
    contest: Contest,
    standings: pd.DataFrame,
    ratings: ContestRatings,
    opponents: tuple[str, ...],
) -> Field:
    """Return the field of a contest, with the scores against those of `opponents` that play.

    Bots without a game that counts are left out: nothing is known of them.
    """
    playing = contest.playing
    known = frozenset(standings.index[standings["games"] > 0])
    bots = [name for name in playing if name in known]
    players = np.array([ratings.players[bot] for bot in bots], dtype=np.int64)
    house = frozenset(bot for bot in bots if playing[bot].house)
    results = contest_results(games, contest)
    return Field(
        bots=tuple(bots),
        house=house,
        ranks=standings["rank"].reindex(bots).to_numpy(np.int64),
        groups=players,
        ratings=Ratings(
            elo=ratings.ratings.elo[players],
            covariance=ratings.ratings.covariance[np.ix_(players, players)],
        ),
        pairs={
            name: _pairs(results[results["opponent"] == name], bots, players)
            for name in opponents
            if name in house
        },
        openings=contest.schedule.openings,
    )


def _pairs(results: pd.DataFrame, bots: list[str], players: Ints) -> Floats:
    """Return how many opening pairs brought each bot 0 … 2 points; of one player, the mean."""
    shares = results.groupby(["bot", "opening"])["points"].mean().reset_index()
    rows = pd.Categorical(shares["bot"], categories=bots).codes
    columns = (shares["points"] * (len(SHARES) - 1)).round().to_numpy(np.int64)
    counts = np.zeros((len(bots), len(SHARES)))
    np.add.at(counts, (rows[rows >= 0], columns[rows >= 0]), 1)
    same = players[:, None] == players[None, :]
    mean: Floats = same @ counts / same.sum(axis=1, keepdims=True)
    return mean
