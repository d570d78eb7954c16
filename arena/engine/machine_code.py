"""The engine's machine code: its folder, and compiling it in advance.

Does not import numba, which takes half a second.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from arena.common.errors import InputError, MachineError
from arena.rules import Goal, Ruleset

# Part of the keys of all games with the engine. Replace it by 16 other digits if and only if the
# engine's moves or node counts change; `tests/engine/test_version.py` detects that.
PLAY = "1cf4797df6655bf9"
BITS = 64  # Bits of a word.


class Piece(StrEnum):
    SEARCH = "search"
    SOLVER = "solver"


def pieces_of(options: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Return what a house player with these options uses."""
    return tuple(Piece) if options.get("solve") else (Piece.SEARCH,)


def fits(rules: Ruleset) -> bool:
    """Return whether these rules can be played on bitboards."""
    return rules.goal is Goal.FIRST and (
        rules.columns * (rules.rows + 1) <= BITS
        or (rules.cells <= BITS and rules.columns <= rules.rows)
    )


def is_compiled(pieces: Iterable[Piece] = tuple(Piece)) -> bool:
    """Return whether the machine code of these pieces is on disk."""
    folder = cache_folder()
    return folder is not None and _has(folder, pieces)


def marker(piece: Piece) -> str:
    return f"{piece}.complete"


def _has(folder: Path, pieces: Iterable[Piece]) -> bool:
    return all((folder / marker(piece)).exists() for piece in pieces)


@cache
def cache_folder() -> Path | None:
    """Return the folder of the engine's machine code; None if there can be none.

    Its name depends on everything that machine code depends on, so environments of one user share
    it. A complete folder may be read-only. One that another user could have written is not used:
    loading machine code runs it.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    places = (os.environ.get("NUMBA_CACHE_DIR"), home, Path(__file__).parent / "__pycache__")
    folders = [Path(place) / f"arena-engine-{_fingerprint()}" for place in places if place]
    for folder in folders:
        if _has(folder, Piece) and _is_private(folder):
            return folder
    for folder in folders:
        with suppress(OSError):
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK) and _is_private(folder):
            return folder
    return next(filter(_is_private, folders), None)


def _is_private(folder: Path) -> bool:
    """Return whether only this user, root or the owner of Arena's files can write there."""
    if not hasattr(os, "geteuid"):  # Windows, where folders of users are private
        return folder.is_dir()
    owners = {os.geteuid(), 0, os.stat(__file__).st_uid}
    try:
        found = [path.lstat() for path in (folder, *folder.iterdir())]
        above = folder.parent.stat()
    except OSError:
        return False
    shared = stat.S_IWOTH if above.st_gid == os.getegid() else stat.S_IWOTH | stat.S_IWGRP
    if above.st_uid not in owners or (above.st_mode & shared and not above.st_mode & stat.S_ISVTX):
        return False  # others could replace the folder
    return all(
        each.st_uid in owners
        and not stat.S_ISLNK(each.st_mode)
        and not each.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        for each in found
    )


def _fingerprint() -> str:
    from importlib.metadata import version  # slow to import

    software = (version(name) for name in ("numba", "llvmlite", "numpy"))
    parts = (_sources_digest(), str(sys.implementation.cache_tag), *software, _processor())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _processor() -> str:
    if (chosen := os.environ.get("NUMBA_CPU_NAME")) is not None:
        return f"{chosen}\n{os.environ.get('NUMBA_CPU_FEATURES', '')}\n{platform.machine()}"
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return platform.machine()
    return "\n".join(re.findall(r"^(?:model name|flags|Features)\s*:.*", text, re.M)[:2])


def _sources_digest() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        data = source.read_bytes()
        digest.update(f"{source.name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


HOME = Path(__file__).parents[2]


# A progress line of `arena.engine.compile`.
PROGRESS = re.compile(r"(\w+): (\d+) of (\d+) functions")


def compile_engine(pieces: Iterable[Piece] = tuple(Piece)) -> Iterator[str]:
    """Compile these pieces, or wait for a process that does; yield progress lines.

    Raises InputError, and MachineError if the compiling process is killed twice.
    """
    for last in (False, True):
        try:
            yield from _compiled([piece for piece in pieces if not is_compiled((piece,))])
            return
        except MachineError:
            if last:
                raise


def _compiled(missing: Sequence[Piece]) -> Iterator[str]:
    if not missing:
        return
    yield (message := f"compiling the engine's {' and '.join(missing)}, once")
    ours, theirs = os.pipe()
    compilers = [_start(piece, stdout=theirs, stderr=subprocess.PIPE) for piece in missing]
    os.close(theirs)
    try:
        functions: dict[str, tuple[int, int]] = {}
        with open(ours, encoding="utf-8") as lines:
            for line in lines:  # lines of all compilers
                if (found := PROGRESS.fullmatch(line.strip())) is None:
                    yield line.strip()
                else:
                    functions[found[1]] = int(found[2]), int(found[3])
                    done, total = map(sum, zip(*functions.values(), strict=True))
                    yield f"{message}: {done} of {total} functions"
        failed = [(each.communicate()[1], each.returncode) for each in compilers]
    except BaseException:
        for each in compilers:
            each.kill()
            each.communicate()
        raise
    for errors, code in failed:
        if code:
            *_, why = f"exit status {code}", *errors.strip().splitlines()
            if code < 0:
                raise MachineError(
                    f"Arena's engine was not compiled: {signal.Signals(-code).name} ended the "
                    "compiling process; type the same command again"
                )
            raise InputError(
                f"Arena's engine cannot be compiled: {why} "
                "(NUMBA_CACHE_DIR names another folder for the machine code)"
            )


def begin_compiling(pieces: Iterable[Piece] = tuple(Piece), *, soon: bool = False) -> None:
    """Start compiling these pieces in processes that outlive this one.

    They have the lowest priority unless needed `soon`. A process that needs a piece waits for it.
    """
    quiet, words = subprocess.DEVNULL, () if soon else ("--background",)
    for piece in pieces:
        if not is_compiled((piece,)):
            left = _start(piece, *words, stdout=quiet, stderr=quiet, start_new_session=True)
            left.returncode = 0  # nobody waits for it; prevents Popen's warning


def _start(piece: Piece, *words: str, **how: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-m", "arena.engine.compile", piece, *words]
    path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, env=environment, **how)
