"""`arena run` at a terminal: the live view, and what remains of it."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from support.bots import FIRST_FREE, bots_in
from support.terminal import at_terminal

SLOW = "import time\n" + FIRST_FREE.replace("return", "time.sleep(0.05); return")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.mark.slow
def test_a_run_shows_who_plays_and_leaves_a_clean_terminal_when_it_is_stopped(
    tmp_path: Path,
) -> None:
    wrong = {"שלום": "def pick_move(rack):\n    return 99\n"}
    bots_in(tmp_path / "bots", slow=SLOW, left=FIRST_FREE, **wrong)
    words = ("run", "bots", "--no-house", "--openings", 20, "--lanes", 1, "--out", "c")
    with at_terminal(*words, cwd=tmp_path) as person:
        person.see("lane 1 ")
        shown = person.see("ply ")
        assert re.search(r"(slow|left|שלום\u200e) – (slow|left|שלום\u200e)", shown)
        person.see("ILLEGAL_MOVE  שלום\u200e ")
        person.send(signal.SIGINT)
        assert person.end() == 130
        after = CONTROL.sub("", person.seen.rpartition("\x1b[2K")[2])
        assert "lane 1" not in after
        assert "arena resume c" in after
        assert person.seen.rpartition("\x1b[?25")[2].startswith("h")  # the cursor is there again
