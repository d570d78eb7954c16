"""Pre-flight: what can be said of a bot before a contest, and a short game to see it play."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from arena.contest import Contest, ContestFolder, enter
from arena.contest.entries import seated
from arena.contest.lanes import Batch, play_batch
from arena.host.meter import NoSuchFunction, find_search
from arena.intake import Submission, house_submissions
from arena.intake.source import Unreadable, imported_names, parse
from arena.interfaces import INTERFACES
from arena.referee import GameKey, GameRecord

SPARRING = "random"
"""The house player that every bot meets once from each seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What was found out about one bot."""

    submission: Submission
    """The bot."""

    search: str
    """Its search function, whose calls are nodes; `none`, or why it cannot be counted."""

    missing: tuple[str, ...]
    """Modules that it imports somewhere and that are not installed."""

    games: tuple[GameRecord, ...]
    """Its games against SPARRING, as player 1 and as player 2; none if it has no entry."""

    @property
    def fault(self) -> str | None:
        """The first thing that keeps it from playing, in a sentence about the bot; None if fit."""
        if self.submission.problem is not None:
            return f"could not be loaded: {self.submission.problem}"
        for seat, game in enumerate(self.games):
            if game.verdict.is_fault and game.winner != seat:
                return game.reason
        return None

    @property
    def result(self) -> str:
        """How the games went, from the bot's side: `won, lost`."""
        words = []
        for seat, game in enumerate(self.games):
            lost = "forfeited" if game.verdict.is_fault else "lost"
            words.append("drew" if game.winner is None else "won" if game.winner == seat else lost)
        return ", ".join(words)


def check_bots(
    submissions: Sequence[Submission], contest: Contest, executor: Executor, scratch: Path
) -> Iterator[Preflight]:
    """Check bots, side by side and confined; yields each when it is done.

    `scratch` is an empty folder for copies of the bots.
    """
    folder = ContestFolder(scratch)
    folder.create()
    house = [player for player in house_submissions() if player.name == SPARRING]
    enter(contest, submissions, house)  # a bot of the contest file that is not there is said now
    sparring_contest, _ = enter(replace(contest, bots={}), (), house)
    sparring_bot = seated(sparring_contest, folder.snapshots)[SPARRING]
    folder.write(sparring_contest, [house[0]])
    futures: dict[Future[list[GameRecord]], int] = {}
    games: list[list[GameRecord | None]] = []
    for index, submission in enumerate(submissions):
        own = {name: bot for name, bot in contest.bots.items() if name == submission.name}
        entered, _ = enter(replace(contest, bots=own), (submission,), ())
        folder.write(entered, [submission])
        bot = seated(entered, folder.snapshots)[submission.name]
        games.append([None, None])
        for seat in range(2):
            first, second = (bot, sparring_bot) if seat == 0 else (sparring_bot, bot)
            key = GameKey(
                rules=contest.rules,
                limits=contest.limits,
                opening=(),
                first=first,
                second=second,
                seed=contest.schedule.seed,
            )
            futures[executor.submit(play_batch, Batch(first, second, (key,)))] = 2 * index + seat
    for future in as_completed(futures):
        index, seat = divmod(futures[future], 2)
        games[index][seat] = future.result()[0]
        played = tuple(game for game in games[index] if game is not None)
        if len(played) == 2:
            submission = submissions[index]
            yield Preflight(
                submission=submission,
                search=_search_of(submission),
                missing=_missing_imports(submission),
                games=played,
            )


def _trees(submission: Submission) -> dict[str, ast.Module]:
    base = submission.source if submission.source.is_dir() else submission.source.parent
    trees = {}
    for name in submission.files:
        if name.endswith(".py"):
            try:
                trees[name] = parse(base / name)
            except Unreadable:
                continue
    return trees


def _search_of(submission: Submission) -> str:
    if submission.problem is not None:
        return ""
    move = INTERFACES[submission.interface].MOVE
    try:
        return str(find_search(_trees(submission), submission.file, submission.entry, move))
    except NoSuchFunction as error:
        return str(error)


def _missing_imports(submission: Submission) -> tuple[str, ...]:
    trees = _trees(submission)
    own = {Path(name).parts[0].removesuffix(".py") for name in submission.files}
    wanted = {name for tree in trees.values() for name in imported_names(tree)} - own
    return tuple(sorted(name for name in wanted if not _installed(name)))


def _installed(name: str) -> bool:
    """Whether a module of that name is there, without importing it."""
    if name in sys.builtin_module_names or name in sys.modules:
        return True
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
