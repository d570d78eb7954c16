"""The code of submissions, read in confined processes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.common.errors import GarbledError, InputError, InternalError, UnreadableError, reading
from arena.common.names import house_folder
from arena.common.system import available_cores
from arena.common.text import one_line, some_of
from arena.contest.folder import ContestFolder
from arena.courses.collect import collect
from arena.courses.roster import Roster, export_at, find_roster
from arena.intake.archive import PackedFiles
from arena.intake.collected import COLLECTED
from arena.intake.confined import ReadLimits, confined_items, text
from arena.intake.files import MAX_PATH, Files, FolderFiles, WithMore, folder_files
from arena.intake.notebook import MODULES
from arena.intake.submission import MAX_SENTENCE, NAMED, Submission, read_submission
from arena.similar.fingerprints import LENGTH, WINDOW, fingerprints
from arena.source.trees import MAX_SOURCE
from arena.statistics.bradley_terry import Ints

MAX_TEXT = MAX_SOURCE  # Characters of a submission that are compared, the shortest files first.
MAX_BASE = 1 << 22  # Of code that was given to all.
# The longest submissions take 2 s, most 0.03 s.
LIMITS = ReadLimits(seconds=5, memory=1 << 30, answer=80 << 20)
BASE_LIMITS = ReadLimits(seconds=240, memory=4 << 30, answer=800 << 20)
NO_CODE = "has too little code to be compared, or none in a language that Arena knows"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceCode:
    """The code of a submission as one text, with its fingerprints."""

    name: str
    lines: tuple[str, ...]
    parts: tuple[tuple[int, str], ...]
    """First line (from 1) and name of each file."""

    token_lines: Ints
    """The line of each token."""

    hashes: NDArray[np.uint64]
    """Of its passages."""

    starts: Ints
    """The first token of each passage."""


def submissions_at(paths: Sequence[Path], scratch: Path) -> Roster:
    """Find submissions, exports unpacked into `scratch`. Raises InputError."""
    remarks: list[str] = []
    roster = find_roster([_unpacked(path, scratch, remarks) for path in paths])
    return replace(roster, readings=(*remarks, *roster.readings))


def _unpacked(path: Path, scratch: Path, remarks: list[str]) -> Path:
    """Collect an export and return its folder; return other paths unchanged."""
    is_collected = (path / COLLECTED).is_file() or (path.parent / COLLECTED).is_file()
    if is_collected or not path.exists() or (export := export_at(path)) is None:
        return path
    into = scratch / str(len(list(scratch.iterdir())))
    collected = collect(export[0], into)
    for entry in collected.entries:
        if not entry.path:
            who = ", ".join(name for name, _, _ in entry.people)
            remarks.append(one_line(f"{who}: {entry.status.removeprefix('refused: ')}"))
    remarks += (f"left out: {each}" for each in collected.left_out)
    return into


def contest_bots(folder: ContestFolder) -> list[Submission]:
    """Return a contest's bots as played, without house players. Raises InputError."""
    bots = {name: bot.content_hash for name, bot in folder.read().bots.items() if not bot.house}
    places = {name: folder.snapshots / mark for name, mark in bots.items() if mark}
    with reading(folder.path):
        return [replace(read_submission(place), name=name) for name, place in places.items()]


def read_code(submissions: Sequence[Submission]) -> Iterator[tuple[SourceCode | None, list[str]]]:
    """Yield each submission's code, None if it has none, and what was left out."""
    with ThreadPoolExecutor(len(available_cores())) as readers:
        yield from readers.map(_read, submissions)


def _read(submission: Submission) -> tuple[SourceCode | None, list[str]]:
    found: list[SourceCode] = []
    left_out: list[str] = []
    try:
        for item in _fingerprints(submission.source, submission.contents, WINDOW, MAX_TEXT, LIMITS):
            if isinstance(item, str):
                left_out.append(text(item, MAX_SENTENCE))
            else:
                found.append(_checked(item, submission.name))
    except (OSError, UnreadableError, InternalError) as error:  # the others are compared
        left_out.append(str(error))
    code = _together(found, submission.name)
    if not len(code.hashes):
        left_out = left_out or [submission.problem or NO_CODE]
    remarks = [f"{submission.name}: {some_of(left_out, NAMED, '; ')}"] if left_out else []
    remarks = [one_line(each, MAX_SENTENCE) for each in remarks]
    return code if len(code.hashes) else None, remarks


