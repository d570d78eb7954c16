"""The archive's scripts run as at Gradescope."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

import pytest

from support.bots import FIRST_FREE
from support.command_line import arena_ok
from support.deprived import LANDLOCK, MOUNT, SECCOMP, SETRESUID, UNSHARE
from support.gradescope import Gradescope, can_be_laid_out
from support.handed_in import notebook
from support.results_json import require_results

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_be_laid_out(), reason="only root can lay out Gradescope's folders"),
]

CONTEST = """
[limits]
move_seconds = 0.3
first_move_seconds = 0.2

[schedule]
openings = 1
retire_after = 1

[grades]
late_penalty = 1
levels = { 1 = { random = 0.5 }, 2 = { random = 0.5, greedy = 0.5 } }

[packages]
allow = ["pandas"]
"""
GREEDY = ", 2 = { random = 0.5, greedy = 0.5 }"

HOSTILE = """
import glob, os
FORGED = '{"score": 1000}'
print(FORGED)
def pick_move(rack):
    for path in ("/autograder/source/contest.toml", "/autograder/submission_metadata.json"):
        try:
            print("READ", open(path).read())
        except OSError:
            print("closed", path)
    for folder in ("/autograder/source", "/autograder/results", "/autograder/submission"):
        try:
            print("LISTED", os.listdir(folder))
        except OSError:
            print("closed", folder)
    for path in ("/autograder/results/results.json", "/autograder/venv/forged"):
        try:
            open(path, "w").write(FORGED)
            print("WROTE", path)
        except OSError:
            print("closed", path)
    try:
        if os.fork() == 0:
            os.setsid()
            while True:
                open("/autograder/results/results.json", "w").write(FORGED)
        print("FORKED")
    except OSError:
        print("closed fork")
    raise SystemError("enough tried")
