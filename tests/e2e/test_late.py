"""A late submission under `freeze`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.bots import FIRST_FREE, LAST_FREE, hand_ins
from support.command_line import Typed, refused, succeeded
from support.instant import Instant

MIDDLE = """def pick_move(rack):
    free = [c for c in range(len(rack)) if rack[c][-1] == 0]
    return min(free, key=lambda c: (abs(c - len(rack) // 2), c))
"""


@pytest.fixture(autouse=True)
def instant(monkeypatch: pytest.MonkeyPatch) -> Instant:
    return Instant.in_place_of_lanes(monkeypatch)


def test_a_late_submission_changes_no_grade_of_those_on_time(typed: Typed, tmp_path: Path) -> None:
    bots = hand_ins(tmp_path / "bots", ann=FIRST_FREE, ben=LAST_FREE)
    roster = "name,id,late,penalty,path\nAnn,1,no,,ann.py\nBen,2,,,ben.py\n"
    (bots / "roster.csv").write_text(roster)
    (tmp_path / "contest.toml").write_text('[grades]\nrule = "seed"\nfreeze = true\n')
    words = ("run", "bots", "--config", "contest.toml", "--openings", 1, "--seed", 5)
    words = (*words, "--nodes", 200, "--out", "results", "--json")

    def board() -> dict[str, dict[str, object]]:
        out = succeeded(typed(*words))
        return {row["bot"]: row for row in json.loads(out)}

    before = board()
    (bots / "cat.py").write_text(MIDDLE)
    (bots / "roster.csv").write_text(f"{roster}Cat,3,yes,1.5,cat.py\n")
    after = board()
    for bot in ("ann", "ben"):
        assert after[bot]["grade"] == before[bot]["grade"] is not None
        assert str(after[bot]["grade_why"]).startswith(
            f"Grade {before[bot]['grade']}: among those on time, rank "
        )
    why = str(after["cat"]["grade_why"])
    assert "before the late penalty of 1.5 is taken off; late, as the only one beside" in why
    page = (tmp_path / "results" / "feedback" / "cat.md").read_text("utf-8")
    assert why in page.splitlines()


def test_a_gauntlet_by_levels_enters_the_players_it_needs(typed: Typed, tmp_path: Path) -> None:
    # better than `random`, worse than `greedy`
    (tmp_path / "ann.py").write_text(f"# {'x' * 600}\n{FIRST_FREE}")
    (tmp_path / "contest.toml").write_text(
        '[schedule]\nformat = "gauntlet"\n[grades.levels]\n2 = { random = 0.1 }\n'
        "5 = { random = 0.1, greedy = 1.0 }\n"
    )
    words = ("run", "ann.py", "--config", "contest.toml", "--openings", 1, "--seed", 5)
    out = succeeded(typed(*words, "--nodes", 200, "--out", "results", "--json"))
    rows = {row["bot"]: row for row in json.loads(out)}
    assert set(rows) == {"ann", "random", "reference", "greedy"}
    assert rows["ann"]["grade"] == 2
    assert "grade 5 needs 100 % against greedy" in rows["ann"]["grade_why"]
    refused(typed(*words, "--no-house", "--out", "other"))
