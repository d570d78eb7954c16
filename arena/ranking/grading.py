"""A contest's grades: a grade with a reason for each student's bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from arena.common.text import listed
from arena.contest.people import Lateness
from arena.contest.retirement import Settled
from arena.ranking.games import games_frame
from arena.ranking.ratings import ContestRatings, RankedGames, contest_of, rank_games
from arena.ranking.standings import contest_results
from arena.scoring.field import SHARES, Field
from arena.scoring.grade_rules import LOWEST, GradeRule, Rule
from arena.scoring.steadiness import steadiness
from arena.statistics.bradley_terry import Floats, Ints, Ratings

# remark on a gauntlet whose contest file chooses no rule
NO_GAUNTLET = (
    "no grades: in a gauntlet students do not meet, so their ranks say little; to grade by scores "
    'against house players, set [grades] rule = "levels" in contest.toml'
)

SHOWN_ERROR = 0.05  # a grade's smaller error is not shown
ERROR_DIGITS = 2  # decimals of grades' errors in tables
SHOWN_CHANCE = 0.05  # sentences do not name other grades with a smaller chance


def with_error(grade: str, error: float) -> str:
    return f"{grade} {shown_error(error)}" if error >= SHOWN_ERROR else grade


def shown_error(error: float) -> str:
    """Return `±0.3`; the same for an error and for its value in tables."""
    return f"±{round(error, ERROR_DIGITS):.1f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    value: float
    why: str
    error: float = 0.0
    """Half the width of the 95 % interval, see `arena.scoring.steadiness`."""

    chances: Mapping[float, float] = field(default_factory=dict)
    """Chances of other grades with another draw of the openings, if grades are whole numbers."""

    @property
    def certainty(self) -> str:
        if self.error < SHOWN_ERROR:
            return ""
        others = [
            f"{grade:g} in {chance:.0%}"
            for grade, chance in self.chances.items()
            if chance >= SHOWN_CHANCE
        ]
        instead = f"; another draw gives {listed(others)}" if others else ""
        error = f"{shown_error(self.error)} (95 % interval of the mean grade)"
        return f"With other openings {error}{instead.replace('%', ' %')}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    by_bot: Mapping[str, Grade] = field(default_factory=dict)

    remark: str = ""
    """Why there are no grades, for the instructor; else empty."""


# grade of a bot that cannot be loaded
UNLOADABLE = Grade(
    value=LOWEST, why=f"Grade {LOWEST}: it could not be loaded, so it played no game."
)


def contest_grades(ranked: RankedGames, settled: Settled) -> Grades:
    """Grade the bots of a finished contest; `ranked` has the games of `settled`.

    With `settled.on_time` a late bot changes no other grade, and is graded as the only late one.
    """
    contest = ranked.contest
    rule = contest.marking
    if rule is None:
        return Grades(remark=NO_GAUNTLET if contest.grades.rule is GradeRule.AUTO else "")
    has_games = ranked.standings["games"] > 0
    present = {name for name, bot in contest.playing.items() if bot.house and has_games[name]}
    if missing := [name for name in rule.needs if name not in present]:
        way = f'set [grades] rule = "{contest.grade_rule}" in contest.toml and type arena resume'
        excluded = contest.bots.keys() - contest.playing.keys()
        if out := [name for name in missing if name in excluded]:
            way = f"type arena exclude FOLDER {' '.join(out)} --undo"
        return Grades(remark=f"no grades: {listed(missing)} must take part; for that, {way}")
    if settled.on_time is None:
        graded = _graded(ranked, rule, settled.lateness)
    else:
        graded = _frozen(ranked, rule, settled.on_time, settled.lateness)
    return Grades(by_bot=graded | dict.fromkeys(contest.unloadable, UNLOADABLE))


def _graded(
    ranked: RankedGames, rule: Rule, lateness: Lateness, beginning: str = ""
) -> dict[str, Grade]:
    field = field_of(ranked, rule.needs)
    marks = rule.mark(field)
    steady = steadiness(field, rule, ranked.contest.schedule.seed)
    grades = {}
    for index, bot in enumerate(field.bots):
        if bot not in field.house:
            value, before = _penalised(float(marks.values[index]), bot, lateness)
            chances: dict[float, float] = {}
            for other, chance in steady.chances[index].items():
                after, _ = _penalised(other, bot, lateness)
                chances[after] = chances.get(after, 0.0) + chance
            grades[bot] = Grade(
                value=value,
                why=f"Grade {value:g}: {before}{beginning}{marks.why(index)}.",
                error=float(steady.error[index]),
                chances=chances,
            )
    return grades


def _penalised(mark: float, bot: str, lateness: Lateness) -> tuple[float, str]:
    points = lateness.penalties.get(bot)
    if not points:
        return mark, ""
    late = "late " if bot in lateness.late - lateness.otherwise else ""
    words = f"{mark:g} before the {late}penalty of {points:g} is taken off; "
    return max(mark - points, 0), words


def _frozen(
    ranked: RankedGames, rule: Rule, on_time: Settled, lateness: Lateness
) -> dict[str, Grade]:
    contest, games, late = ranked.contest, ranked.games, lateness.late
    others = frozenset(contest.playing) - late
    among = games_frame(on_time.games)
    is_late = games["first"].isin(late), games["second"].isin(late)
    # forfeits between bots on time that `among` lacks, as one was retired by games with late bots
    spared = games[~is_late[0] & ~is_late[1] & ~games["game"].isin(among["game"])]
    known = pd.concat([among, spared]) if len(spared) else among
    beside_none = rank_games(known, contest_of(contest, others))
    grades = _graded(beside_none, rule, lateness, "among those on time, ")
    for bot in contest.playing:
        if bot in late:
            own = games[
                ((games["first"] == bot) & ~is_late[1]) | ((games["second"] == bot) & ~is_late[0])
            ]
            beside = rank_games(pd.concat([known, own]), contest_of(contest, others | {bot}))
            one = _graded(beside, rule, lateness, "late, as the only one beside those on time, ")
            grades |= {bot: one[bot]} if bot in one else {}
    return grades


def field_of(ranked: RankedGames, opponents: tuple[str, ...]) -> Field:
    """Return the field of bots with games that count; scores are against `opponents`."""
    contest, standings, ratings = ranked.contest, ranked.standings, ranked.ratings
    playing = contest.playing
    known = frozenset(standings.index[standings["games"] > 0])
    bots = [name for name in playing if name in known]
    players = np.array([ratings.players[bot] for bot in bots], dtype=np.int64)
    house = frozenset(bot for bot in bots if playing[bot].house)
    own = standings.reindex(bots)
    results = contest_results(ranked.games, contest)
    return Field(
        bots=tuple(bots),
        house=house,
        ranks=own["rank"].to_numpy(np.int64),
        groups=players,
        ratings=Ratings(
            elo=ratings.ratings.elo[players],
            covariance=_covariance(ratings)[np.ix_(players, players)],
        ),
        pairs={
            name: _pairs(results[results["opponent"] == name], bots, players)
            for name in opponents
            if name in house
        },
        failing=frozenset(own.index[own["forfeits"] == own["games"]]),
    )


def _covariance(ratings: ContestRatings) -> Floats:
    """Return the covariance of ratings as printed, in which the anchor has no error."""
    covariance = ratings.ratings.covariance
    if ratings.anchor is None:
        return covariance
    anchor = np.eye(len(covariance))[ratings.players[ratings.anchor]]
    return ratings.ratings.centred(0, anchor).covariance


def _pairs(results: pd.DataFrame, bots: list[str], players: Ints) -> Floats:
    """Return opening pairs with 0, ½, 1, 1½ and 2 points, bots × 5; identical bots' mean."""
    shares = results.groupby(["bot", "opening"])["points"].mean().reset_index()
    rows = pd.Categorical(shares["bot"], categories=bots).codes
    columns = (shares["points"] * (len(SHARES) - 1)).round().to_numpy(np.int64)
    counts = np.zeros((len(bots), len(SHARES)))
    np.add.at(counts, (rows[rows >= 0], columns[rows >= 0]), 1)
    same = players[:, None] == players[None, :]
    mean: Floats = same @ counts / same.sum(axis=1, keepdims=True)
    return mean
