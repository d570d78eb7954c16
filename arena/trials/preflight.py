"""Try bots before a contest: confined, on the lanes, one bot per batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from arena.game.record import Bot
from arena.game.starter import Starter
from arena.game.verdict import Verdict
from arena.intake.facts import NeededImport, chosen_values, needed_imports, search_of
from arena.intake.submission import Submission
from arena.interfaces import interface_of, is_program
from arena.playing.batches import with_starter
from arena.playing.driver import Batch, Driver, LaneExecutor
from arena.playing.log import about
from arena.settings.contest import Contest
from arena.trials.examine import Examination, examine, shortest
from arena.trials.trial import Terms

ATTEMPTS = 2  # Lanes that a bot may break before it is abandoned.
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    bot: Bot


def try_bots(
    function: Callable[[Starter, Bot, Terms], T],
    bots: Mapping[str, Bot],
    contest: Contest,
    executor: LaneExecutor,
) -> Iterator[tuple[str, T | None, str]]:
    """Yield (name, result or None, why there is no result) as trials on lanes end.

    Raises InputError if this machine cannot confine bots.
    """
    terms = Terms(contest.rules, contest.limits, contest.schedule.seed)
    work = partial(_try_batch, function, terms)
    driver: Driver[Candidate, tuple[str, T]] = Driver(executor, work, attempts=ATTEMPTS)
    driver.add(
        Batch(name, (Candidate(name, bot),), {bot.identity: name}) for name, bot in bots.items()
    )
    for ended in driver:
        for name, result in ended.results:
            yield name, result, ""
        for candidate, why in ended.abandoned:
            yield candidate.name, None, why


def _try_batch(
    function: Callable[[Starter, Bot, Terms], T], terms: Terms, batch: Batch[Candidate]
) -> list[tuple[str, T]]:
    results: list[tuple[str, T]] = []
    for each in batch.items:
        with about(bots=(each.name,)):
            results.append((each.name, with_starter(function, each.bot, terms)))
    return results


@dataclass(frozen=True, kw_only=True)
class Preflight:
    submission: Submission
    search: str
    """Its search function, whose calls are nodes; `none`, or why nodes cannot be counted."""

    is_counted: bool
    """Whether its source shows that all nodes are counted."""

    doubt: str = ""
    """Why only a part of its search may be counted, as a clause; else empty."""

    has_budget: bool = True
    """Whether the contest's node budget applies."""

    counters: tuple[str, ...]
    """Global variables in which its search counts; they are reset before every move."""

    imports: tuple[NeededImport, ...]
    chosen: Mapping[str, object] = field(default_factory=dict)
    """Arena's values for its constructor's parameters, by name."""

    examination: Examination = field(default_factory=Examination)
    failure: str = ""
    """Why no games could be played, as a clause; never the bot's fault."""

    @property
    def missing(self) -> tuple[NeededImport, ...]:
        return tuple(each for each in self.imports if not each.is_installed)

    @property
    def counting(self) -> str:
        """`sure`, `counted only` (no budget), `not counted`, or `in part` if in doubt."""
        if self.doubt:
            return "in part"
        if not self.is_counted:
            return "not counted"
        return "sure" if self.has_budget else "counted only"

    @property
    def fault(self) -> str | None:
        """The rest of a sentence: the first thing that keeps it from playing, or None."""
        if self.submission.problem is not None:
            return f"could not be loaded: {self.submission.problem}"
        if self.examination.refused is not None:
            return self.examination.refused.reason
        failures = self.examination.failures.values()
        reason = next((shortest(trials).reason for trials in failures), None)
        cures = [each.cure for each in self.missing if f"'{each.name}'" in (reason or "")]
        return "; ".join([reason, *cures[:1]]) if reason else None

    @property
    def open(self) -> str:
        """The rest of a sentence: why the bot could not be checked; else empty."""
        why = f"could not be checked, through no fault of the bot: {self.failure}"
        return why if self.failure and self.submission.problem is None else ""

    @property
    def takes_part(self) -> bool:
        """Whether it would play in a contest: it loads and is not refused."""
        shown = self.examination
        loads = any(game.verdict is not Verdict.LOAD_ERROR for game in shown.games)
        return self.submission.problem is None and loads and shown.refused is None


def check_bots(
    contest: Contest,
    bots: Mapping[str, Bot],
    entered: Mapping[str, Submission],
    executor: LaneExecutor,
) -> Iterator[Preflight]:
    for name, examination, failure in try_bots(examine, bots, contest, executor):
        search, is_counted, counters, doubt = _search_of(entered[name], bots[name])
        yield Preflight(
            submission=entered[name],
            search=search,
            is_counted=is_counted and not doubt,
            doubt=doubt,
            has_budget=contest.limits.nodes is not None and bots[name].has_budget,
            counters=counters,
            imports=needed_imports(entered[name], contest.packages.allow),
            chosen=chosen_values(entered[name], contest.bots[name].overrides.options),
            examination=examination or Examination(),
            failure=failure,
        )


def _search_of(submission: Submission, bot: Bot) -> tuple[str, bool, tuple[str, ...], str]:
    if submission.problem is not None:
        return "", False, (), ""
    if submission.entry_point.engine is not None:
        return "Arena's engine", True, (), ""
    if is_program(submission.entry_point.interface):
        return "a program's nodes cannot be counted", False, (), ""
    moves = interface_of(submission.entry_point).MOVES
    return search_of(submission, moves, bot.entry_point.node_function)
