"""Having Arena's engine compiled before lanes need it, once and not by each of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.engine.cache import is_compiled
from arena.errors import InputError

HOME = Path(__file__).parents[2]
"""The folder that the package is in."""


def compile_engine() -> Iterator[str]:
    """Compile the engine in a process of its own, if need be; yields a line about each part.

    What is compiled stays on disk. Raises InputError.
    """
    if is_compiled():
        return
    command = [sys.executable, "-P", "-m", "arena.engine.compile"]
    path = os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            for line in process.stdout:
                yield line.strip()
            said = process.stderr.read().strip().splitlines()
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        why = said[-1] if said else f"exit status {process.returncode}"
        raise InputError(
            f"Arena's engine cannot be compiled: {why} "
            "(NUMBA_CACHE_DIR names another folder for what is compiled)"
        )