def base_hashes(paths: Iterable[Path]) -> NDArray[np.uint64]:
    """Return the hashes of given code: Arena's bots and `paths`. Raises InputError."""
    hashes = []
    for path in (house_folder(), *paths):
        try:
            alone = FolderFiles(path.parent, (path.name,))
            files = folder_files(path) if path.is_dir() else alone
            found = _fingerprints(path, files, 1, MAX_BASE, BASE_LIMITS)
            codes = [_checked(each, "") for each in found if not isinstance(each, str)]
            hashes.append(_together(codes, "").hashes)
        except (OSError, UnreadableError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise InputError(f"{path}: cannot be read: {why}") from None
        if not len(hashes[-1]):
            raise InputError(f"{path}: {NO_CODE}")
    return np.unique(np.concatenate(hashes))


def _fingerprints(
    source: Path, files: Files, window: int, most: int, limits: ReadLimits
) -> Iterator[Any]:
    made: Collection[str] = ()
    if isinstance(files, WithMore):
        made, files = files.more, files.files
    where, names = source, None
    if isinstance(files, FolderFiles):
        where = files.folder
        # without a notebook's module, as the notebook is compared
        names = [name for name in files.names if name not in made]
    elif isinstance(files, PackedFiles):
        where = files.path
    return confined_items(
        *(fingerprints, os.path.abspath(where), names, window, most),
        readable=[source],
        modules=MODULES,
        limits=limits,
    )


def _checked(found: object, name: str) -> SourceCode:
    """Return the code of a file that a confined process found. Raises GarbledError."""
    if not isinstance(found, dict):
        raise GarbledError
    lines = text(found.get("text"), MAX_BASE).split("\n")
    token_lines, starts = _numbers(found.get("lines")), _numbers(found.get("starts"))
    hashes = _numbers(found.get("hashes"), np.uint64)
    last = len(token_lines) - LENGTH
    for values, most in ((token_lines, len(lines) - 1), (starts, last)):
        if np.any((values < 0) | (values > most)):
            raise GarbledError
    if len(hashes) != len(starts) or np.any(np.diff(starts) < 0):
        raise GarbledError
    return SourceCode(
        name=name,
        lines=tuple(lines),
        parts=((1, one_line(text(found.get("name"), MAX_PATH))),),
        token_lines=token_lines + 1,
        hashes=hashes,
        starts=starts,
    )


def _together(files: Sequence[SourceCode], name: str) -> SourceCode:
    lines = np.cumsum([0, *(len(file.lines) for file in files)])[:-1]
    tokens = np.cumsum([0, *(len(file.token_lines) for file in files)])[:-1]
    none = np.zeros(0, np.int64)
    return SourceCode(
        name=name,
        lines=tuple(line for file in files for line in file.lines),
        parts=tuple(
            (first + 1, file.parts[0][1]) for first, file in zip(lines.tolist(), files, strict=True)
        ),
        token_lines=np.concatenate([none, *(file.token_lines for file in files)])
        + np.repeat(lines, [len(file.token_lines) for file in files]),
        hashes=np.concatenate([none.astype(np.uint64), *(file.hashes for file in files)]),
        starts=np.concatenate([none, *(file.starts for file in files)])
        + np.repeat(tokens, [len(file.starts) for file in files]),
    )


def _numbers(values: object, kind: Any = np.int64) -> NDArray[Any]:
    try:
        numbers = np.array(values, dtype=kind)
    except (TypeError, ValueError, OverflowError):
        raise GarbledError from None
    if numbers.ndim != 1:
        raise GarbledError
    return numbers
