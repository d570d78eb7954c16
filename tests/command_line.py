"""Command lines in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


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
