"""Grading of a submission: a check, then games against the rule's house players.

The openings are played one by one, each with both sides against every player, the weakest first.
Only pairs count: both games of an opening. If the submission's own moves took more than half of the
time, it loses the missing games of begun pairs: otherwise a bot could avoid a defeat by playing
slowly. Pairs that were not begun do not count, which is fair to slow bots.
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

from arena.common.errors import InputError, MachineError, OutOfTimeError
from arena.contest.entries import enter
from arena.contest.retirement import Settled, settle
from arena.contest.run import Run
from arena.contest.session import Session
from arena.contest.settled import SettledGame
from arena.courses.roster import find_submission
from arena.engine.machine_code import compile_engine
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.intake.house_players import house_player
from arena.intake.submission import Submission
from arena.playing.batches import open_lanes, plan_lanes
from arena.playing.driver import LaneExecutor
from arena.ranking.games import games_frame
from arena.ranking.grading import Grade
from arena.scoring.field import SHARES, Field, field_by_rating
from arena.scoring.grade_rules import levels
from arena.scoring.steadiness import steadiness
from arena.settings.contest import Contest, ScheduledGame
from arena.statistics.bradley_terry import Ratings
from arena.trials.preflight import Preflight, check_bots

NAME = "submission"  # Every submission's name; [bots.submission] has its settings.


@dataclass(frozen=True, slots=True, kw_only=True)
class Encounter:
    opponent: str
    games: int
    wins: int
    draws: int

    needed: float
    """Share of the points that the best grade needs, or 0."""

    @property
    def losses(self) -> int:
        return self.games - self.wins - self.draws

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    seconds: float = 0.0
    lanes: int = 1
    is_up: bool = False
    cut_off_seconds: float = 0.0
    abandoned: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()


UNHURRIED = Clock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    encounters: tuple[Encounter, ...]
    frame: pd.DataFrame
    planned: int
    clock: Clock

    thinking_seconds: float
    """Seconds of the submission's own moves in all finished games."""

    overdrawn: int
    """Unfinished games that count as lost because the submission played slowly."""

    retired: str
    """Why the submission forfeits further games: completes "was …". Else empty."""

    grade: Grade
    top: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedSubmission:
    contest: Contest
    seconds: float
    checked: Preflight
    games: Games | None
    remarks: tuple[str, ...]


def opponents(contest: Contest) -> tuple[str, ...]:
    return levels(contest.grades.thresholds).needs


def grade(
    path: Path, contest: Contest, seconds: float, remarks: Sequence[str] = ()
) -> GradedSubmission:
    """Check a submission; let it play a `levels_contest` until `seconds` have passed.

    The result has `remarks` too. Raises InputError for the contest file, and MachineError.
    """
    began = monotonic()
    bot = replace(find_submission(str(path), contest.interfaces, one_bot=True), name=NAME)
    bot, contest = _as_asked(bot, contest)
    players = tuple(map(house_player, opponents(contest)))
    for _ in compile_engine():
        pass
    cores, said = plan_lanes(None, contest.limits)
    remarks = [*remarks, *said]
    with Session.throwaway(contest, [bot, *players]) as session:
        clock = UNHURRIED
        with suppress(OutOfTimeError), session.executing(open_lanes(cores)) as lanes:
            with Session.throwaway(contest, [bot]) as alone:
                (checked,) = check_bots(alone.contest, alone.bots, alone.submissions, lanes)
            if checked.open:
                raise MachineError(f"the submission could not be checked: {checked.failure}")
            if checked.takes_part:
                clock = _play(session, lanes, began + seconds)
                remarks += clock.remarks
                if clock.is_up:
                    raise OutOfTimeError  # ends the running games
        games = None
        if checked.takes_part:
            with session.folder.read_journal() as journal:
                records = {record.key: record for record in journal.records()}
            games = count_games(contest, _own_games(session), records, clock)
    return GradedSubmission(
        contest=contest,
        seconds=seconds,
        checked=checked,
        games=games,
        remarks=tuple(remarks),
    )


