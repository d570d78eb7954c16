"""Command lines, in processes of their own and in this one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Typed = Callable[..., tuple[object, str, str]]
"""The fixture `typed`: words of a command line, to its exit code, output and errors."""


def arena(*words: object, cwd: Path, **more: object) -> subprocess.CompletedProcess[str]:
    """Run one command line to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=240,
        **more,  # type: ignore[call-overload]
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done  # type: ignore[no-any-return]
