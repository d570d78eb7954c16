"""What numba makes of the course modules that bots are lent, made once and not by every bot."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from arena.interfaces import support

SECONDS = 50
"""What takes longer is left to the bots; it is less than a lane's patience."""


def compiled(interface: str, folder: str) -> Mapping[str, bytes]:
    """The files that numba would keep for the modules that a bot of this interface is lent.

    By their paths in its cache; none if nothing of these modules is compiled, or it does not work.
    They are made in a process of its own, which never saw a bot, with its files in `folder`.
    """
    program = support.compiler(interface)
    if program is None:
        return {}
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        try:
            subprocess.run(
                [sys.executable, "-s", str(program)],
                env=os.environ | {"NUMBA_CACHE_DIR": cache},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return {}
        files = (file for file in Path(cache).rglob("*") if file.is_file())
        return {str(file.relative_to(cache)): file.read_bytes() for file in files}
