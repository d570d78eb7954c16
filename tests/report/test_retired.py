"""What people are told while and after bots are retired."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scripted import by_key, games_between, lost, random_contest

from arena.contest import settle
from arena.ranking import games_frame, standings
from arena.referee import Verdict
from arena.report.feedback import feedback
from arena.report.progress import Progress, Tally
from arena.report.tables import retired_lines


@given(seed=st.integers(0, 2**32), retire_after=st.integers(0, 3), rounds=st.integers(1, 3))
def test_the_running_totals_are_those_of_the_settled_games(
    seed: int, retire_after: int, rounds: int
) -> None:
    draw = random.Random(seed)
    games, results = random_contest(draw, rounds)
    tally = Tally(games)
    arrived = {}
    for digest in draw.sample(sorted(results), len(results)):
        arrived[digest] = results[digest]
        tally.add(results[digest])
        settled = settle(games, arrived, retire_after)
        tally.retire(settled.retired)
        assert tally.ended == len(settled.games)
    table = standings(games_frame(settled.games), ["v", "w", "x", "y", "twin"])
    assert tally.ended == tally.total
    assert tally.cost_left_ns() == 0
    assert {bot: points for bot, points, _ in tally.top()} == table["points"].to_dict()
    assert {bot: count for bot, _, count in tally.top()} == (
        games_frame(settled.games)[["first", "second"]].stack().value_counts().to_dict()
    )
    assert {bot: tally.faults[bot] for bot in table.index} == table["forfeits"].to_dict()


def test_two_hundred_retired_bots_are_ten_lines_and_a_count() -> None:
    bots = [f"x{number}" for number in range(200)]
    games = games_between(*((bot, "a") for bot in bots), *((bot, "b") for bot in bots))
    records = by_key(*(lost(game, game.first) for game in games[:200]))
    lines = [line.plain for line in retired_lines(settle(games, records, 1))]
    assert lines[0] == ("x0 was retired after 1 game lost by TIMEOUT; 1 game more is a forfeit")
    assert len(lines) == 11
    assert lines[10].startswith("… and 190 more")


def test_the_page_of_a_retired_bot_tells_its_faults_from_its_forfeits() -> None:
    games = games_between(*[("x", "a")] * 3, ("y", "a"), ("x", "y"), ("a", "x"))
    records = by_key(*(lost(game, "x") for game in games[:2]), lost(games[3], "y", Verdict.ERROR))
    records |= by_key(lost(games[2], "a", Verdict.LINE))
    settled = settle(games, records, 2)
    settled_once = settle(games, records, 1)
    row = standings(games_frame(settled.games), ["a", "x", "y"]).loc["x"].to_dict()
    row |= {"grade": None, "mean_move_ms": None}
    page = feedback(
        "x", "x.py", row, games_frame(settled.games), settled.sentence("x"), "arena replay c"
    )
    sentence = "It was retired after 2 games lost by TIMEOUT; 3 games more are forfeits."
    assert sentence in page.splitlines()
    assert "2 of the 2 games it played ended by a fault of the bot." in page
    assert "### TIMEOUT (2)" in page
    assert "forfeits this game" not in page
    frame = games_frame(settled_once.games)
    page = feedback("x", "x.py", row, frame, settled_once.sentence("x"), "arena replay c")
    assert "and 1 game with others that were retired counts for nobody." in page
    page = feedback("a", "a.py", row, frame, "", "arena replay c")
    assert "retired" not in page


def test_a_run_that_goes_on_announces_only_faults_and_retirements_that_are_new() -> None:
    games = games_between(("x", "a"), ("y", "a"), ("x", "a"), ("x", "a"), ("y", "a"), ("y", "a"))
    before = by_key(lost(games[0], "x"), lost(games[1], "y"), lost(games[2], "x"))
    now = by_key(lost(games[3], "x"), lost(games[4], "y"), lost(games[5], "y", Verdict.ERROR))
    console = Console(file=io.StringIO(), width=200)
    known = settle(games, before, 2).retired
    with Progress(games, before.values(), known, console) as progress:
        for retired in (settle(games, before | now, 2).retired, {}, known):
            progress.update(list(now.values()), retired, ("", 0.0))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines[:-1] == [
        "ERROR  y lost (game 6)",
        "y is retired after 2 games lost by TIMEOUT: its remaining games are forfeits",
    ]


def test_where_a_run_stands_at_its_end_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.report.progress.LINE_SECONDS", 0.0)
    games = games_between(("x", "a"), ("a", "x"))
    console = Console(file=io.StringIO(), width=200)
    with Progress(games, (), {}, console) as progress:
        for game in games:
            progress.update([lost(game, "x", Verdict.LINE)], {}, ("", 0.0))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert [line.split(" ")[0] for line in lines] == ["1/2", "2/2"]
