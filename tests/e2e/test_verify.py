"""`arena verify` and `--rerun`: a random bot, and a changed record."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.contest.folder import ContestFolder
from arena.game.record import GameRecord, Retake
from arena.game.verdict import Proof
from arena.journal.rows import game_row
from support.bots import FIRST_FREE, bots_in
from support.command_line import Typed, arena, arena_ok, refused
from support.shared import contents

DICE = """
import os
def pick_move(rack):
    free = [c for c in range(len(rack)) if rack[c][-1] == 0]
    return free[os.urandom(1)[0] % len(free)]
"""
FULL = """
def pick_move(rack):
    print("sees", sum(map(any, rack)))
    return 42
"""
SMALL = ("--rows", 4, "--columns", 4, "--connect", 3, "--seed", 1, "--openings", 1)


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bots and `results` of a contest of three."""
    folder = tmp_path_factory.mktemp("verify")
    bots_in(folder / "bots", dice=DICE, full=FULL, steady=FIRST_FREE)
    arena_ok("run", "bots", "--no-house", *SMALL, "--out", "results", cwd=folder)
    return folder


@pytest.fixture
def copied(contest: Path, tmp_path: Path) -> Path:
    shutil.copytree(contest, tmp_path / "copy")
    return tmp_path / "copy"


def number_of(folder: Path, *names: str) -> int:
    games = ContestFolder(folder / "results")
    return next(
        game.number for game in games.games(games.read()) if (game.first, game.second) == names
    )


def edit(folder: Path, number: int, change: Callable[[GameRecord], GameRecord]) -> None:
    """Change a game's record in the journal, with a valid checksum."""
    games = ContestFolder(folder / "results")
    key = games.games(games.read())[number - 1].key.digest
    (record,) = (each for each in games.copied_records() if each.key == key)
    database = sqlite3.connect(folder / "results" / "journal.sqlite")
    with database:
        database.execute("DELETE FROM games WHERE key = ?", (key,))
        row = game_row(change(record))
        database.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(row))})", row)
    database.close()


def as_json(*words: object, cwd: Path) -> tuple[int, Any]:
    done = arena(*words, "--json", cwd=cwd)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.slow
def test_a_sample_tells_whose_bot_is_not_deterministic(contest: Path) -> None:
    before = contents(contest / "results")
    code, found = as_json("verify", "results", "--sample", "all", cwd=contest)
    assert code == 0, "what a bot does not repeat by itself is explained"
    verdicts = {each["bot"]: each["deterministic"] for each in found["bots"]}
    assert verdicts == {"dice": False, "full": True, "steady": True}
    assert {each["bot"] for each in found["differing"]} == {"dice"}
    assert found["games"] == found["played"] == 6
    assert contents(contest / "results") == before, "nothing is written"


@pytest.mark.slow
def test_a_record_that_was_changed_is_told_from_a_bot_that_draws_lots(copied: Path) -> None:
    number = number_of(copied, "steady", "full")
    edit(copied, number, lambda record: replace(record, reason="was tired", winner=1))
    shown = arena("verify", "results", "--sample", 6, "--lanes", 1, cwd=copied)
    assert shown.returncode == 1
    said = "No bot caused this: the record says it was won by seat 1 (ILLEGAL_MOVE)"
    assert f"Game {number}: {said}" in shown.stdout
    again = arena("replay", "results", number, "--rerun", cwd=copied)
    assert again.returncode == 1
    assert said in again.stdout


@pytest.mark.slow
def test_a_game_that_repeats_says_so_also_from_a_folder_that_is_read_only(copied: Path) -> None:
    number = number_of(copied, "steady", "full")
    subprocess.run(["mount", "--bind", "-o", "ro", copied, copied], check=False)
    try:
        shown = arena("replay", "results", number, "--rerun", cwd=copied)
    finally:
        subprocess.run(["umount", "--lazy", copied], check=False, capture_output=True)
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"It repeats: (1 move|\d+ moves) and the end are the same:", shown.stdout)
    assert "full returned column 42; the board has columns 0 to 3" in shown.stdout


@pytest.mark.slow
def test_every_command_on_a_page_asks_the_authors_own_bot_the_same_again(contest: Path) -> None:
    page = (contest / "results" / "feedback" / "full.md").read_text()
    command = page.split("To ask your own copy the same again: `arena ")[1].split("`")[0]
    home = contest / "home"
    home.mkdir()
    shutil.copy(contest / "results" / "feedback" / "full.json", home)
    shutil.copy(contest / "bots" / "full.py", home)
    same = arena(*command.split(), cwd=home)
    assert same.returncode == 1
    assert "; now it returned column 42" in same.stdout
    assert "\n  sees " in same.stdout
    (home / "full.py").write_text(FIRST_FREE)
    mended = arena(*command.split(), cwd=home)
    assert mended.returncode == 0
    assert "; now it" not in mended.stdout


@pytest.mark.slow
def test_games_that_cannot_be_played_again_are_refused_in_a_line(
    contest: Path, tmp_path: Path, typed: Typed
) -> None:
    folder = contest / "results"
    page = folder / "feedback" / "full.json"
    for words, said in {
        (page, "1", "--rerun"): "to ask your own bot again: arena ask my_bot.py --game",
        (folder, "--rerun"): "needs a game's number",
    }.items():
        assert said in refused(typed("replay", *words))
    assert typed("verify", folder, "--sample", "none")[0] == 2
    code, _, errors = typed("verify", folder, "--seed", "1", "--repair")
    assert (code, "--seed: --repair plays no games; leave it out" in errors) == (2, True)


@pytest.mark.slow
def test_second_tries_are_shown_by_every_command_that_shows_the_games(copied: Path) -> None:
    number = number_of(copied, "steady", "full")
    games = ContestFolder(copied / "results")
    key = games.games(games.read())[number - 1].key.digest
    killed = Retake(key=key, at=1, seat=0, ply=5, proof=Proof.SIGNAL, reason="was killed")
    journal = games.journal()
    journal.add_retakes(replace(killed, at=at) for at in range(3))
    journal.close()
    why = f"played a game again, as it was killed at ply 5: {Proof.SIGNAL.value}"
    ranked = " ".join(arena("rank", "results", cwd=copied).stdout.split())
    assert "may not be the bot's: steady 3; arena verify shows why" in ranked
    assert "steady: used all 3 retries" in ranked
    shown = arena("verify", "results", cwd=copied)
    assert f"Game {number}: steady {why}." in " ".join(shown.stdout.split())
    _, found = as_json("verify", "results", "--replay", 1, cwd=copied)
    assert found["second_tries"] == [{"bot": "steady", "game": number, "why": why}] * 3
    code, checked = as_json("fsck", "results", cwd=copied)
    assert code == 0, checked["findings"]
    assert any("bots had 3 retries" in note for note in checked["notes"])
    page = (copied / "results" / "feedback" / "steady.md").read_text()
    assert "## Retries (3)" in page
    assert why in page
    assert "Retries" not in (copied / "results" / "feedback" / "full.md").read_text()
