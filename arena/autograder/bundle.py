"""The archive for Gradescope: two scripts, the contest file, and Arena itself as a wheel.

The scripts are complete but for what is set here: times, points and options of `arena grade`.
"""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from arena.autograder.grading import NAME, opponents
from arena.autograder.handin import SPARE_SECONDS
from arena.autograder.results import failure_json
from arena.autograder.wheel import arena_wheel, packed
from arena.contest import Contest, Format, GradeRule, enter
from arena.contest.contest_file import write_contest_file
from arena.intake import house_player
from arena.interfaces import EntryPoint, InterfaceName

SETUP, RUN = "setup.sh", "run_autograder"
"""The scripts by the names that Gradescope gives them."""

CONTEST = "contest.toml"
"""The contest file, as `arena grade` reads it there."""

NOTHING_LEFT = (
    "arena grade ended without a result: it was killed, as the container's memory or time was used "
    "up, or it could not be started. What it printed last is the autograder's output."
)
"""What the instructor reads of an autograder that was ended from outside."""

LAST_SECONDS = 20
"""Part of the time limit after which whatever still runs is ended."""


def levels_contest(contest: Contest) -> Contest:
    """Return the contest of one hand-in against the house players that its grade is measured by.

    Of the bots in it, only these players and `submission` stay. Raises InputError.
    """
    contest = replace(
        contest,
        schedule=replace(contest.schedule, format=Format.GAUNTLET),
        grades=replace(contest.grades, rule=GradeRule.LEVELS),
    )
    players = opponents(contest)
    bots = {name: bot for name, bot in contest.bots.items() if name in (NAME, *players)}
    house = replace(contest, bots={name: bot for name, bot in bots.items() if name != NAME})
    enter(house, (), [house_player(name) for name in players])  # are their options such as exist?
    return replace(contest, bots=bots)


def most_games(contest: Contest) -> int:
    """Return the number of games that a hand-in plays if there is time for all."""
    return 2 * contest.schedule.openings * len(opponents(contest))


def unhurried_seconds(contest: Contest, minutes: int) -> float:
    """Return the mean seconds for a move at which a bot loses no game by slow play.

    It has half of the time, and games may fill the board.
    """
    plan = contest.schedule
    moves = (contest.rules.cells - plan.min_plies) / 2 * most_games(contest)
    return (minutes * 60 - SPARE_SECONDS) / 2 / max(1.0, moves)


def bundle(contest: Contest, points: float, minutes: int, *, allow_unsandboxed: bool) -> bytes:
    """Return the archive for a `levels_contest`, full marks and the assignment's time limit.

    Raises InputError if no wheel can be made of this Arena.
    """
    options = ["--points", str(points), "--seconds", str(minutes * 60 - SPARE_SECONDS)]
    if allow_unsandboxed:
        options.append("--allow-unsandboxed")
    settings = {
        "@PATIENCE@": str(minutes * 60 - LAST_SECONDS),
        "@OPTIONS@": shlex.join(options),
        "@NO_RESULTS@\n": failure_json(NOTHING_LEFT),
    }
    run = _script(RUN)
    for mark, text in settings.items():
        run = run.replace(mark, text)
    wheel, content = arena_wheel()
    files = {
        SETUP: _script(SETUP).encode(),
        RUN: run.encode(),
        CONTEST: _contest_file(contest),
        wheel: content,
    }
    return packed(files, programs=(SETUP, RUN))


def is_bundle(path: Path) -> bool:
    """Return True if a file is an archive that `bundle` made."""
    try:
        with ZipFile(path) as archive:
            return archive.namelist()[:3] == [SETUP, RUN, CONTEST]
    except (OSError, BadZipFile):
        return False


def _script(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8")


def _contest_file(contest: Contest) -> bytes:
    """Return the contest file, with what was set of bots and not how they were found."""
    bots = {
        name: replace(
            bot,
            entry_point=EntryPoint(
                file=bot.overrides.file or "",
                interface=bot.overrides.interface or InterfaceName.NONE,
                name=bot.overrides.entry or "",
                node_function=bot.overrides.node_function,
                options=bot.overrides.options,
            ),
        )
        for name, bot in contest.bots.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / CONTEST
        write_contest_file(path, replace(contest, bots=bots))
        return path.read_bytes()
