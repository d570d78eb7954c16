"""`arena run --until-settled`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from support.bots import FIRST_FREE, LAST_FREE, hand_ins
from support.command_line import Typed, arena, arena_ok, refused

QUICK = ("--no-house", "--openings", 3, "--move-seconds", 1, "--seed", 5)


@pytest.mark.slow
def test_a_contest_ends_when_it_is_settled_and_goes_on_when_asked_to(tmp_path: Path) -> None:
    fails = {f"fails{n}": f"def pick_move(rack):\n    return {90 + n}\n" for n in range(4)}
    hand_ins(tmp_path / "bots", **fails, first=FIRST_FREE, last=LAST_FREE)
    done = arena_ok("run", "bots", *QUICK, "--until-settled", "--out", "out", cwd=tmp_path)
    assert "at most" in done.stderr
    assert "settled after" in done.stdout
    played = len(pd.read_csv(tmp_path / "out" / "games.csv"))
    again = arena("resume", "out", cwd=tmp_path)
    assert again.returncode == 0 and " 0 to play" in again.stderr
    assert "not played yet" not in arena("rank", "out", cwd=tmp_path).stderr
    whole = arena_ok("run", "bots", *QUICK, "--until-settled", 0, "--out", "out", cwd=tmp_path)
    assert played <= len(pd.read_csv(tmp_path / "out" / "games.csv")) == 6 * 5 * 3
    assert "settled" not in whole.stdout


@pytest.mark.parametrize("level", ["2", "0.3", "1", "nan", "bots"])
def test_what_is_no_likelihood_is_refused_in_one_line(
    typed: Typed, tmp_path: Path, level: str
) -> None:
    (tmp_path / "bot.py").write_text(FIRST_FREE)
    words = ("run", tmp_path, "--until-settled", level, "--out", tmp_path / "out")
    assert "likelihood" in refused(typed(*words))
