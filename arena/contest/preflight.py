"""Pre-flight: everything that can be found out about bots before a contest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property

from arena.contest.driver import LANE_LOST
from arena.contest.session import Session
from arena.contest.trials import Candidate, try_bots
from arena.intake import Submission
from arena.intake.defaults import chosen_values
from arena.intake.imports import MissingImport, missing_imports
from arena.intake.search_function import search_of
from arena.interfaces import INTERFACES, is_program
from arena.referee import Bot, Verdict
from arena.referee.examine import Examination, examine
from arena.referee.trial import Trial

ENOUGH_GAMES, WEAK_SHARE = 8, 0.6
"""Games that are enough to tell something about a bot, and the share of their points that a search
that works exceeds: of 20 games, hardly one in a thousand bots that win nine of ten gets no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The results of games against `random`."""

    wins: int
    """Games that the bot won."""

    draws: int
    """Games that nobody won."""

    losses: int
    """Games that it lost, by faults too."""

    faults: int
    """Games that it lost by a fault."""

    @property
    def games(self) -> int:
        """Games that were played to their end."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """Everything that was found out about one bot."""

    submission: Submission
    """The bot."""

    search: str
    """Its search function, whose calls are nodes; `none`, or why it cannot be counted."""

    is_counted: bool
    """True if its nodes are counted."""

    has_budget: bool = True
    """True if the contest's node budget holds for it."""

    counters: tuple[str, ...]
    """Globals in which its search counts, and which are put back before every move."""

    missing: tuple[MissingImport, ...]
    """Modules that it imports somewhere and that are not installed."""

    chosen: Mapping[str, object] = field(default_factory=dict)
    """Values that Arena gave to its constructor, as nobody else did, by parameter name."""

    examination: Examination | None
    """The results of its games; None if they could not be played."""

    failure: str = ""
    """The reason why they could not, as a clause; empty if they were."""

    @property
    def counting(self) -> str:
        """`sure` if a budget holds for what is counted, else `counted only` or `not counted`."""
        if not self.is_counted:
            return "not counted"
        return "sure" if self.has_budget else "counted only"

    @property
    def fault(self) -> str | None:
        """The first thing that keeps it from playing, as the predicate of a sentence; or None."""
        if self.submission.problem is not None:
            return f"could not be loaded: {self.submission.problem}"
        if self.failure == LANE_LOST:
            return "took down the process that plays the games, every time"
        if self.examination is None:
            return f"could not be tried: {self.failure}"
        if self.examination.refused is not None:
            return self.examination.refused.reason
        return next((shortest(trials).reason for trials in self.failures.values()), None)

    @property
    def takes_part(self) -> bool:
        """True if a contest on this board would seat it: it loads, and is not refused."""
        loads = any(trial.verdict is not Verdict.LOAD_ERROR for trial in self.games)
        refused = self.examination is not None and self.examination.refused is not None
        return self.submission.problem is None and loads and not refused

    @property
    def slow(self) -> Trial | None:
        """The trial that was ended though a contest would have waited on, or None."""
        return next((trial for trial in self.trials if trial.slow), None)

    @property
    def games(self) -> tuple[Trial, ...]:
        """Its games from the empty board of the contest."""
        return self.examination.games if self.examination else ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All that it played on the contest's board."""
        return self.examination.trials if self.examination else ()

    @cached_property
    def failures(self) -> Mapping[str, list[Trial]]:
        """The trials on the contest's board in which it failed, by what it did."""
        found: dict[str, list[Trial]] = {}
        for trial in self.trials:
            if trial.is_fault:
                found.setdefault(trial.sentence, []).append(trial)
        refused = self.examination.refused if self.examination else None
        if refused and refused.trial:
            found.setdefault(refused.trial.sentence, [refused.trial])
        return found

    @cached_property
    def against_random(self) -> Tally:
        """The score of its games that were played to their end."""
        games = [*self.games, *(self.examination.quick_games if self.examination else ())]
        played = [game for game in games if game.is_played]
        wins = sum(game.won is True for game in played)
        losses = sum(game.won is False for game in played)
        faults = sum(game.is_fault for game in played)
        draws = len(played) - wins - losses
        return Tally(wins=wins, draws=draws, losses=losses, faults=faults)

    @property
    def is_weak(self) -> bool:
        """True if it searches and does no better against `random` than a bot that does not."""
        counts = [count for trial in self.trials for count in trial.nodes]
        score = self.against_random
        points = score.wins + score.draws / 2
        searches = bool(counts) and max(counts) > 1
        return searches and score.games >= ENOUGH_GAMES and points <= WEAK_SHARE * score.games


def shortest(trials: Sequence[Trial]) -> Trial:
    """The one in which something happened with the fewest discs on the board."""
    return min(trials, key=lambda trial: len(trial.moves))


def check_bots(session: Session, executor: Executor, lanes: int) -> Iterator[Preflight]:
    """Check the bots of a session, side by side and confined; yields each when it is done.

    `lanes` is how many bots the executor examines at a time.
    """
    contest, bots, entered = session.contest, session.bots, session.submissions
    values = {
        name: chosen_values(entered[name], contest.bots[name].overrides.options) for name in bots
    }
    candidates = (Candidate(name, bot, (_depth_among(values[name]),)) for name, bot in bots.items())
    for name, examination, failure in try_bots(examine, candidates, contest, executor, lanes):
        search, is_counted, counters = _search_of(entered[name], bots[name])
        yield Preflight(
            submission=entered[name],
            search=search,
            is_counted=is_counted,
            has_budget=contest.limits.nodes is not None and bots[name].has_budget,
            counters=counters,
            missing=missing_imports(entered[name]),
            chosen=values[name],
            examination=examination,
            failure=failure,
        )


def _search_of(submission: Submission, bot: Bot) -> tuple[str, bool, tuple[str, ...]]:
    """The search function in words, whether its calls are counted, and the bot's own counters."""
    if submission.problem is not None:
        return "", False, ()
    if submission.entry_point.engine is not None:
        return "Arena's engine", True, ()
    if is_program(submission.entry_point.interface):
        return "a program's nodes cannot be counted", False, ()
    moves = INTERFACES[submission.entry_point.interface].MOVES
    return search_of(submission, moves, bot.entry_point.node_function)


def _depth_among(values: Mapping[str, object]) -> dict[str, int] | None:
    """The value among them that says how deep a bot looks: the number."""
    return next(({name: value} for name, value in values.items() if isinstance(value, int)), None)