def _as_asked(bot: Submission, contest: Contest) -> tuple[Submission, Contest]:
    asked = {name: entry for name, entry in contest.bots.items() if name == NAME}
    try:
        enter(replace(contest, bots=asked), [bot], ())
    except InputError as error:
        others = {name: entry for name, entry in contest.bots.items() if name != NAME}
        reason = f"it is not as this course asks for it: {error}"
        return replace(bot, reason=reason, settings=""), replace(contest, bots=others)
    return bot, contest


def _play(session: Session, executor: LaneExecutor, deadline: float) -> Clock:
    """Play until time is up. Raises MachineError if no game could be played."""
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
                abandoned=clock.abandoned.union(run.abandoned),
                remarks=tuple(run.not_played()),
            )
            if is_up:
                longest = max((each.seconds for each in run.running()), default=0.0)
                return replace(clock, is_up=True, cut_off_seconds=longest)
        if clock.remarks and not list(journal.keys()):
            raise MachineError("; ".join(clock.remarks))
    finally:
        journal.close()
    return clock


def _own_games(session: Session) -> list[ScheduledGame]:
    # the contest's house players also meet each other
    return [game for game in session.games if NAME in (game.first, game.second)]


def count_games(
    contest: Contest,
    own: Sequence[ScheduledGame],
    records: Mapping[str, GameRecord],
    clock: Clock = UNHURRIED,
) -> Games:
    """Return the games of `own`, all planned ones, that count, and the grade."""
    settled = settle(own, records, contest.schedule.retire_after)
    ended = games_frame(settled.games)
    own_ns = (ended[ended[side] == NAME][f"{side}_ns"].sum() for side in ("first", "second"))
    thinking = float(sum(own_ns)) / 1e9
    whole, lost = _whole_pairs(settled.games), []
    # without a finished pair, slow play could not have saved any points
    if whole and clock.is_up and thinking + clock.cut_off_seconds > clock.seconds / 2:
        lost = [_lost(game) for game in _missing_of_begun_pairs(settled, clock.abandoned)]
        whole = _whole_pairs([*settled.games, *lost])
    overdrawn = sum(each in lost for each in whole)
    frame = games_frame(sorted(whole, key=lambda each: each.game.number))
    players = opponents(contest)
    top, needed = max(contest.grades.thresholds.items())
    rule = levels(contest.grades.thresholds, contest.grades.decimals or 0)
    field = _field(players, frame)
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
            value=float(marks.values[0]),
            why=marks.why(0),
            error=float(steady.error[0]),
            chances=steady.chances[0],
        ),
        top=top,
    )


def _missing_of_begun_pairs(settled: Settled, abandoned: frozenset[str]) -> list[ScheduledGame]:
    begun = {(each.game.pairing, each.game.opening) for each in settled.games}
    missing = [game for game in settled.open if game.key.digest not in abandoned]
    missing.sort(key=lambda game: (game.opening, game.number))  # in the order of play
    begun.update((game.pairing, game.opening) for game in missing[:1])
    return [game for game in missing if (game.pairing, game.opening) in begun]


def _whole_pairs(games: Iterable[SettledGame]) -> list[SettledGame]:
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
    unrated = Ratings(elo=np.zeros(1), covariance=np.zeros((1, 1)))
    pairs = {}
    for player in players:
        mine = _against(player, games)
        points = 0.5 + 0.5 * (mine["winner"] == NAME) - 0.5 * (mine["loser"] == NAME)
        halves = (2 * points.groupby(mine["opening"]).sum()).astype(int)
        pairs[player] = np.bincount(halves, minlength=len(SHARES))[np.newaxis].astype(float)
    field = field_by_rating([NAME], [], unrated, pairs)
    lost = games["fault"].astype(bool) & (games["loser"] == NAME)
    return replace(field, failing=frozenset({NAME} if len(games) and lost.all() else ()))


def _against(opponent: str, games: pd.DataFrame) -> pd.DataFrame:
    return games[(games["first"] == opponent) | (games["second"] == opponent)]
