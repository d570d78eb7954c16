"""`arena lab steady`: the grades of one class in several contests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.command_line import Typed, arena_ok, refused, succeeded

BOTS = {
    "left": "min(free)",
    "middle": "min(free, key=lambda c: abs(c - 3))",
    "lowest": "min(free, key=lambda c: sum(map(bool, rack[c])))",
}
CHOICE = """def pick_move(rack):
    free = [c for c in range(7) if not rack[c][-1]]
    return {}
"""


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Contests of three bots: s1 and s2, then `late` as s1 with a fourth bot."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "bots").mkdir()
    for name, choice in BOTS.items():
        (folder / "bots" / f"{name}.py").write_text(CHOICE.format(choice))
    for seed in (1, 2):
        words = f"run bots --no-house --openings 2 --seed {seed} --out s{seed}"
        arena_ok(*words.split(), cwd=folder)
    shutil.copytree(folder / "s1", folder / "late")
    (folder / "bots/right.py").write_text(CHOICE.format("max(free)"))
    arena_ok("run", "bots", "--out", "late", cwd=folder)
    return folder


def test_grades_are_those_that_rank_gives_by_each_rule(typed: Typed, class_folder: Path) -> None:
    places = class_folder / "s1", class_folder / "s2"
    found = json.loads(succeeded(typed("lab", "steady", *places, "--json")))["rules"]
    assert set(found) == {"curve"}  # the others need house players
    for number, place in enumerate(places):
        rows = json.loads(succeeded(typed("rank", place, "--grade", "curve", "--json")))
        assert {row["bot"]: row["grade"] for row in rows} == {
            bot: grades[number] for bot, grades in found["curve"]["grades"].items()
        }
    distances = [abs(one - other) / 2 for one, other in found["curve"]["grades"].values()]
    assert list(found["curve"]["farthest"].values()) == pytest.approx(distances, abs=0.01)
    assert distances == sorted(distances, reverse=True)
    assert found["curve"]["within_half"] == pytest.approx(sum(d <= 0.5 for d in distances) / 3)
    assert found["curve"]["moved"] == pytest.approx(sum(d > 0.25 for d in distances) / 3)


def test_a_late_bot_is_left_out_and_the_others_are_compared(
    typed: Typed, class_folder: Path
) -> None:
    output = succeeded(typed("lab", "steady", class_folder / "s1", class_folder / "late"))
    assert "3 bots in 2 contests" in output
    assert "scale: no grades: " in output


def test_wrong_folders_are_refused_in_a_line(typed: Typed, class_folder: Path) -> None:
    s1, s2 = class_folder / "s1", class_folder / "s2"
    assert "two or more folders" in refused(typed("lab", "steady", s1))
    assert "each of them once" in refused(typed("lab", "steady", s1, s2, s1))
    assert "no contest in this folder" in refused(typed("lab", "steady", s1, class_folder))
    words = f"run {class_folder}/bots --no-house --openings 1 --rows 5 --out".split()
    arena_ok(*words, "small", cwd=class_folder)
    assert "different boards" in refused(typed("lab", "steady", s1, class_folder / "small"))
