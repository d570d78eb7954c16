"""`arena run --dry-run`, and interrupts before the first game."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from support.bots import FIRST_FREE, LAST_FREE, bots_in
from support.command_line import PATIENCE_SECONDS, Typed, started, succeeded
from support.shared import contents

BUSY = """
import time
def pick_move(rack):
    start = time.thread_time()
    while time.thread_time() - start < 0.05:
        pass
    return [c[-1] for c in rack].index(0)
"""
FAILS = "def pick_move(rack):\n    return 1 / 0\n"
DRY = ("run", "bots", "--no-house", "--dry-run")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    bots_in(tmp_path / "bots", alice=FIRST_FREE, bob=LAST_FREE, carol=f"# carol\n{FIRST_FREE}")
    return tmp_path


@pytest.mark.slow
def test_a_dry_run_says_how_long_it_takes_and_leaves_nothing_behind(
    here: Path, typed: Typed
) -> None:
    bots_in(here / "bots", carol=BUSY)
    before = contents(here)
    output = succeeded(typed(*DRY, "--openings", 20))
    lines = output.splitlines()
    assert lines[0] == "3 bots, 3 pairings × 20 openings × 2 sides = 120 games, 120 to play"
    assert re.match(r"about \d+ (s|min).* on \d+ lanes? \(.* to .*\)$", lines[1])
    assert re.match(r"slow: carol \d+ ms a move, \d+% of all time$", lines[2])
    assert contents(here) == before


@pytest.mark.slow
def test_a_dry_run_as_json_has_every_bot_with_its_share(here: Path, typed: Typed) -> None:
    bots_in(here / "bots", carol=BUSY, dave=FAILS)
    code, output, _ = typed(*DRY, "--openings", 3, "--json")
    found = json.loads(output)
    assert code == 0
    assert (found["bots"], found["pairings"], found["games"]) == (4, 6, 36)
    assert found["low"] < found["seconds"] < found["high"]
    assert found["players"][0]["name"] == "carol"
    assert found["players"][0]["move_seconds"] > 0.05
    assert sum(player["share"] for player in found["players"]) == pytest.approx(1)


@pytest.mark.slow
def test_a_dry_run_in_a_contests_folder_changes_nothing_and_knows_what_was_played(
    here: Path, typed: Typed
) -> None:
    assert typed(*DRY[:-1], "--openings", 1, "--out", "c")[0] == 0
    before = contents(here)
    code, output, _ = typed(*DRY, "--out", "c", "--openings", 3)
    assert (code, "= 18 games, 12 to play\nabout " in output) == (0, True)
    code, output, _ = typed(*DRY, "--out", "c")
    assert (code, "= 6 games, 0 to play\nnothing to play\n" in output) == (0, True)
    assert contents(here) == before


@pytest.mark.slow
def test_a_contest_that_is_played_until_it_is_settled_takes_at_most_so_long(
    here: Path, typed: Typed
) -> None:
    settled = (*DRY, "--until-settled=0.6", "--openings", 2, "--out", "c")
    code, output, _ = typed(*settled)
    assert (code, "= at most 12 games, 12 to play\nat most about " in output) == (0, True)
    code, _, errors = typed(*(word for word in settled if word != "--dry-run"))
    assert (code, "\nat most about " in errors) == (0, True)
    code, output, _ = typed(*settled)
    assert (code, "games, 0 to play\nnothing to play\n" in output) == (0, True)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (("--out", "bots/alice.py"), "bots/alice.py: cannot be written to (Not a directory); name"),
        (("--out", "bots"), "bots: no contest, but it holds alice.py; name another folder"),
        (("--openings", "0"), "openings = 0: expected 1 to 100000"),
    ],
)
def test_a_dry_run_refuses_what_a_run_refuses(
    here: Path, typed: Typed, more: tuple[str, ...], line: str
) -> None:
    before = contents(here)
    code, output, errors = typed(*DRY, *more)
    assert (code, output) == (2, "")
    assert errors.startswith(f"arena: {line}")
    assert contents(here) == before


def test_a_dry_run_of_one_bot_says_that_a_contest_needs_two(here: Path, typed: Typed) -> None:
    code, _, errors = typed("run", "bots/alice.py", "--no-house", "--dry-run")
    assert (code, "a contest needs two" in errors) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "bots", "--no-house", "--out", "c"), "stopped before the first game; type the"),
        (("check", "bots"), "stopped; a check keeps nothing"),
        (("match", "bots/hangs.py", "bots/alice.py"), "stopped; a match keeps nothing"),
    ],
)
def test_an_interrupt_says_in_one_line_how_to_go_on(
    here: Path, words: tuple[str, ...], said: str
) -> None:
    (here / "bots" / "hangs.py").write_text("def pick_move(rack):\n    while True:\n        pass\n")
    with started(*words, cwd=here, env={**os.environ, "TMPDIR": str(here)}) as running:
        while not any("lane" in log.read_text() for log in here.rglob("arena.log")):
            assert running.poll() is None
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == 130
    assert [line for line in errors.splitlines() if line.startswith("stopped")] == [
        line for line in errors.splitlines() if said in line
    ]
    assert said in errors
