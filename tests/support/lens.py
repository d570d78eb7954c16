"""Commands as macOS and Windows would see them, as far as a Linux machine can tell.

The lens (`shared/tools/lens.py` beside the checkout) runs a command as these systems would see it;
its head says what it cannot show.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

LENS = next(
    (
        lens
        for folder in Path(__file__).parents
        if (lens := folder / "shared" / "tools" / "lens.py").exists()
    ),
    Path("shared/tools/lens.py"),
)
needs_lens = pytest.mark.skipif(
    not LENS.exists(), reason="there is no shared/tools/lens.py beside this checkout"
)
systems = pytest.mark.parametrize("system", ["macos", "windows"])

# Types command lines one after the other in one process, and prints their exit codes.
TYPING = """
import io, json, sys
from arena.cli import main

for words, typed in json.loads(sys.argv[1]):
    sys.argv, sys.stdin = ["arena", *words], io.StringIO(typed)
    try:
        main()
    except SystemExit as end:
        print("exit code", end.code, flush=True)
"""


class Ended(NamedTuple):
    """How a command line ended, and what it printed."""

    code: int
    said: str


def seen(system: str, folder: Path, *words: str) -> Ended:
    """Run Python as it would see itself there."""
    done = subprocess.run(
        [sys.executable, str(LENS), system, *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=240,
    )
    printed = done.stdout.decode("cp1252" if system == "windows" else "utf-8")
    return Ended(done.returncode, printed)


def typed_there(
    system: str, folder: Path, lines: Sequence[tuple[Sequence[str], str]]
) -> list[Ended]:
    """Type command lines, each with its standard input, one after the other in one process."""
    _, printed = seen(system, folder, "-c", TYPING, json.dumps(lines))
    parts = re.split(r"exit code (\d+)\s", printed)
    assert len(parts) == 2 * len(lines) + 1, printed
    return [
        Ended(int(code), said.lstrip()) for said, code in zip(parts[::2], parts[1::2], strict=False)
    ]


def check(expected: Mapping[str, tuple[int, str]], ended: Sequence[Ended]) -> None:
    """Compare the exit code of each command line, and a part of what it prints."""
    for (words, (code, part)), (got, said) in zip(expected.items(), ended, strict=True):
        own = re.search(r'File "[^"]+arena[/\\]', said)  # of a traceback of Arena's own
        assert (got, own) == (code, None), f"{words}: {said}"
        assert part in " ".join(said.split()), f"{words}: {said}"
        assert "please report" not in said
