"""Files that are made to cost a reader its time, its memory or its life."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from arena.intake import confined as intake_confined
from arena.intake import read_submission

BOT = "def pick_move(rack):\n    return 0\n"


def test_a_file_that_takes_too_long_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake_confined, "SECONDS", 1)
    fields = "f'" + "{a}" * 200_000 + "'\n"
    (tmp_path / "bot.py").write_text(f"{BOT}x = {fields}")
    problem = read_submission(tmp_path / "bot.py").problem
    assert problem == "bot.py takes more than 1 s to be read; make it smaller"


def test_a_reader_that_was_killed_is_started_again(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    assert read_submission(tmp_path / "bot.py").problem is None
    for reader in readers():
        os.kill(reader, signal.SIGKILL)
        os.waitpid(reader, 0)
    assert read_submission(tmp_path / "bot.py").problem is None


def readers() -> list[int]:
    """Process ids of this process's readers."""
    task = Path(f"/proc/self/task/{os.getpid()}/children")
    pids = [int(pid) for pid in task.read_text().split()]
    return [p for p in pids if b"arena.intake.reader" in Path(f"/proc/{p}/cmdline").read_bytes()]


LIKE = """
class ComputerPlayer:
    def __init__(self, id, depth=4):
        self.id, self.depth = id, depth
    def pick_move(self, rack):
        free = [c for c in range(len(rack)) if rack[c][-1] == 0]
        return max(free, key=lambda c: abs(c - 3))
"""
RENAMED = '''"""My very own bot."""
class ComputerPlayer:
    """It thinks for itself."""
    def __init__(self, me, levels=4):  # how far it looks
        self.me, self.levels = me, levels

    def pick_move(self, board):
        open_ones = [
            column for column in range(len(board)) if board[column][-1] == 0
        ]
        return max(open_ones, key=lambda x: abs(x - 3))
'''


def test_bots_alike_but_for_names_and_comments_have_one_likeness(tmp_path: Path) -> None:
    sources = {"a": LIKE, "b": RENAMED, "c": LIKE.replace("max(", "min(")}
    found = {}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
        found[name] = read_submission(tmp_path / f"{name}.py")
    assert len(found["a"].likeness) == 16
    assert found["a"].likeness == found["b"].likeness != found["c"].likeness
    assert found["a"].content_hash != found["b"].content_hash
    assert found["a"].parameters == ("id", "depth")
