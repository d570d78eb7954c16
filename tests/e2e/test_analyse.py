"""`arena analyse` and its effect on other commands."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.analysis.analysis import GameAnalysis
from arena.analysis.worth import outcome
from arena.cli import arena as command
from arena.common.errors import InputError
from arena.contest.folder import ContestFolder
from arena.ranking.accuracy import ANALYSIS_CSV
from arena.ranking.leaderboard import LEADERBOARD_CSV
from arena.rules import Ruleset
from support.command_line import PATIENCE_SECONDS, arena_ok, started
from support.perfect import brute_analysis
from support.scripted import at_random, two_bots

RULES = Ruleset(rows=3, columns=5)


def here(*words: object) -> str:
    """Run a command in this process; returns its output."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert command.main([str(word) for word in words], standalone_mode=False) == 0
    return output.getvalue()


def judge(folder: ContestFolder, analyses: list[GameAnalysis]) -> None:
    journal = folder.journal()
    journal.add_analyses(analyses)
    journal.close()


@pytest.mark.slow
def test_a_contest_is_analysed_once_and_then_shown_everywhere(tmp_path: Path) -> None:
    folder = two_bots(tmp_path / "c", RULES, openings=4)
    records = at_random(folder)
    assert not (tmp_path / "c" / "analysis.csv").exists()
    first = arena_ok("analyse", "c", cwd=tmp_path)
    assert f"c: {len(records)} games, {len(records)} to analyse" in first.stderr
    assert "1 more not played yet: arena resume c" in first.stderr
    assert f" of {len(records)} games: the exact value of each is known" in first.stdout

    wanted = [brute_analysis(RULES, record) for record in records]
    told = json.loads(here("analyse", folder.path, "--json"))
    assert told["games"] == told["known_in_full"] == len(records)
    judged = [each.judged(record) for each, record in zip(wanted, records, strict=True)]
    moves = [move for each in judged for move in each]
    blunders = [move for move in moves if move.is_blunder]
    assert [blunder["ply"] for blunder in told["blunders"]] == [m.ply + 1 for m in blunders]
    assert [blunder["held_by"] for blunder in told["blunders"]] == [
        list(move.position.held_by) for move in blunders
    ]
    frame = pd.read_csv(tmp_path / "c" / "analysis.csv")
    assert list(frame.columns) == ANALYSIS_CSV
    assert frame["blunders"].sum() == len(blunders)
    assert frame["mattered"].sum() == sum(move.matters for move in moves)
    board = pd.read_csv(tmp_path / "c" / "leaderboard.csv")
    assert list(board.columns) == LEADERBOARD_CSV
    ranked = json.loads(here("rank", folder.path, "--json"))
    assert list(ranked[0])[-2:] == ["accuracy", "blunders"]
    assert "## What its moves were worth" in (folder.path / "feedback/ann.md").read_text()

    number = told["blunders"][0]["game"]
    shown = here("replay", folder.path, number).splitlines()
    lines = [line for line in shown if line.startswith("ply ")]
    for line, move in zip(lines, judged[number - 1], strict=True):
        assert ("a blunder; column" in line) == move.is_blunder
        assert {1: " wins at ply", 0: " draws", -1: " loses at ply"}[
            outcome(move.worth.exact)
        ] in line


@pytest.mark.slow
def test_numbers_from_a_part_of_the_games_are_said_to_be_that(tmp_path: Path) -> None:
    folder = two_bots(tmp_path / "my contest", RULES, openings=4)
    records = at_random(folder)
    assert "analysed" not in here("rank", folder.path)
    hint = f"arena analyse '{folder.path}'"
    other = brute_analysis(RULES, replace(records[0], key="left"))
    judge(folder, [other])
    assert f"0 of 7 games are analysed: {hint}" in " ".join(here("rank", folder.path).split())
    page = folder.path / "feedback" / "ann.md"
    assert "Its games have not been analysed yet." in page.read_text().splitlines()
    judge(folder, [brute_analysis(RULES, each) for each in records[:3]])
    assert f"3 of 7 games are analysed: {hint}" in " ".join(here("rank", folder.path).split())
    assert "3 of its 7 games are analysed so far. " in page.read_text()
    judge(folder, [brute_analysis(RULES, each) for each in records[3:]])
    assert "are analysed" not in here("rank", folder.path)
    assert "so far" not in page.read_text()


@pytest.mark.slow
def test_an_interrupted_analysis_says_how_to_go_on(tmp_path: Path) -> None:
    at_random(two_bots(tmp_path / "my contest", Ruleset(rows=8, columns=8)), plies=12)
    words = ("analyse", "my contest", "--lanes", 1, "--nodes", 10**15)
    log = tmp_path / "my contest" / "arena.log"
    with started(*words, cwd=tmp_path) as running:
        while " on core " not in log.read_text():
            assert running.poll() is None
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE_SECONDS)
    assert running.returncode == 130
    assert "  arena analyse 'my contest' --nodes 1000000000000000" in errors


def test_what_cannot_be_analysed_is_one_clear_line(tmp_path: Path) -> None:
    two_bots(tmp_path / "unplayed", RULES).journal().close()
    two_bots(tmp_path / "lost", RULES)
    for name, why in (
        ("unplayed", "no game has been played yet; arena resume"),
        ("lost", "the journal is missing"),
        ("elsewhere", "no contest in this folder"),
    ):
        with pytest.raises(InputError, match=why):
            here("analyse", tmp_path / name)


@pytest.mark.slow
def test_of_a_board_that_is_hard_the_last_plies_are_known(tmp_path: Path) -> None:
    at_random(two_bots(tmp_path / "c", Ruleset(rows=8, columns=8)))
    done = arena_ok("analyse", "c", "--nodes", 2000, cwd=tmp_path)
    assert " judged by exact values, " in done.stdout.splitlines()[-2]
