"""The engine's machine code: its folder, and compiling it in advance.

Does not import numba, which takes half a second.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
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


def solving(rules: Ruleset) -> Piece:
    return Piece.SOLVER if fits(rules) else Piece.SEARCH


def fits(rules: Ruleset) -> bool:
    """Return whether these rules can be played on bitboards."""
    return rules.goal is Goal.FIRST and (
        rules.columns * (rules.rows + 1) <= BITS
        or (rules.cells <= BITS and rules.columns <= rules.rows)
    )


def is_compiled(*pieces: Piece) -> bool:
    """Return whether the machine code of these pieces, by default all, is on disk."""
    folder = cache_folder()
    return folder is not None and _has(folder, pieces or tuple(Piece))


def marker(piece: Piece) -> str:
    return f"{piece}.complete"


def _has(folder: Path, pieces: Iterable[Piece]) -> bool:
    return all((folder / marker(piece)).exists() for piece in pieces)


@cache
def cache_folder() -> Path | None:
    """Return the folder of the engine's machine code; None if there can be none.

    Its name depends on everything that machine code depends on. A complete folder may be read-only.
    """
    candidates = [Path(__file__).parent / "__pycache__"]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        candidates.insert(0, Path(chosen))
    if home := os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"):
        candidates.append(Path(home))
    name = f"arena-engine-{_fingerprint()}"
    folders = [folder / name for folder in candidates]
    for folder in folders:
        if _has(folder, Piece):
            return folder
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return next((folder for folder in folders if folder.is_dir()), None)


def _fingerprint() -> str:
    from importlib.metadata import version  # slow to import

    parts = (_sources_digest(), version("numba"), version("llvmlite"), _processor())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _processor() -> str:
    if (chosen := os.environ.get("NUMBA_CPU_NAME")) is not None:
        return f"{chosen}\n{os.environ.get('NUMBA_CPU_FEATURES', '')}\n{os.uname().machine}"
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return os.uname().machine
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


def compile_engine(*pieces: Piece) -> Iterator[str]:
    """Compile these pieces, by default all, and yield progress lines.

    Raises InputError, and MachineError if the compiling process is killed twice.
    """
    for last in (False, True):
        try:
            yield from _compiled(pieces)
            return
        except MachineError:
            if last:
                raise


def _compiled(pieces: Sequence[Piece]) -> Iterator[str]:
    missing = [piece for piece in pieces or Piece if not is_compiled(piece)]
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


def begin_compiling() -> None:
    """Start compiling in background processes that outlive this one.

    They have the lowest priority. A process that needs the engine earlier waits for them.
    """
    quiet = subprocess.DEVNULL
    for piece in Piece:
        if not is_compiled(piece):
            left = _start(piece, "--background", stdout=quiet, stderr=quiet, start_new_session=True)
            left.returncode = 0  # nobody waits for it; prevents Popen's warning


def _start(piece: Piece, *words: str, **how: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-m", "arena.engine.compile", piece, *words]
    path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, env=environment, **how)
