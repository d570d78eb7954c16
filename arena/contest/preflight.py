"""Pre-flight: everything that can be found out about bots before a contest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from arena.contest.driver import LaneExecutor
from arena.contest.session import Session
from arena.contest.trials import Candidate, try_bots
from arena.intake import Submission
from arena.intake.imports import MissingImport, chosen_values, missing_imports, search_of
from arena.interfaces import INTERFACES, is_program
from arena.referee import Bot, Verdict
from arena.referee.examine import Examination, examine, shortest


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """Everything that was found out about one bot."""

    submission: Submission
    """The bot."""

    search: str
    """Its search function, whose calls are nodes; `none`, or why it cannot be counted."""

    is_counted: bool
    """True if its nodes are counted, as far as its source tells of its whole search."""

    doubt: str = ""
    """The reason why only a part of its search may be counted, as a clause; empty without one."""

    has_budget: bool = True
    """True if the contest's node budget holds for it."""

    counters: tuple[str, ...]
    """Globals in which its search counts, and which are put back before every move."""

    missing: tuple[MissingImport, ...]
    """Modules that it imports somewhere and that are not installed."""

    chosen: Mapping[str, object] = field(default_factory=dict)
    """Values that Arena gave to its constructor, as nobody else did, by parameter name."""

    examination: Examination = field(default_factory=Examination)
    """The results of its games; empty if they could not be played."""

    failure: str = ""
    """The reason why they could not, as a clause; empty if they were. It is never the bot's fault,
    and nothing is known of the bot then."""

    @property
    def counting(self) -> str:
        """`sure` if a budget holds for what is counted, else `counted only` or `not counted`.

        `in part` if a part of its search may not be counted.
        """
        if self.doubt:
            return "in part"
        if not self.is_counted:
            return "not counted"
        return "sure" if self.has_budget else "counted only"

    @property
    def fault(self) -> str | None:
        """The first thing that keeps it from playing, as the predicate of a sentence; or None."""
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
        """A sentence's predicate if its result is open, through no fault of the bot; else empty."""
        why = f"could not be checked, through no fault of the bot: {self.failure}"
        return why if self.failure and self.submission.problem is None else ""

    @property
    def takes_part(self) -> bool:
        """True if a contest on this board would seat it: it loads, and is not refused."""
        shown = self.examination
        loads = any(game.verdict is not Verdict.LOAD_ERROR for game in shown.games)
        return self.submission.problem is None and loads and shown.refused is None


def check_bots(session: Session, executor: LaneExecutor) -> Iterator[Preflight]:
    """Check the bots of a session, side by side and confined; yields each when it is done."""
    contest, bots, entered = session.contest, session.bots, session.submissions
    values = {
        name: chosen_values(entered[name], contest.bots[name].overrides.options) for name in bots
    }
    # the number among a bot's values says how deep it looks
    depths = {
        name: next(({key: each} for key, each in chosen.items() if isinstance(each, int)), None)
        for name, chosen in values.items()
    }
    candidates = (Candidate(name, name, bot, (depths[name],)) for name, bot in bots.items())
    for name, examination, failure in try_bots(examine, candidates, contest, executor):
        search, is_counted, counters, doubt = _search_of(entered[name], bots[name])
        yield Preflight(
            submission=entered[name],
            search=search,
            is_counted=is_counted and not doubt,
            doubt=doubt,
            has_budget=contest.limits.nodes is not None and bots[name].has_budget,
            counters=counters,
            missing=missing_imports(entered[name]),
            chosen=values[name],
            examination=examination or Examination(),
            failure=failure,
        )


def _search_of(submission: Submission, bot: Bot) -> tuple[str, bool, tuple[str, ...], str]:
    """The values of `search_of`, for any bot."""
    if submission.problem is not None:
        return "", False, (), ""
    if submission.entry_point.engine is not None:
        return "Arena's engine", True, (), ""
    if is_program(submission.entry_point.interface):
        return "a program's nodes cannot be counted", False, (), ""
    moves = INTERFACES[submission.entry_point.interface].MOVES
    return search_of(submission, moves, bot.entry_point.node_function)
