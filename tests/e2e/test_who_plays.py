"""Who takes part and until when, in contests whose games end at once."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from arena.settings.contest import Contest
from arena.settings.file import read_recorded, write_contest_file
from support.bots import FIRST_FREE, LAST_FREE, bots_in
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


@pytest.fixture(autouse=True)
def instant(monkeypatch: pytest.MonkeyPatch) -> Instant:
    return Instant.in_place_of_lanes(monkeypatch)


RUN = ("run", "bots", "--openings", 2, "--seed", 7, "--nodes", 50, "--grade", "seed", "--out", "c")


def table(name: str = "leaderboard.csv", folder: str = "c") -> list[dict[str, str]]:
    with Path(folder, name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def games() -> int:
    return len(table("games.csv"))


def made() -> dict[str, bytes]:
    """Tables and pages, but for the report, which has a date."""
    paths = (*Path("c").glob("*.csv"), *Path("c", "feedback").iterdir())
    return {path.name: path.read_bytes() for path in paths}


@pytest.mark.slow
def test_a_bot_that_cannot_be_loaded_plays_no_game_and_has_the_lowest_grade(
    here: Path, typed: Typed
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


@pytest.mark.slow
def test_with_unloadable_they_take_part_and_the_folder_says_so(here: Path, typed: Typed) -> None:
    assert typed(*RUN, "--with-unloadable")[0] == 0
    assert {row["bot"]: row["forfeits"] for row in table()}["eve"] == "20"
    assert games() == 6 * 5 // 2 * 2 * 2
    assert typed(*RUN)[0] == 0  # what is not said stays as it was
    assert games() == 6 * 5 // 2 * 2 * 2
    assert typed(*RUN, "--without-unloadable")[0] == 0
    assert games() == 5 * 4 // 2 * 2 * 2


@pytest.mark.slow
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
    here: Path, typed: Typed
) -> None:
    for name in ("ann", "bea", "cy"):
        (here / "bots" / f"{name}.py").write_text(BROKEN)
    code, _, errors = typed(*RUN)
    (line,) = [line for line in str(errors).splitlines() if line.startswith("arena: ")]
    assert code == 2
    why = WHY.replace("eve", "ann")
    assert line.startswith(
        f"arena: no submission can be loaded, so there is nothing to play: ann {why}"
    )
    assert ", nor 3 others; with --with-unloadable" in line


@pytest.mark.slow
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


def test_what_cannot_be_left_out_or_taken_back_is_one_line(here: Path, typed: Typed) -> None:
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


MIDDLE = """def pick_move(rack):
    free = [c for c in range(len(rack)) if rack[c][-1] == 0]
    return min(free, key=lambda c: (abs(c - len(rack) // 2), c))
"""


@pytest.mark.slow
def test_a_late_submission_changes_no_grade_of_those_on_time(typed: Typed, tmp_path: Path) -> None:
    bots = bots_in(tmp_path / "bots", ann=FIRST_FREE, ben=LAST_FREE)
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


OPENINGS = 30
QUICK = ("--no-house", "--openings", OPENINGS, "--seed", 5)


@pytest.mark.slow
def test_a_contest_ends_when_it_is_settled_and_goes_on_when_asked_to(
    tmp_path: Path, typed: Typed
) -> None:
    bots_in(tmp_path / "bots", **{f"bot{n}": f"# {'x' * n}\n{FIRST_FREE}" for n in range(6)})
    code, out, errors = typed("run", "bots", *QUICK, "--until-settled", "--out", "out")
    assert (code, "at most" in errors, "settled after" in out) == (0, True, True)
    played = len(table("games.csv", "out"))
    code, _, errors = typed("resume", "out")
    assert (code, " 0 to play" in errors) == (0, True)
    assert "not played yet" not in typed("rank", "out")[2]
    whole = succeeded(typed("run", "bots", *QUICK, "--until-settled", 0, "--out", "out"))
    assert played < len(table("games.csv", "out")) == 6 * 5 * OPENINGS
    assert "settled" not in whole


@pytest.mark.parametrize(
    "words",
    [
        ("--within", "abc"),
        ("--within", "0s"),
        ("--until", "25:00"),
        ("--until", "2020-01-01T00:00"),
    ],
)
def test_what_is_no_time_to_come_is_refused_in_one_line(
    typed: Typed, tmp_path: Path, words: tuple[str, str]
) -> None:
    (tmp_path / "bot.py").write_text(FIRST_FREE)
    assert "expected a time" in refused(typed("run", tmp_path, *words, "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("level", ["2", "0.3", "1", "nan", "bots"])
def test_what_is_no_likelihood_is_refused_in_one_line(
    typed: Typed, tmp_path: Path, level: str
) -> None:
    (tmp_path / "bot.py").write_text(FIRST_FREE)
    words = ("run", tmp_path, "--until-settled", level, "--out", tmp_path / "out")
    assert "likelihood" in refused(typed(*words))
