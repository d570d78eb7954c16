"""Grading one hand-in: it is checked, and plays the house players that grades are measured by.

Games are played opening by opening against all of them, from the weakest up, each opening with both
sides. So whenever the time is up, each has been met about equally often; only whole pairs count.
If a hand-in's own moves took more than half of the time, it loses what is missing of the pairs
under way: else a bot could be so slow in a game that it is about to lose that this never counts.
Pairs that were not begun count for nobody: an honest slow bot is graded by what it reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np
import pandas as pd

from arena.check.preflight import Preflight, check_bots
from arena.common.errors import InputError, MachineError, OutOfTimeError
from arena.contest.entries import enter
from arena.contest.retirement import Settled, SettledGame, settle
from arena.contest.run import Run
from arena.contest.session import Session
from arena.courses.roster import find_submission
from arena.engine.machine_code import compile_engine
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.intake.house_players import house_player
from arena.intake.submission import Submission
from arena.playing.driver import LaneExecutor
from arena.playing.lanes import Lanes, plan_lanes
from arena.ranking.games import games_frame
from arena.ranking.grading import Grade
from arena.scoring import SHARES, Field, field_by_rating, levels, steadiness
from arena.settings.contest import Contest, ScheduledGame
from arena.statistics import Ratings

NAME = "submission"
"""The name of every hand-in; below [bots.submission] the contest file says how to enter it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encounter:
    """The games of a hand-in against one house player that count."""

    opponent: str
    """The house player."""

    games: int
    wins: int
    draws: int

    needed: float
    """The share of points against this player that the best grade needs; 0 if it needs none."""

    @property
    def losses(self) -> int:
        return self.games - self.wins - self.draws

    @property
    def points(self) -> float:
        """Points: 1 for a win, ½ for a draw."""
        return self.wins + self.draws / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The time of a hand-in's games."""

    seconds: float = 0.0
    """Time that there was for them, after the check."""

    lanes: int = 1
    """Games that were played side by side."""

    is_up: bool = False
    """True if it was over before all were played."""

    cut_off_seconds: float = 0.0
    """Time that the longest of the games that it ended had taken by then."""

    given_up: frozenset[str] = frozenset()
    """Games that the machine could not play, by their keys' digests."""

    remarks: tuple[str, ...] = ()
    """Lines that say why it could not."""


UNHURRIED = Clock()
"""Time enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    """The games of a hand-in, and the grade that they are worth."""

    encounters: tuple[Encounter, ...]
    """Those against each house player."""

    frame: pd.DataFrame
    """A row for each that counts, see `games_frame`."""

    planned: int
    """Games that it was to play."""

    clock: Clock
    """Their time."""

    thinking_seconds: float
    """Time that its own moves took, in all games that ended."""

    overdrawn: int
    """Games that were not finished and count as lost, as its moves took too much of the time."""

    retired: str
    """The reason why it plays no more and forfeits the rest, a participle; else empty."""

    grade: Grade
    """The grade, before a late penalty."""

    top: int
    """The best grade."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedHandIn:
    """Everything that was found out about one hand-in."""

    contest: Contest
    """The contest that it was graded by."""

    seconds: float
    """Time that it was given."""

    took_seconds: float
    """Time that it took."""

    checked: Preflight
    """Everything that `arena check` finds."""

    games: Games | None
    """Its games; None if it cannot play."""

    remarks: tuple[str, ...]
    """Sentences for the instructor about the machine."""


def opponents(contest: Contest) -> tuple[str, ...]:
    """Return the house players that grades are measured by, from the lowest grade up."""
    return levels(contest.grades.thresholds).needs


def grade(
    path: Path, contest: Contest, seconds: float, remarks: Sequence[str] = ()
) -> GradedHandIn:
    """Check what was handed in at a path, and have it play a `levels_contest` for some seconds.

    `remarks` are known already. Raises InputError and MachineError where the contest file or the
    machine is to blame, never for what was handed in.
    """
    began = monotonic()
    bot = replace(find_submission(str(path), one_bot=True), name=NAME)
    bot, contest = _as_asked(bot, contest)
    players = tuple(map(house_player, opponents(contest)))
    for _ in compile_engine():
        pass
    cores, said = plan_lanes(None, contest.limits)
    remarks = [*remarks, *said]
    with Session.throwaway(contest, [bot, *players]) as session:
        clock = UNHURRIED
        with suppress(OutOfTimeError), session.at_work(Lanes(cores)) as lanes:
            with Session.throwaway(contest, [bot]) as alone:
                (checked,) = check_bots(alone.contest, alone.bots, alone.submissions, lanes)
            if checked.open:
                raise MachineError(f"the hand-in could not be checked: {checked.failure}")
            if checked.takes_part:
                clock = _play(session, lanes, began + seconds)
                remarks += clock.remarks
                if clock.is_up:
                    raise OutOfTimeError  # which ends the games under way
        games = None
        if checked.takes_part:
            with session.folder.read_journal() as journal:
                records = {record.key: record for record in journal.records()}
            games = count_games(contest, _own_games(session), records, clock)
    return GradedHandIn(
        contest=contest,
        seconds=seconds,
        took_seconds=monotonic() - began,
        checked=checked,
        games=games,
        remarks=tuple(remarks),
    )


def _as_asked(bot: Submission, contest: Contest) -> tuple[Submission, Contest]:
    """Return the hand-in with the contest; one that lacks what is set for all cannot play."""
    asked = {name: entry for name, entry in contest.bots.items() if name == NAME}
    try:
        enter(replace(contest, bots=asked), [bot], ())
    except InputError as error:
        others = {name: entry for name, entry in contest.bots.items() if name != NAME}
        reason = f"it is not as this course asks for it: {error}"
        return replace(bot, reason=reason, settings=""), replace(contest, bots=others)
    return bot, contest


