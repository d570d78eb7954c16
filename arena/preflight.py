"""Pre-flight: what can be said of bots before a contest, and who cannot play on its board.

Bots are tried where games are played, on the lanes. One that takes its lane down costs no other
bot anything.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from arena.contest import Contest, ContestFolder, enter
from arena.contest.entries import seated
from arena.contest.lanes import with_zygote
from arena.errors import InputError
from arena.intake import FLOOR, Submission, house_player, house_submissions
from arena.intake.chosen import chosen_values
from arena.intake.search import search_of
from arena.interfaces import INTERFACES, is_program
from arena.missing import Missing, missing_imports
from arena.referee import Bot, Verdict
from arena.referee.examine import Examination, examine
from arena.referee.refusal import refusal, refuses
from arena.referee.trial import Trial

ATTEMPTS = 2
"""How often a bot may take its lane down before it is left at that."""

ENOUGH_GAMES, WEAK_SHARE = 8, 0.6
"""How many games tell something about a bot, and the share of their points that a search which
works exceeds: of 20 games, hardly one bot in a thousand that wins nine of ten gets no more."""

T = TypeVar("T")

log = logging.getLogger("arena.preflight")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How games against `random` ended."""

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
        """How many games were played to their end."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """What was found out about one bot."""

    submission: Submission
    """The bot."""

    search: str
    """Its search function, whose calls are nodes; `none`, or why it cannot be counted."""

    is_counted: bool
    """Whether its nodes are counted."""

    has_budget: bool = True
    """Whether the contest's node budget holds for it."""

    counters: tuple[str, ...]
    """Globals in which its search counts, and which are put back before every move."""

    missing: tuple[Missing, ...]
    """Modules that it imports somewhere and that are not installed."""

    chosen: Mapping[str, object] = field(default_factory=dict)
    """Values that Arena gave to its constructor, as nobody else did, by parameter name."""

    examination: Examination | None
    """What it showed in its games; None if it took down the process that plays them."""

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
        if self.examination is None:
            return "took down the process that plays the games, every time"
        if self.examination.refused is not None:
            return self.examination.refused.reason
        return next((shortest(trials).reason for trials in self.failures.values()), None)

    @property
    def takes_part(self) -> bool:
        """Whether a contest on this board would seat it: it loads, and is not refused."""
        loads = any(trial.verdict is not Verdict.LOAD_ERROR for trial in self.games)
        refused = self.examination is not None and self.examination.refused is not None
        return self.submission.problem is None and loads and not refused

    @property
    def slow(self) -> Trial | None:
        """Where it was no longer waited for, though a contest would have waited on; or None."""
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
        """Where on the contest's board it failed, by what it did, whatever the ply."""
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
        """Whether it searches and does no better against `random` than one that does not."""
        counts = [count for trial in self.trials for count in trial.nodes]
        score = self.against_random
        points = score.wins + score.draws / 2
        searches = bool(counts) and max(counts) > 1
        return searches and score.games >= ENOUGH_GAMES and points <= WEAK_SHARE * score.games


def shortest(trials: Sequence[Trial]) -> Trial:
    """The one in which something happened with the fewest discs on the board."""
    return min(trials, key=lambda trial: len(trial.moves))


def check_bots(
    submissions: Sequence[Submission],
    contest: Contest,
    executor: Executor,
    lanes: int,
    scratch: Path,
) -> Iterator[Preflight]:
    """Check bots, side by side and confined; yields each when it is done.

    `lanes` is how many bots the executor examines at a time, `scratch` an empty folder for copies
    of the bots. Raises InputError for a contest that names a bot that is not there.
    """
    enter(contest, submissions, house_submissions())  # says so if one is named that is not there
    names = {submission.name for submission in submissions}
    wishes = {name: bot for name, bot in contest.bots.items() if name in names}
    entered, chosen = enter(replace(contest, bots=wishes), submissions, ())
    folder = ContestFolder(scratch)
    folder.create()
    folder.write(entered, chosen.values())
    bots = seated(entered, folder.snapshots)
    values = {name: chosen_values(chosen[name], entered.bots[name].options) for name in bots}
    depths = {name: (_depth_among(values[name]),) for name in bots}
    for name, examination in _on_lanes(examine, bots, contest, executor, lanes, depths):
        search, is_counted, counters = _search_of(chosen[name], bots[name])
        yield Preflight(
            submission=chosen[name],
            search=search,
            is_counted=is_counted,
            has_budget=contest.limits.nodes is not None and bots[name].has_budget,
            counters=counters,
            missing=missing_imports(chosen[name]),
            chosen=values[name],
            examination=examination,
        )


