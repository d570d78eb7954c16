"""`arena ladder` over weeks, by an instructor or cron."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from support.bots import FIRST_FREE
from support.command_line import Typed, refused, succeeded
from support.instant import Instant
from support.shared import contents

pytestmark = pytest.mark.slow
BROKEN = "def pick_move(rack)\n    return 0\n"
WORDS = ("--openings", 1, "--nodes", 50, "--seed", 5, "--grade", "seed", "--still", 0)


class Course:
    """A folder of submissions and its ladder, day by day."""

    def __init__(self, typed: Typed, here: Path) -> None:
        self._typed = typed
        self.submissions = here / "homework"
        self.submissions.mkdir()
        self.folder = here / "course"
        self.day = 0

    def hand_in(self, name: str, text: str) -> None:
        (self.submissions / f"{name}.py").write_text(text)

    def take_back(self, name: str) -> None:
        (self.submissions / f"{name}.py").unlink()

    def ladder(self, *words: object) -> tuple[object, str, str]:
        """Run the command on the next day."""
        self.day += 1
        day = ("--day", f"2026-11-{self.day:02}")
        return self._typed("ladder", "course", "--submissions", "homework", *WORDS, *day, *words)

    def round(self, *words: object) -> dict[str, Any]:
        """Play the next day's round; returns the printed JSON."""
        code, out, errors = self.ladder("--json", *words)
        assert code == 0, errors
        made: dict[str, Any] = json.loads(out)
        return made

    def games(self) -> dict[str, tuple[object, ...]]:
        with sqlite3.connect(self.folder / "journal.sqlite") as journal:
            names = [row[1] for row in journal.execute("PRAGMA table_info(games)")]
            rows = journal.execute("SELECT * FROM games").fetchall()
        place = names.index("key")
        return {row[place]: row for row in rows}

    def history(self) -> list[dict[str, str]]:
        with (self.folder / "history.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def course(typed: Typed, tmp_path: Path) -> Course:
    return Course(typed, tmp_path)


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> Instant:
    return Instant.in_place_of_lanes(monkeypatch)


def version(text: str) -> str:
    """Return a bot: the longer the text, the better it plays, see `Instant`."""
    return f"# {text}\n{FIRST_FREE}"


NAMES = [f"bot{number}" for number in range(8)]

# Submissions by day; None for a removed one.
EVENTS: dict[int, dict[str, str | None]] = {
    1: {name: version("x" * number) for number, name in enumerate(NAMES[:5])},
    2: {NAMES[5]: version("joins"), NAMES[6]: BROKEN},
    4: {NAMES[0]: version("much better" * 9)},
    5: {NAMES[1]: None, NAMES[6]: version("mended")},
    6: {NAMES[7]: version("joins late")},
    8: {NAMES[1]: version("x"), NAMES[2]: BROKEN},
    9: {NAMES[2]: version("xx")},
    11: {NAMES[3]: None, NAMES[4]: None},
    13: {NAMES[3]: version("xxx"), NAMES[5]: version("another" * 3)},
    15: {name: version(f"{name} at last") for name in NAMES[5:]},
}


def test_a_course_of_fifteen_days(course: Course, instant: Instant) -> None:
    here: dict[str, str] = {}
    pairings: set[frozenset[str]] = set()
    rounds = 0
    for day in range(1, 16):
        events = EVENTS.get(day, {})
        for name, text in events.items():
            if text is None:
                course.take_back(name)
                del here[name]
            else:
                course.hand_in(name, text)
                here[name] = text
        before, asked = course.games() if rounds else {}, instant.games
        made = course.round("--retire-after", 0)
        seats = [f"{name} {text}" for name, text in here.items() if text != BROKEN]
        seats += ["random", "reference"]
        due = {frozenset(pair) for pair in combinations(seats, 2)} - pairings
        pairings |= due
        after = course.games()
        assert len(after) == 2 * len(pairings)
        assert instant.games - asked == 2 * len(due)
        assert before.items() <= after.items()
        rounds += bool(events)
        assert (made["changed"], made["round"]) == (bool(events), rounds)
        assert {row["bot"] for row in made["bots"]} == {*here, "random", "reference"}
        if events:
            assert made["day"] == f"2026-11-{day:02}"
            was = dict(texts_before(day))
            assert {row["bot"] for row in made["bots"] if row["new_version"]} == {
                name for name, text in events.items() if text and was.get(name, text) != text
            }
    rows = course.history()
    assert len({(row["round"], row["bot"]) for row in rows}) == len(rows)
    assert {row["round"] for row in rows} == {str(number) for number in range(1, rounds + 1)}
    assert {row["rating"] for row in rows if row["bot"] == "reference"} == {"1500.0"}
    away = [row["round"] for row in rows if row["bot"] == NAMES[1]]
    assert away == [str(number) for number in range(1, rounds + 1) if number not in (4, 5)]
    assert len([*(course.folder / "history").iterdir()]) == rounds
    kept = (course.folder / "history" / "2026-11-15-010" / "leaderboard.csv").read_bytes()
    assert kept == (course.folder / "leaderboard.csv").read_bytes()


def texts_before(day: int) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of submissions before a day, in order."""
    for earlier in range(1, day):
        for name, text in EVENTS.get(earlier, {}).items():
            if text is not None:
                yield name, text


@pytest.mark.parametrize(("command", "house"), [("run", 0), ("ladder", 2)])
def test_editing_one_of_ten_bots_plays_its_own_pairings_and_no_other(
    course: Course, instant: Instant, typed: Typed, command: str, house: int
) -> None:
    for number in range(10):
        course.hand_in(f"bot{number}", version("x" * number))
    words: tuple[object, ...] = ("run", "homework", "--no-house", "--out", "course")
    if command == "ladder":
        words = ("ladder", "course", "--submissions", "homework", "--still", 0)
    words = (*words, "--openings", 1, "--nodes", 50, "--seed", 5, "--grade", "seed")
    succeeded(typed(*words))
    before = course.games()
    everybody = 10 + house
    assert len(before) == 2 * everybody * (everybody - 1) // 2
    course.hand_in("bot7", version("edited"))
    succeeded(typed(*words))
    after = course.games()
    assert len(after) - len(before) == 2 * (9 + house)
    assert before.items() <= after.items()
    assert instant.games == len(after)


def test_a_table_tells_how_places_changed_and_what_cannot_be_loaded(
    course: Course, instant: Instant, typed: Typed
) -> None:
    for name, text in (("ann", "long text"), ("ben", "short"), ("cat", "")):
        course.hand_in(name, version(text))
    code, out, errors = course.ladder()
    assert (code, errors) == (0, "")
    assert out.startswith("round 1, 2026-11-01: 5 bots, 20 games played\n")
    code, out, errors = course.ladder()
    assert (code, out, errors) == (0, "course: nothing changed since round 1, 2026-11-01\n", "")
    course.hand_in("ben", version("much longer than ann"))
    course.hand_in("dan", BROKEN)
    course.take_back("cat")
    code, out, errors = course.ladder()
    assert (code, errors) == (0, "")
    lines = [line.split("│")[2:4] for line in out.splitlines() if "│" in line]
    moves = {bot.strip(): mark.strip() for mark, bot in lines}
    assert (moves["ben"], moves["ann"]) == ("▲1", "▼1")
    assert "dan" not in moves
    assert "no longer in the ladder: cat\n" in out
    why = "it could not be loaded: SyntaxError: expected ':' (dan.py, line 1)"
    assert f"dan does not take part: {why} " in " ".join(out.split()) + " "
    code, again, errors = typed("ladder", "course")
    assert (code, errors) == (0, "")
    assert again.splitlines()[0] == "round 2, 2026-11-03: 4 bots"
    assert again.splitlines()[1:] == out.splitlines()[1:]
    for command in ("rank", "resume"):
        succeeded(typed(command, "course", "--json"))
    assert "nothing changed since round 2" in course.ladder()[1]


def test_a_round_that_was_stopped_goes_on_and_is_written_down_once(
    course: Course, instant: Instant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ann", "ben", "cat"):
        course.hand_in(name, version(name * len(name)))
    course.round()
    course.hand_in("ann", version("another"))
    with monkeypatch.context() as patch:
        Instant.in_place_of_lanes(patch, 5)
        code, _, errors = course.ladder()
    assert code == 130
    assert "Continue with:\n  arena ladder --submissions homework course\n" in errors
    assert {row["round"] for row in course.history()} == {"1"}

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("arena.report.ladder.add_round", killed)
        assert course.ladder()[0] == 130
    assert {row["round"] for row in course.history()} == {"1"}
    asked = instant.games
    made = course.round()
    assert (made["round"], made["changed"]) == (2, True)
    assert (instant.games, len(course.games())) == (asked, 20 + 8)
    assert len(course.history()) == 2 * 5
    kept = course.folder / "history" / "2026-11-04-002" / "leaderboard.csv"
    assert kept.read_bytes() == (course.folder / "leaderboard.csv").read_bytes()
    assert not course.round()["changed"]


def test_the_second_of_two_at_once_does_nothing(course: Course, instant: Instant) -> None:
    for name in ("ann", "ben"):
        course.hand_in(name, version(name))
    course.round()
    course.hand_in("cat", version("cat"))
    holder = "import pathlib, sys; from arena.common.system import lock"
    holder += "; held = lock(pathlib.Path('.lock')); print('held', flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", holder], cwd=course.folder, **pipes) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        code, out, errors = course.ladder()
        other.communicate()
    said = "course: another arena is at work on it right now, so nothing was done\n"
    assert (code, out, errors) == (0, said, "")
    assert len(course.games()) == 12
    assert course.round()["changed"]


def test_no_submission_stops_a_round_or_changes_how_others_are_read(
    course: Course, instant: Instant, typed: Typed, tmp_path: Path
) -> None:
    course.hand_in("bot", FIRST_FREE)  # alone such a folder would be one bot
    course.hand_in("ann", f"import bot, ben\n{FIRST_FREE}")
    (course.submissions / "ben").mkdir()
    (course.submissions / "ben" / "a.py").write_text(FIRST_FREE)
    (tmp_path / "set.toml").write_text('[bots.ben]\nfile = "a.py"\n[bots.gone]\nfile = "x.py"\n')
    made = course.round("--config", tmp_path / "set.toml")
    assert {row["bot"] for row in made["bots"]} == {"ann", "ben", "bot", "random", "reference"}
    (course.submissions / "ben" / "a.py").rename(course.submissions / "ben" / "b.py")
    for number in (2, 2):  # also once it is known
        succeeded(course.ladder("--config", tmp_path / "set.toml"))
        made = json.loads(typed("ladder", "course", "--json")[1])
        assert made["round"] == number
    said = '[bots.ben] file = "a.py": not among its files (b.py)'
    games = (course.folder / "contest.toml").read_text()
    assert said in games.replace('\\"', '"')


def test_what_is_left_out_or_renamed_is_said_and_makes_no_round(
    course: Course, instant: Instant
) -> None:
    course.hand_in("ann", version("ann"))
    course.hand_in("ben", version("ben, who differs"))
    assert course.ladder()[1].endswith("┘\n")
    here = course.submissions
    os.mkfifo(here / "pipe.py")
    (here / "folder").mkdir()
    os.mkfifo(here / "folder" / "bot.py")
    for name, where in {"pw.py": "/etc/passwd", "etc": "/etc", "loop.py": "loop.py"}.items():
        (here / name).symlink_to(where)
    (here / "copy\x1b[2Jcat.py").symlink_to("ann.py")
    said = [
        "left out: homework/copy [2Jcat.py (a symbolic link)",
        "left out: homework/etc (a symbolic link)",
        "left out: homework/folder (a folder without a bot)",
        "left out: homework/loop.py (a symbolic link)",
        "left out: homework/pipe.py (not a regular file)",
        "left out: homework/pw.py (a symbolic link)",
    ]
    code, out, errors = course.ladder()
    assert (code, errors) == (0, "")
    assert out.splitlines() == ["course: nothing changed since round 1, 2026-11-01", *said]
    course.hand_in("ANN", version("another student"))
    said.append("homework/ANN.py takes part as ANN-2, because ann is taken")
    code, out, errors = course.ladder()
    assert (code, errors) == (0, "")
    assert out.startswith("round 2, ")
    assert out.splitlines()[-len(said) :] == said
    logged = (course.folder / "arena.log").read_text()
    assert all(line in logged for line in said)
    made = course.round()
    assert (made["changed"], made["hand_ins"]) == (False, said)


def test_a_round_without_most_of_the_class_is_played_only_if_that_is_allowed(
    course: Course, instant: Instant
) -> None:
    for number in range(5):
        course.hand_in(f"bot{number}", version("x" * number))
    course.round()
    for name in ("bot0", "bot1"):
        course.take_back(name)
    assert course.round()["round"] == 2  # without two of five
    for name in ("bot2", "bot3"):
        course.take_back(name)
    course.hand_in("ann", version("ann"))
    kept = (course.folder / "history.csv").read_bytes()
    code, out, errors = course.ladder()
    assert (code, out, errors.count("\n")) == (1, "", 1)
    assert "homework: 2 of the 3 bots of the last round are missing (bot2, bot3)" in errors
    assert "--allow-leaving" in errors
    made = course.round("--allow-leaving")
    assert {row["bot"] for row in made["bots"]} == {"ann", "bot4", "random", "reference"}
    for name in ("ann", "bot4"):
        course.take_back(name)
    code, out, errors = course.ladder()
    assert (code, out, errors.count("\n")) == (1, "", 1)
    assert "homework: the folder is empty; " in errors
    assert (course.folder / "history.csv").read_bytes().startswith(kept)
    assert len(course.history()) == 7 + 5 + 4


def test_what_makes_no_sense_is_refused_in_a_line(
    course: Course, instant: Instant, tmp_path: Path
) -> None:
    for name in ("ann", "ben"):
        course.hand_in(name, version(name))
    course.round()
    (tmp_path / "set.zip").write_bytes(b"")
    wrong: dict[tuple[object, ...], str] = {
        ("--seed", 6): "course: its rounds are played with seed 5, not seed 6; on other terms they",
        ("--nodes", 60): "nodes 50, not nodes 60",
        ("--nodes", 50, "--memory-mb", 400): "not memory_mb 400",
        ("--until-settled",): "a ladder plays every opening",
        ("--within", "8h"): "a ladder plays every opening",
        (
            "--day",
            "2026-10-31",
        ): "the last round was on 2026-11-01, after 2026-10-31; give a",
        ("--submissions", "none"): "none: no such folder",
        ("--submissions", "set.zip"): "arena collect set.zip --into DIR",
    }
    for words, said in wrong.items():
        assert said in refused(course.ladder(*words))
    history = course.folder / "history.csv"
    history.write_text(history.read_text().replace("2026-11-01", "1/11/2026", 1))
    assert 'history.csv:2: day "1/11/2026": expected YYYY-MM-DD' in refused(course.ladder())


def test_a_contest_that_is_no_ladder_is_not_touched(
    course: Course, instant: Instant, typed: Typed
) -> None:
    for name in ("ann", "ben"):
        course.hand_in(name, version(name))
    succeeded(typed("run", "homework", *WORDS[:-2], "--out", "course"))
    held = contents(course.folder)
    course.take_back("ben")
    said = "course: holds a contest that is not a ladder; name another folder"
    for words in ((), ("--submissions", "homework", *WORDS)):
        assert said in refused(typed("ladder", "course", *words))
        assert held == contents(course.folder)
    (course.folder / "contest.toml").unlink()  # its games are there all the same
    code, _, errors = course.ladder()
    assert (code, said in errors) == (2, True)


def test_no_other_contest_is_played_in_a_ladders_folder(
    course: Course, instant: Instant, typed: Typed
) -> None:
    for name in ("ann", "ben"):
        course.hand_in(name, version(name))
    course.round()
    held = contents(course.folder)
    assert "course: holds a ladder; play its next round with arena ladder course --sub" in refused(
        typed("run", "homework", "--out", "course")
    )
    assert held == contents(course.folder)
    assert typed("resume", "course")[0] == 0


def test_a_ladder_without_rounds_and_options_without_submissions(
    course: Course, instant: Instant, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "homework: no bots here" in refused(course.ladder())
    assert not course.folder.exists()
    course.hand_in("ann", version("ann"))
    with monkeypatch.context() as patch:
        Instant.in_place_of_lanes(patch, 1)
        assert course.ladder()[0] == 130
    assert len(course.games()) < 6
    assert not (course.folder / "history.csv").exists()
    for words, said in (
        (
            ("ladder", "course"),
            "no round has been played; play the first: arena ladder course --sub",
        ),
        (("ladder", "course", "--openings", 3), "--openings: needs --submissions"),
    ):
        assert said in refused(typed(*words))
    assert course.round()["round"] == 1