"""


@pytest.fixture(scope="module")
def gradescope(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gradescope]:
    """An image in which setup.sh has run."""
    folder = tmp_path_factory.mktemp("gradescope")
    (folder / "contest.toml").write_text(CONTEST)
    arena_ok("autograder", "--config", "contest.toml", "--out", "autograder.zip", cwd=folder)
    with Gradescope(folder / "image", folder / "autograder.zip") as image:
        done = image.set_up()
        assert done.returncode == 0, done.stderr
        assert "Successfully installed arena" in done.stdout
        assert "Contests can be run here." in done.stdout
        assert "Requirement already satisfied: pandas" in done.stdout  # as it is allowed
        yield image


@pytest.fixture
def without_engine(gradescope: Gradescope) -> Iterator[Gradescope]:
    """The image with a contest that needs no engine, as numba takes seconds in each grading."""
    file = gradescope.folder / "source" / "contest.toml"
    whole = file.read_text()
    file.write_text(CONTEST.replace(GREEDY, ""))
    yield gradescope
    file.write_text(whole)


def graded(gradescope: Gradescope, *args: Any, **more: Any) -> dict[str, Any]:
    results = gradescope.grade(*args, **more)
    require_results(results)
    return results


def test_a_late_notebook_gets_the_points_of_its_games_without_the_penalty(
    gradescope: Gradescope,
) -> None:
    facts = {
        "created_at": "2026-03-02T10:00:00.000000-08:00",
        "assignment": {"due_date": "2026-03-01T23:59:00.000000-08:00"},
        "users": [{"name": "=cmd()", "email": "a@b.c"}],
        "previous_submissions": [{"score": "3.5", "results": {}}],
    }
    results = graded(gradescope, {"homework.ipynb": notebook(FIRST_FREE)}, facts)
    assert "compiling" not in gradescope.printed  # as that was done when the image was built
    accepted, against_random, against_greedy, *_ = results["tests"]
    assert accepted["name"] == "It plays without a fault" and accepted["status"] == "passed"
    for test, player in ((against_random, "random"), (against_greedy, "greedy")):
        assert test["name"] == f"Against {player}: {test['score']:g} of 2 points"
        assert (test["status"] == "passed") == (test["score"] >= 1)
    beaten = [test["status"] == "passed" for test in (against_random, against_greedy)]
    grade = sum(beaten) if beaten[0] else 0
    late = max(0, grade - 1)
    assert results["score"] == 5 * late
    assert results["output"].startswith(
        f"# {5 * late} of 10 points\n\nGrade {late} of 2: {grade} before the late penalty of 1 is "
        "taken off; "
    )
    assert results["output_format"] == "md" and results["stdout_visibility"] == "hidden"
    assert results["leaderboard"][0] == {"name": "Points", "value": 5.0 * late, "order": "desc"}


def test_what_was_installed_from_the_archive_makes_the_same_wheel(gradescope: Gradescope) -> None:
    program = "/autograder/venv/bin/arena"
    done = gradescope.run(program, "autograder", "--out", "/autograder/again.zip")
    assert done.returncode == 0, done.stderr
    with ZipFile(gradescope.folder / "again.zip") as again:
        (wheel,) = (name for name in again.namelist() if name.endswith(".whl"))
        assert again.read(wheel) == (gradescope.folder / "source" / wheel).read_bytes()


def test_a_submission_that_cannot_play_gets_the_reason(gradescope: Gradescope) -> None:
    files = {"homework/src/bot.py": "def pick_move(rack)\n    return 0\n"}
    reason = "SyntaxError: expected ':' (homework/src/bot.py, line 1)"
    results = graded(gradescope, files)
    (accepted,) = results["tests"]
    assert results["score"] == 0 and accepted["status"] == "failed"
    assert reason in results["output"] and reason in accepted["name"]
    assert "No game was played" in results["output"]


@pytest.mark.parametrize(
    "without",
    [(), (UNSHARE, MOUNT, *LANDLOCK)],
    ids=["all layers", "as in an old container"],
)
def test_a_hostile_submission_reaches_nothing_and_reads_its_faults(
    without_engine: Gradescope, without: tuple[int, ...]
) -> None:
    results = graded(without_engine, {"bot.py": HOSTILE}, {"secret": "METADATA"}, without)
    assert results["score"] == 0
    assert "- It raised an error in " in results["output"]
    assert results["output"].count("SystemError: enough tried") == 1  # that of the check
    accepted, encounter, *_, games = results["tests"]
    assert accepted["status"] == "failed" and "SystemError: enough tried" in accepted["name"]
    assert "(bot.py, line" in accepted["name"] and encounter["score"] == 0
    for test in (accepted, games):
        assert "SystemError: enough tried" in test["output"]
        assert "closed /autograder/source/contest.toml" in test["output"]
    assert games["visibility"] == "hidden" and "visibility" not in accepted
    said = json.dumps(results)
    for word in ("READ ", "LISTED", "WROTE", "FORKED", "METADATA", "move_seconds"):
        assert word not in said.replace("READ every file", "")
    assert not (without_engine.folder / "venv" / "forged").exists()


def test_where_bots_cannot_be_confined_none_is_run_and_the_instructor_reads_why(
    gradescope: Gradescope,
) -> None:
    without = (*LANDLOCK, SECCOMP, SETRESUID, UNSHARE, MOUNT)
    results = graded(gradescope, {"bot.py": FIRST_FREE}, without=without)
    (hidden,) = results["tests"]
    assert results["score"] == 0 and "no fault of your code" in results["output"]
    assert hidden["visibility"] == "hidden"
    assert "this machine cannot confine bots" in hidden["output"]


def test_whatever_is_broken_there_are_results(gradescope: Gradescope) -> None:
    program = gradescope.folder / "venv" / "bin" / "arena"
    content = program.read_bytes()
    program.write_text("#!/bin/sh\nkill -KILL $$\n")
    try:
        results = graded(gradescope, {"bot.py": FIRST_FREE})
    finally:
        program.write_bytes(content)
    assert results["score"] == 0 and "no fault of your code" in results["output"]
    assert results["tests"][0]["visibility"] == "hidden"
