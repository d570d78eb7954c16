"""`arena run --within`: a contest that ends at its time."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from support.bots import bots_in
from support.command_line import Typed, succeeded

SLOW = """
import time

def pick_move(rack):
    time.sleep(0.02)
    return [c[-1] for c in rack].index(0)
"""


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.slow
def test_a_contest_ends_at_its_time_with_whole_pairs_and_goes_on_when_asked_to(
    tmp_path: Path, typed: Typed
) -> None:
    bots_in(tmp_path / "bots", **{f"bot{n}": f"# {n}\n{SLOW}" for n in range(3)})
    words = ("--openings", 40, "--within", "8s", "--no-house", "--grade", "none", "--out", "out")
    code, out, errors = typed("run", "bots", *words)
    assert (code, "ends at" in errors, "ordered by rating" in out) == (0, True, True)
    rows = rows_of(tmp_path / "out" / "games.csv")
    sides = Counter((row["pairing"], row["opening"]) for row in rows)
    assert set(sides.values()) == {2}
    code, out, errors = typed("resume", "out")
    assert (code, " 0 to play" in errors, "ended after" in out) == (0, True, True)
    words = ("--openings", 2, "--until", "never", "--no-house", "--out", "out")
    whole = succeeded(typed("run", "bots", *words))
    assert "ended after" not in whole
    assert len(rows_of(tmp_path / "out" / "games.csv")) == 3 * 2 * 2
