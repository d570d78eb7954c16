"""`arena run --until-settled`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from support.bots import FIRST_FREE, hand_ins
from support.command_line import Typed, refused, succeeded
from support.instant import Instant

OPENINGS = 30
QUICK = ("--no-house", "--openings", OPENINGS, "--seed", 5)


def test_a_contest_ends_when_it_is_settled_and_goes_on_when_asked_to(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    Instant.in_place_of_lanes(monkeypatch)
    hand_ins(tmp_path / "bots", **{f"bot{n}": f"# {'x' * n}\n{FIRST_FREE}" for n in range(6)})
    code, out, errors = typed("run", "bots", *QUICK, "--until-settled", "--out", "out")
    assert (code, "at most" in errors, "settled after" in out) == (0, True, True)
    played = len(pd.read_csv(tmp_path / "out" / "games.csv"))
    code, _, errors = typed("resume", "out")
    assert (code, " 0 to play" in errors) == (0, True)
    assert "not played yet" not in typed("rank", "out")[2]
    whole = succeeded(typed("run", "bots", *QUICK, "--until-settled", 0, "--out", "out"))
    assert played < len(pd.read_csv(tmp_path / "out" / "games.csv")) == 6 * 5 * OPENINGS
    assert "settled" not in whole


@pytest.mark.parametrize("level", ["2", "0.3", "1", "nan", "bots"])
def test_what_is_no_likelihood_is_refused_in_one_line(
    typed: Typed, tmp_path: Path, level: str
) -> None:
    (tmp_path / "bot.py").write_text(FIRST_FREE)
    words = ("run", tmp_path, "--until-settled", level, "--out", tmp_path / "out")
    assert "likelihood" in refused(typed(*words))
