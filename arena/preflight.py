"""Pre-flight: what can be said of bots before a contest, and who cannot play on its board.

Bots are tried where games are played, on the lanes. One that takes its lane down costs no other
bot anything.
"""

from __future__ import annotations

import ast
import logging
import os
import site
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path, PurePosixPath
from typing import TypeVar

from arena.contest import Contest, ContestFolder, enter
from arena.contest.entries import seated
from arena.contest.lanes import with_zygote
from arena.errors import InputError
from arena.host.counters import find_counters
from arena.host.loader import PIECE
from arena.host.meter import NoSuchFunction, find_search
from arena.intake import Submission, house_submissions
from arena.intake.source import imported_names
from arena.interfaces import INTERFACES, is_program, support
from arena.referee import Bot, Limits
from arena.referee.examine import Examination, Trial, examine, refusal, refuses
from arena.referee.zygote import Zygote
from arena.rules import Ruleset

SPARRING = "random"
"""The house player that every bot meets."""

ATTEMPTS = 2
"""How often a bot may take its lane down before it is left at that."""

T = TypeVar("T")

log = logging.getLogger("arena.preflight")


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A module that a bot imports and that is not installed."""

    name: str
    """The module."""

    file: str
    """Where it is imported first, preferably where that keeps the bot from being loaded; of a
    notebook its cell."""

    line: int
    """The line of that file, from 1."""

    at_load: bool
    """Whether it is imported as soon as the bot is, so that this cannot be loaded."""

    def __str__(self) -> str:
        when = "at the top" if self.at_load else "not needed at once"
        return f"{self.name} ({self.file}, line {self.line}, {when})"


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """What was found out about one bot."""

    submission: Submission
    """The bot."""

    search: str
    """Its search function, whose calls are nodes; `none`, or why it cannot be counted."""

    is_counted: bool
    """Whether its nodes are counted."""

    counters: tuple[str, ...]
    """Globals in which its search counts, and which are put back before every move."""

    missing: tuple[Missing, ...]
    """Modules that it imports somewhere and that are not installed."""

    examination: Examination | None
    """What it showed in its games; None if it took down the process that plays them."""

    @property
    def fault(self) -> str | None:
        """The first thing that keeps it from playing, as the predicate of a sentence; or None."""
        if self.submission.problem is not None:
            return f"could not be loaded: {self.submission.problem}"
        if self.examination is None:
            return "took down the process that plays the games, every time"
        if self.examination.refused is not None:
            return self.examination.refused.reason
        return next((game.reason for game in self.games if game.is_fault), None)

    @property
    def games(self) -> tuple[Trial, ...]:
        """Its games on the contest's board."""
        return self.examination.games if self.examination else ()

    @cached_property
    def failures(self) -> Mapping[str, list[Trial]]:
        """The games on the contest's board that it failed in, by what it did, whatever the ply."""
        found: dict[str, list[Trial]] = {}
        for trial in self.games:
            if trial.is_fault:
                found.setdefault(trial.sentence, []).append(trial)
        refused = self.examination.refused if self.examination else None
        if refused and refused.trial:
            found.setdefault(refused.trial.sentence, [refused.trial])
        return found


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
    for name, examination in _on_lanes(examine, bots, contest, executor, lanes):
        search, is_counted, counters = _search_of(chosen[name], bots[name])
        yield Preflight(
            submission=chosen[name],
            search=search,
            is_counted=is_counted,
            counters=counters,
            missing=missing_imports(chosen[name]),
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


def missing_imports(submission: Submission) -> tuple[Missing, ...]:
    """Modules that its files import and that neither it nor Arena nor Python has, in order."""
    trees = submission.trees()
    own = {part.removesuffix(".py") for name in submission.files for part in name.split("/")}
    own |= support.modules(submission.interface)
    loaded = _loaded_files([submission.file] if submission.entry else trees, trees)
    found: dict[str, Missing] = {}
    for file in sorted(trees, key=lambda file: file not in loaded):
        at_load = {id(node) for node in _at_load(trees[file].body)} if file in loaded else set()
        for node in ast.walk(trees[file]):
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            for name in imported_names(ast.Module([node], [])) - own:
                first = found.get(name)
                fatal = id(node) in at_load
                if (first is None or fatal > first.at_load) and not _installed(name):
                    where, line = _place(submission, file, node.lineno)
                    found[name] = Missing(name=name, file=where, line=line, at_load=fatal)
    return tuple(sorted(found.values(), key=lambda missing: (not missing.at_load, missing.name)))


def _on_lanes(
    function: Callable[[Zygote, Bot, Bot, Ruleset, Limits, int], T],
    bots: Mapping[str, Bot],
    contest: Contest,
    executor: Executor,
    lanes: int,
) -> Iterator[tuple[str, T | None]]:
    """(name, result) of the function for each bot, as they end.

    The result is None for a bot whose lane did not survive it, ATTEMPTS times. Raises InputError
    if this machine cannot confine bots.
    """
    (player,) = (player for player in house_submissions() if player.name == SPARRING)
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
    trees, moves = submission.trees(), INTERFACES[submission.interface].MOVES
    try:
        search = find_search(trees, submission.file, submission.entry, moves, bot.node_function)
    except NoSuchFunction as error:
        return str(error), False, ()
    found = find_counters(trees, submission.file, submission.entry, moves, search)
    counters = sorted({name for names in found.values() for name in names})
    return str(search), bool(search.functions) and not search.compiled, tuple(counters)


def _loaded_files(entries: Iterable[str], trees: Mapping[str, ast.Module]) -> set[str]:
    """The files that are executed when these are: themselves, and what they import at once."""
    reached: set[str] = set()
    pending = list(entries)
    while pending:
        file = pending.pop()
        if file in reached or file not in trees:
            continue
        reached.add(file)
        imports: list[ast.stmt] = list(_at_load(trees[file].body))
        wanted = imported_names(ast.Module(imports, []))
        pending += [other for other in trees if PurePosixPath(other).stem in wanted]
    return reached


def _at_load(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports without which these statements cannot be executed: none in a condition, a `try`
    or a function."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, (ast.ClassDef, ast.With)):
            yield from _at_load(node.body)


def _place(submission: Submission, file: str, line: int) -> tuple[str, int]:
    """A place in a file as its author knows it: of what was a notebook, in its cell."""
    if not file.endswith(".ipynb.py"):
        return file, line
    above = submission.contents.read(file).decode().split("\n")[:line]
    for start in reversed(range(len(above))):
        if mark := PIECE.match(above[start]):
            return mark[1], line - start - 1
    return file, line


def _installed(name: str) -> bool:
    """Whether bots can import a module of that name, without importing it here.

    They see the installed packages, not the folder that Arena was started in nor its user's own.
    """
    if name in (*sys.builtin_module_names, "__main__", "arena"):
        return True
    hidden = {"", os.getcwd(), site.getusersitepackages()}
    try:
        return PathFinder.find_spec(name, [p for p in sys.path if p not in hidden]) is not None
    except (ImportError, ValueError):
        return False
