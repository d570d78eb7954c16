"""Having Arena's engine compiled before it is needed, once and not by each who needs it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.engine.cache import is_compiled
from arena.engine.pieces import Piece
from arena.errors import InputError, MachineError

HOME = Path(__file__).parents[2]
"""The folder that the package is in."""


HOW_FAR = re.compile(r"(\w+): (\d+) of (\d+) functions")
"""What a process that compiles a piece says of it."""


def compile_engine(*pieces: Piece) -> Iterator[str]:
    """Compile these pieces of the engine, by default all, if need be; yields how far it is.

    Each is compiled by a process of its own, and by another one if that is killed. What is compiled
    stays on disk. Raises InputError, and MachineError if they are killed each time.
    """
    for last in (False, True):
        try:
            yield from _compiled(pieces)
            return
        except MachineError:
            if last:
                raise


def _compiled(pieces: Sequence[Piece]) -> Iterator[str]:
    """Compile these pieces, by default all; yields how far it is. Raises as `compile_engine`."""
    missing = [piece for piece in pieces or Piece if not is_compiled(piece)]
    if not missing:
        return
    yield (said := f"compiling the engine's {' and '.join(missing)}, once")
    ours, theirs = os.pipe()
    compilers = [_start(piece, stdout=theirs, stderr=subprocess.PIPE) for piece in missing]
    os.close(theirs)
    try:
        functions: dict[str, tuple[int, int]] = {}
        with open(ours, encoding="utf-8") as lines:
            for line in lines:  # of all of them, in the order in which they come
                if (found := HOW_FAR.fullmatch(line.strip())) is None:
                    yield line.strip()
                else:
                    functions[found[1]] = int(found[2]), int(found[3])
                    done, total = map(sum, zip(*functions.values(), strict=True))
                    yield f"{said}: {done} of {total} functions"
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
                    f"Arena's engine was not compiled, as {signal.Signals(-code).name} ended the "
                    "process that does it; type the same command again"
                )
            raise InputError(
                f"Arena's engine cannot be compiled: {why} "
                "(NUMBA_CACHE_DIR names another folder for what is compiled)"
            )


def begin_compiling() -> None:
    """Have the engine compiled by and by, by processes that go on when this one ends.

    They take what time others leave. Who needs the engine before waits for them, and sees how far
    they are.
    """
    quiet = subprocess.DEVNULL
    for piece in Piece:
        if not is_compiled(piece):
            left = _start(piece, "--background", stdout=quiet, stderr=quiet, start_new_session=True)
            left.returncode = 0  # nobody will wait for it, and Popen is not to warn of that


def _start(piece: Piece, *words: str, **how: Any) -> subprocess.Popen[str]:
    """Start a process that compiles a piece."""
    command = [sys.executable, "-P", "-m", "arena.engine.compile", piece, *words]
    path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, env=environment, **how)
