"""Pre-flight: what can be said of a bot before a contest, and a short game to see it play."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from arena.contest import Contest, ContestFolder, Journal, Run, ScheduledGame, enter
from arena.contest.entries import seated
from arena.host.meter import NoSuchFunction, find_search
from arena.intake import Submission, house_submissions
from arena.intake.source import imported_names
from arena.interfaces import INTERFACES, is_program
from arena.referee import Bot, GameKey, GameRecord

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
    """Its games against SPARRING, as player 1 and as player 2; none if they could not be played."""

    @property
    def fault(self) -> str | None:
        """The first thing that keeps it from playing, in a sentence about the bot; None if fit."""
        if self.submission.problem is not None:
            return f"could not be loaded: {self.submission.problem}"
        if not self.games:
            return "took down the process that plays the games, every time"
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
    submissions: Sequence[Submission],
    contest: Contest,
    executor: Executor,
    lanes: int,
    scratch: Path,
) -> Iterator[Preflight]:
    """Check bots, side by side and confined; yields each when it is done.

    `lanes` is how many games the executor plays at a time, `scratch` an empty folder for copies
    of the bots. Raises InputError for a contest that names a bot that is not there.
    """
    folder = ContestFolder(scratch)
    folder.create()
    house = [player for player in house_submissions() if player.name == SPARRING]
    enter(contest, submissions, house)  # says so if the contest file names a bot that is not there
    sparring_contest, chosen = enter(replace(contest, bots={}), (), house)
    folder.write(sparring_contest, chosen.values())
    sparring = seated(sparring_contest, folder.snapshots)[SPARRING]
    games: list[ScheduledGame] = []
    wanted: dict[str, list[tuple[int, int]]] = {}
    checked: list[Submission] = []
    for index, submission in enumerate(submissions):
        wishes = {name: bot for name, bot in contest.bots.items() if name == submission.name}
        entered, chosen = enter(replace(contest, bots=wishes), (submission,), ())
        folder.write(entered, chosen.values())
        checked.append(chosen[submission.name])
        bot = seated(entered, folder.snapshots)[submission.name]
        for seat in range(2):
            game = _sparring_game(contest, index, submission.name, bot, sparring, seat)
            games.append(game)
            wanted.setdefault(game.key.digest, []).append((index, seat))

    played: list[dict[int, GameRecord]] = [{} for _ in submissions]
    run = Run(games, Journal(Path(":memory:")), executor, lanes)
    for records in run:
        for record in records:
            for index, seat in wanted[record.key]:
                played[index][seat] = record
                if len(played[index]) == 2:
                    yield _preflight(checked[index], (played[index][0], played[index][1]))
    for digest in run.given_up:
        for index, _ in wanted[digest]:
            yield _preflight(checked[index], ())


def _sparring_game(
    contest: Contest, index: int, name: str, bot: Bot, sparring: Bot, seat: int
) -> ScheduledGame:
    """One game of a bot from the empty board, with the bot in that seat."""
    first, second = (bot, sparring) if seat == 0 else (sparring, bot)
    names = (name, SPARRING) if seat == 0 else (SPARRING, name)
    return ScheduledGame(
        number=2 * index + seat + 1,
        pairing=index + 1,
        opening=1,
        first=names[0],
        second=names[1],
        key=GameKey(
            rules=contest.rules,
            limits=contest.limits,
            opening=(),
            first=first,
            second=second,
            seed=contest.schedule.seed,
        ),
    )


def _preflight(submission: Submission, games: tuple[GameRecord, ...]) -> Preflight:
    return Preflight(
        submission=submission,
        search=_search_of(submission),
        missing=_missing_imports(submission),
        games=games,
    )


def _search_of(submission: Submission) -> str:
    if submission.problem is not None:
        return ""
    if is_program(submission.interface):
        return "none (a program, whose nodes cannot be counted)"
    moves = INTERFACES[submission.interface].MOVES
    try:
        return str(find_search(submission.trees(), submission.file, submission.entry, moves))
    except NoSuchFunction as error:
        return str(error)


def _missing_imports(submission: Submission) -> tuple[str, ...]:
    trees = submission.trees()
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