def known_refusals(contest: Contest, before: Contest | None, snapshots: Path) -> dict[str, str]:
    """What need not be tried again: why bots are refused, or an empty text, by their identity.

    `before` is the contest that the folder holds. A bot is known if it is the same, under the same
    rules. A house player plays on every board.
    """
    bots = seated(contest, snapshots)
    known = {bots[name].identity: "" for name, entry in contest.bots.items() if entry.house}
    if before is not None and before.rules == contest.rules:
        old = seated(before, snapshots)
        known |= {old[name].identity: entry.refused or "" for name, entry in before.bots.items()}
    return known


def untried(contest: Contest, known: Mapping[str, str], snapshots: Path) -> dict[str, Bot]:
    """The bots, by identity, of which is not known whether they can play on the board."""
    bots = {bot.identity: bot for bot in seated(contest, snapshots).values()}
    return {identity: bot for identity, bot in bots.items() if identity not in known}


def find_refusals(
    bots: Mapping[str, Bot], contest: Contest, executor: Executor, lanes: int
) -> Iterator[tuple[str, str]]:
    """(key, why it is refused or an empty text) for each of the bots, as it is found out."""
    to_try = {}
    for key, bot in bots.items():
        why = refuses(bot, contest.rules)
        if why is not None or bot.problem is not None:
            yield key, why or ""
        else:
            to_try[key] = bot
    for key, found in _on_lanes(refusal, to_try, contest, executor, lanes):
        yield key, found.reason if found else ""


def refused(contest: Contest, refusals: Mapping[str, str], snapshots: Path) -> Contest:
    """The contest with the bots marked that cannot play in it, `refusals` by their identity."""
    bots = seated(contest, snapshots)
    return replace(
        contest,
        bots={
            name: replace(entry, refused=refusals.get(bots[name].identity) or None)
            for name, entry in contest.bots.items()
        },
    )


def _on_lanes(
    function: Callable[..., T],
    bots: Mapping[str, Bot],
    contest: Contest,
    executor: Executor,
    lanes: int,
    more: Mapping[str, tuple[object, ...]] = MappingProxyType({}),
) -> Iterator[tuple[str, T | None]]:
    """(name, result) of the function for each bot, as they end.

    It is called as `examine` is, with `more` arguments by the name of the bot.
    The result is None for a bot whose lane did not survive it, ATTEMPTS times. Raises InputError
    if this machine cannot confine bots.
    """
    player = house_player(FLOOR)
    sparring = Bot(
        content_hash=player.content_hash,
        root=str(player.source),  # it is a folder
        file=player.file,
        interface=player.interface,
        entry=player.entry,
    )
    waiting = deque((name, 1) for name in bots)
    playing: dict[Future[T], tuple[str, int]] = {}
    while waiting or playing:
        while waiting and len(playing) < lanes:
            name, attempt = waiting.popleft()
            future = executor.submit(
                with_zygote,
                function,
                bots[name],
                sparring,
                contest.rules,
                contest.limits,
                contest.schedule.seed,
                *more.get(name, ()),
            )
            playing[future] = name, attempt
        done, _ = wait(playing, return_when=FIRST_COMPLETED)
        for future in done:
            name, attempt = playing.pop(future)
            error = future.exception()
            if error is None:
                yield name, future.result()
            elif isinstance(error, InputError):
                raise error
            elif attempt < ATTEMPTS:
                log.warning("a lane failed, %s is tried again", name, exc_info=error)
                waiting.append((name, attempt + 1))
            else:
                log.error("%s took its lane down %d times", name, ATTEMPTS)
                yield name, None


def _search_of(submission: Submission, bot: Bot) -> tuple[str, bool, tuple[str, ...]]:
    """The search function in words, whether its calls are counted, and the bot's own counters."""
    if submission.problem is not None:
        return "", False, ()
    if submission.engine is not None:
        return "Arena's engine", True, ()
    if is_program(submission.interface):
        return "a program's nodes cannot be counted", False, ()
    moves = INTERFACES[submission.interface].MOVES
    return search_of(submission, moves, bot.node_function)


def _depth_among(values: Mapping[str, object]) -> dict[str, int] | None:
    """The value among them that says how deep a bot looks: the number."""
    return next(({name: value} for name, value in values.items() if isinstance(value, int)), None)