def _play(session: Session, executor: LaneExecutor, deadline: float) -> Clock:
    """Play opening by opening until time is up. Raises MachineError if no game could be played."""
    plan = session.contest.schedule
    own = _own_games(session)
    clock = Clock(seconds=max(0.0, deadline - monotonic()), lanes=executor.lanes)
    journal = session.folder.journal()
    try:
        for opening in range(1, plan.openings + 1):
            games = [game for game in own if game.opening <= opening]
            run = Run(games, journal, executor, plan.retire_after)
            is_up = any(monotonic() >= deadline for _ in run)
            clock = replace(
                clock,
                given_up=clock.given_up.union(run.given_up),
                remarks=tuple(run.not_played()),
            )
            if is_up:
                longest = max((each.seconds for each in run.under_way()), default=0.0)
                return replace(clock, is_up=True, cut_off_seconds=longest)
        if clock.remarks and not list(journal.keys()):
            raise MachineError("; ".join(clock.remarks))
    finally:
        journal.close()
    return clock


def _own_games(session: Session) -> list[ScheduledGame]:
    # in a contest house players also meet each other
    return [game for game in session.games if NAME in (game.first, game.second)]


def count_games(
    contest: Contest,
    own: Sequence[ScheduledGame],
    records: Mapping[str, GameRecord],
    clock: Clock = UNHURRIED,
) -> Games:
    """Return what the games are worth: `own` are all planned, `records` those played, by key."""
    settled = settle(own, records, contest.schedule.retire_after)
    ended = games_frame(settled.games)
    own_ms = (ended[ended[side] == NAME][f"{side}_ms"].sum() for side in ("first", "second"))
    thinking = float(sum(own_ms)) / 1e3
    whole, lost = _whole_pairs(settled.games), []
    # where no pair was finished nothing was scored anyway
    if whole and clock.is_up and thinking + clock.cut_off_seconds > clock.seconds / 2:
        lost = [_lost(game) for game in _under_way(settled, clock.given_up)]
        whole = _whole_pairs([*settled.games, *lost])
    overdrawn = sum(each in lost for each in whole)
    frame = games_frame(sorted(whole, key=lambda each: each.game.number))
    players = opponents(contest)
    top, needed = max(contest.grades.thresholds.items())
    rule, field = levels(contest.grades.thresholds), _field(players, frame)
    marks, steady = rule.mark(field), steadiness(field, rule, contest.schedule.seed)
    return Games(
        encounters=tuple(
            Encounter(
                opponent=player,
                games=len(mine),
                wins=int((mine["winner"] == NAME).sum()),
                draws=int((mine["winner"] == "").sum()),
                needed=needed.get(player, 0),
            )
            for player, mine in ((player, _against(player, frame)) for player in players)
        ),
        frame=frame,
        planned=len(own),
        clock=clock,
        thinking_seconds=thinking,
        overdrawn=overdrawn,
        retired=str(settled.retired.get(NAME, "")),
        grade=Grade(
            value=int(marks.values[0]),
            why=marks.why(0),
            sure=float(steady.sure[0]),
            openings=int(steady.openings[0]),
        ),
        top=top,
    )


def _under_way(settled: Settled, given_up: frozenset[str]) -> list[ScheduledGame]:
    """Return what is missing of openings with one side finished, and of the next in turn."""
    begun = {(each.game.pairing, each.game.opening) for each in settled.games}
    missing = [game for game in settled.open if game.key.digest not in given_up]
    missing.sort(key=lambda game: (game.opening, game.number))  # in the order of play
    begun.update((game.pairing, game.opening) for game in missing[:1])
    return [game for game in missing if (game.pairing, game.opening) in begun]


def _whole_pairs(games: Iterable[SettledGame]) -> list[SettledGame]:
    """Leave out games whose opening was not finished with both sides."""
    games = list(games)
    sides = Counter((game.pairing, game.opening) for game, _, _ in games)
    return [each for each in games if sides[each.game.pairing, each.game.opening] == 2]


def _lost(game: ScheduledGame) -> SettledGame:
    record = GameRecord(
        key=game.key.digest,
        columns=game.key.opening,
        opening_plies=len(game.key.opening),
        charged_ns=(),
        nodes=(),
        winner=int(game.first == NAME),
        verdict=Verdict.TIMEOUT,
        reason="had used up the time for its games",
    )
    return SettledGame(game, record, True)


def _field(players: tuple[str, ...], games: pd.DataFrame) -> Field:
    """Return the field in which the hand-in is alone, with its scores against these players."""
    unrated = Ratings(elo=np.zeros(1), covariance=np.zeros((1, 1)))
    pairs = {}
    for player in players:
        mine = _against(player, games)
        points = 0.5 + 0.5 * (mine["winner"] == NAME) - 0.5 * (mine["loser"] == NAME)
        halves = (2 * points.groupby(mine["opening"]).sum()).astype(int)
        pairs[player] = np.bincount(halves, minlength=len(SHARES))[np.newaxis].astype(float)
    openings = max(1, round(len(games) / (2 * len(players))))
    field = field_by_rating([NAME], [], unrated, openings, pairs)
    lost = games["fault"].astype(bool) & (games["loser"] == NAME)
    return replace(field, failing=frozenset({NAME} if len(games) and lost.all() else ()))


def _against(opponent: str, games: pd.DataFrame) -> pd.DataFrame:
    return games[(games["first"] == opponent) | (games["second"] == opponent)]
