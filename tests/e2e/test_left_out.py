"""Bots that cannot be loaded, and excluded bots."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from arena.settings.contest import Contest
from arena.settings.file import read_recorded, write_contest_file
from support.bots import FIRST_FREE
from support.command_line import Typed, refused, succeeded
from support.instant import Instant

BROKEN = "def pick_move(rack)\n"
WHY = "could not be loaded: SyntaxError: expected ':' (eve.py, line 1)"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Three bots, each better than the last, and one that cannot be loaded."""
    (tmp_path / "bots").mkdir()
    for number, name in enumerate(("ann", "bea", "cy"), 1):
        (tmp_path / "bots" / f"{name}.py").write_text(f"# {'x' * 2000 * number}\n{FIRST_FREE}")
    (tmp_path / "bots" / "eve.py").write_text(BROKEN)
    return tmp_path


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> Instant:
    return Instant.in_place_of_lanes(monkeypatch)


RUN = ("run", "bots", "--openings", 2, "--seed", 7, "--nodes", 50, "--out", "c")


def table(name: str = "leaderboard.csv", folder: str = "c") -> list[dict[str, str]]:
    with Path(folder, name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def games() -> int:
    return len(table("games.csv"))


def made() -> dict[str, bytes]:
    """Tables and pages, but for the report, which has a date."""
    paths = (*Path("c").glob("*.csv"), *Path("c", "feedback").iterdir())
    return {path.name: path.read_bytes() for path in paths}


def test_a_bot_that_cannot_be_loaded_plays_no_game_and_has_the_lowest_grade(
    here: Path, instant: Instant, typed: Typed
) -> None:
    out = succeeded(typed(*RUN))
    assert f"eve does not take part: it {WHY}" in " ".join(str(out).split())
    assert games() == 5 * 4 // 2 * 2 * 2  # with the two house players
    *others, last = table()
    assert (last["bot"], last["rank"], last["games"], last["grade"]) == ("eve", "", "0", "0")
    shutil.copytree("bots", "fewer")
    Path("fewer/eve.py").unlink()
    assert typed("run", "fewer", *RUN[2:-1], "without")[0] == 0
    assert others == table(folder="without")
    page = Path("c/feedback/eve.md").read_text()
    assert WHY in page and "Grade 0: " in page
    code, out, _ = typed("export", "c", "--to", "canvas")
    assert (code, "eve,,,,,0" in str(out)) == (0, True)
    rows = json.loads(typed("rank", "c", "--json")[1])
    assert (rows[-1]["bot"], rows[-1]["rank"], rows[-1]["grade"]) == ("eve", None, 0)


def test_a_bot_that_can_be_loaded_at_last_plays_its_games_and_no_other(
    here: Path, instant: Instant, typed: Typed
) -> None:
    typed(*RUN)
    before = instant.games
    (here / "bots" / "eve.py").write_text(FIRST_FREE)
    assert typed(*RUN)[0] == 0
    assert instant.games - before == 5 * 2 * 2
    assert all(row["rank"] for row in table())


def test_with_unloadable_they_take_part_and_the_folder_says_so(
    here: Path, instant: Instant, typed: Typed
) -> None:
    assert typed(*RUN, "--with-unloadable")[0] == 0
    assert {row["bot"]: row["forfeits"] for row in table()}["eve"] == "20"
    assert games() == 6 * 5 // 2 * 2 * 2
    assert typed(*RUN)[0] == 0  # what is not said stays as it was
    assert games() == 6 * 5 // 2 * 2 * 2
    assert typed(*RUN, "--without-unloadable")[0] == 0
    assert games() == 5 * 4 // 2 * 2 * 2


def test_a_contest_of_before_the_setting_goes_on_as_it_was_begun(
    here: Path, instant: Instant, typed: Typed
) -> None:
    typed(*RUN, "--with-unloadable")
    file = Path("c/contest.toml")
    file.write_text(file.read_text().replace("with_unloadable = true\n", ""))
    played, before = instant.games, made()
    for words in (("resume", "c"), RUN, ("rank", "c")):
        assert typed(*words)[0] == 0
        assert (instant.games, made()) == (played, before)
    new = here / "new.toml"
    write_contest_file(new, Contest())
    assert read_recorded(new).schedule.with_unloadable is False


def test_a_class_of_which_nothing_can_be_loaded_is_told_so_in_a_line(
    here: Path, instant: Instant, typed: Typed
) -> None:
    for name in ("ann", "bea", "cy"):
        (here / "bots" / f"{name}.py").write_text(BROKEN)
    code, _, errors = typed(*RUN)
    (line,) = [line for line in str(errors).splitlines() if line.startswith("arena: ")]
    assert code == 2
    why = WHY.replace("eve", "ann")
    assert line.startswith(
        f"arena: no hand-in can be loaded, so there is nothing to play: ann {why}"
    )
    assert ", nor 3 others; with --with-unloadable" in line


def test_leaving_a_bot_out_is_as_if_it_had_never_been_handed_in_and_can_be_undone(
    here: Path, instant: Instant, typed: Typed
) -> None:
    (here / "bots" / "eve.py").unlink()
    typed(*RUN)
    before, journal = made(), Path("c/journal.sqlite").read_bytes()
    out = succeeded(typed("exclude", "c", "cy", "--reason", "copied"))
    why = "was left out by the instructor: copied"
    assert f"cy does not take part: it {why}" in " ".join(str(out).split())
    assert [(row["bot"], row["reason"]) for row in table("excluded.csv")] == [("cy", "copied")]
    after = made()
    shutil.copytree("bots", "fewer")
    Path("fewer/cy.py").unlink()
    typed("run", "fewer", *RUN[2:-1], "without")
    for name in ("leaderboard.csv", "crosstable.csv", "games.csv", "tallies.csv", "openings.csv"):
        assert after[name] == Path("without", name).read_bytes()
    assert why in after["cy.md"].decode()
    played = instant.games
    for words in (("resume", "c"), RUN):  # neither plays its games nor takes it back
        assert typed(*words)[0] == 0
        assert (instant.games, made()) == (played, after)
    assert typed("exclude", "c", "cy", "--undo")[0] == 0
    assert made() == before
    assert Path("c/journal.sqlite").read_bytes() == journal


def test_what_cannot_be_left_out_or_taken_back_is_one_line(
    here: Path, instant: Instant, typed: Typed
) -> None:
    typed(*RUN)
    typed("exclude", "c", "ann")
    before = made()
    for words, line in {
        ("be",): "be: there is no bot of that name; did you mean bea?",
        ("random",): "random: is a house player; ratings and grades need it",
        ("bea", "--undo"): "bea: is not excluded, so there is nothing to undo",
        ("ann",): "ann: is already excluded; --undo includes it again",
        ("ann", "--undo", "--reason", "x"): "--reason: goes with leaving a bot out",
    }.items():
        assert refused(typed("exclude", "c", *words)).startswith(f"arena: {line}")
        assert made() == before


def test_a_damaged_list_of_who_is_left_out_is_one_line_and_nothing_is_written(
    here: Path, instant: Instant, typed: Typed
) -> None:
    typed(*RUN)
    typed("exclude", "c", "ann")
    Path("c/excluded.csv").write_text("bot,when\nann\n")
    before = made()
    for words in (("rank", "c"), ("resume", "c"), ("export", "c", "--to", "csv")):
        code, _, errors = typed(*words)
        assert (code, made()) == (2, before)
        assert str(errors).startswith("arena: c/excluded.csv:1: expected the columns bot,when,reas")
