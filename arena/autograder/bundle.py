"""The archive for Gradescope: two scripts, the contest file, and Arena as a wheel.

The wheel is made of the installed Arena's files and metadata, without a checkout or a network.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import shlex
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from arena.autograder import SPARE_SECONDS
from arena.autograder.grading import NAME, opponents
from arena.autograder.results import failure_json
from arena.common.errors import InputError
from arena.common.names import house_folder
from arena.common.packages import DISTRIBUTION
from arena.contest.entries import enter
from arena.intake.house_players import house_player
from arena.interfaces import EntryPoint
from arena.openings.pool import ALL
from arena.scoring.grade_rules import GradeRule
from arena.settings.contest import Contest, Format
from arena.settings.file import contest_text

PACKAGE = "arena"

WHEEL = "Wheel-Version: 1.0\nGenerator: arena\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

# Metadata files of the installed Arena that the wheel gets too.
INFORMATION = ("METADATA", "entry_points.txt", "licenses/LICENSE")


def arena_wheel() -> tuple[str, bytes]:
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise InputError(
            "Arena is not installed, so no wheel can be made of it; in its folder type: "
            "pip install -e ."
        ) from None
    # in a checkout the folder of bots is beside the package
    found = _files(Path(__file__).parents[1], PACKAGE) | _files(house_folder(), f"{PACKAGE}/bots")
    files = dict(sorted(found.items()))
    stem = f"{DISTRIBUTION.replace('-', '_')}-{distribution.version}"
    about = f"{stem}.dist-info"
    for name in INFORMATION:
        if (text := distribution.read_text(name)) is not None:
            files[f"{about}/{name}"] = text.encode()
    files[f"{about}/WHEEL"] = WHEEL.encode()
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD")
    return f"{stem}-py3-none-any.whl", packed(files)


def packed(files: dict[str, bytes], programs: tuple[str, ...] = ()) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            member = ZipInfo(name)  # with the default date, 1980
            member.external_attr = (0o100755 if name in programs else 0o100644) << 16
            member.compress_type = ZIP_DEFLATED
            archive.writestr(member, data)
    return buffer.getvalue()


def _files(home: Path, name: str) -> dict[str, bytes]:
    return {
        f"{name}/{path.relative_to(home).as_posix()}": path.read_bytes()
        for folder, _, files in os.walk(home)  # rglob fails if a folder of Python's vanishes
        for path in map(Path(folder).joinpath, files)
        if "__pycache__" not in path.parts
    }


def _record(files: dict[str, bytes], name: str) -> bytes:
    rows = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}")
    return "\n".join([*rows, f"{name},,", ""]).encode()


SETUP, RUN = "setup.sh", "run_autograder"  # Gradescope's names for the scripts.
CONTEST = "contest.toml"

# Shown to the instructor if the autograder was killed.
NOTHING_LEFT = (
    "The grading ended without a result: it could not start, or was killed when the container's "
    "memory or time ran out. Its last lines are in the autograder's output."
)

LAST_SECONDS = 20  # Seconds before the time limit when the script kills the grading.


def levels_contest(contest: Contest) -> Contest:
    """Return the contest of a submission against house players. Raises InputError."""
    contest = replace(
        contest,
        schedule=replace(contest.schedule, format=Format.GAUNTLET, shared_openings=ALL),
        grades=replace(contest.grades, rule=GradeRule.LEVELS),
    )
    players = opponents(contest)
    bots = {name: bot for name, bot in contest.bots.items() if name in (NAME, *players)}
    house = replace(contest, bots={name: bot for name, bot in bots.items() if name != NAME})
    # raises an error if their options are wrong
    enter(house, (), [house_player(name) for name in players])
    return replace(contest, bots=bots)


def most_games(contest: Contest) -> int:
    return 2 * contest.schedule.openings * len(opponents(contest))


def bundle(contest: Contest, points: float, minutes: int, *, home: bool) -> bytes:
    """Return the archive for a `levels_contest`.

    `points` are full marks, `minutes` the time limit. Raises InputError if Arena is not installed.
    """
    options = ["--points", str(points), "--seconds", str(minutes * 60 - SPARE_SECONDS)]
    if home:
        options.append("--home")
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
    try:
        with ZipFile(path) as archive:
            return archive.namelist()[:3] == [SETUP, RUN, CONTEST]
    except (OSError, BadZipFile):
        return False


def _script(name: str) -> str:
    return (Path(__file__).parent / name).read_text("utf-8")


def _contest_file(contest: Contest) -> bytes:
    bots = {
        name: replace(
            bot,
            entry_point=EntryPoint(
                file=bot.overrides.file or "",
                interface=bot.overrides.interface or "",
                name=bot.overrides.entry or "",
                node_function=bot.overrides.node_function,
                options=bot.overrides.options,
            ),
        )
        for name, bot in contest.bots.items()
    }
    return contest_text(replace(contest, bots=bots)).encode()
