"""What people are told while and after bots are retired."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contest.retirement import settle
from arena.game.verdict import Verdict
from arena.report.facts import facts_of
from arena.report.feedback import feedback_pages
from arena.report.screen.lines import _of_loading, _of_moves, out_table, retired_sentence
from arena.report.tally import Scoreboard
from support.scripted import by_key, contest_of, games_between, lost, random_contest, sample_order


@pytest.mark.slow
@given(seed=st.integers(0, 2**32), retire_after=st.integers(0, 3), rounds=st.integers(1, 3))
def test_the_running_totals_are_those_of_the_settled_games(
    seed: int, retire_after: int, rounds: int
) -> None:
    draw = random.Random(seed)
    games, records = random_contest(draw, rounds)
    tally = Scoreboard(contest_of(games, retire_after=retire_after), games)
    arrived = {}
    for digest in draw.sample(sorted(records), len(records)):
        arrived[digest] = records[digest]
        tally.add(records[digest])
        settled = settle(games, arrived, retire_after)
        tally.retire(settled.retired)
        assert tally.played + tally.forfeited == len(settled.games)
        assert tally.played == sum(not is_forfeit for _, _, is_forfeit in settled.games)
    assert tally.is_over
    assert tally.to_play() == {}


def test_the_time_left_does_not_grow_with_games_that_a_hanging_bot_will_not_play() -> None:
    games = games_between(*[("x", "a")] * 50)
    estimates = []
    for retire_after in (5, 0):
        tally = Scoreboard(contest_of(games, retire_after=retire_after), games)
        for game in games[:2]:
            tally.add(lost(game, "x"))
        estimates.append(tally.to_play()["x"])
    assert estimates == [3, 48]


def test_forty_retired_bots_are_ten_rows_and_a_count() -> None:
    bots = [f"x{number}" for number in range(40)]
    games = games_between(*((bot, "a") for bot in bots), *((bot, "b") for bot in bots))
    records = by_key(*(lost(game, game.first) for game in games))
    settled = settle(games, records, 1)
    terms = contest_of(games, retire_after=1)
    table = out_table(facts_of(Path(), terms, settled, {}), 100)
    assert table is not None
    names, why = ([str(cell) for cell in column.cells] for column in table.columns)
    assert (len(names), names[-1]) == (11, "…")
    assert why[0].startswith("was retired after losing 1 of 1 games by TIMEOUT; 1 game more is")
    assert why[-1].startswith("and 30 more bots")


def test_the_page_of_a_retired_bot_tells_its_faults_from_its_forfeits_and_its_likely_rank() -> None:
    games = sample_order(
        games_between(*[("x", "a")] * 6, *[("a", "b")] * 2, ("x", "y"), ("y", "a"))
    )
    of_x = [game for game in games if (game.first, game.second) == ("x", "a")]
    records = by_key(
        lost(of_x[0], "a", Verdict.LINE),
        *(lost(game, "x") for game in of_x[1:]),
        *(lost(game, game.second, Verdict.LINE) for game in games if game not in of_x),
    )
    settled = settle(games, records, 2)
    assert settled.retired["x"].played == 3
    facts = facts_of(Path(), contest_of(games), settled, {})
    sentence = retired_sentence("x", settled, facts.board)
    pages = {each.bot: each.page for each in feedback_pages(facts)}
    page = pages["x"]
    assert f"It {sentence}." in page.splitlines()
    assert sentence.startswith("was retired after losing 2 of 3 games by TIMEOUT; ")
    assert re.search(
        r"in the \d games that it played it scored \d, which would be rank \d of 4$", sentence
    )
    assert "### TIMEOUT (2)" in page
    assert "forfeits this game" not in page
    assert "retired" not in pages["a"]


def test_a_search_that_is_not_counted_is_named_with_its_figures() -> None:
    spent = pd.DataFrame(
        {
            "mean_nodes": [8000.0, 5000.0, 4.0, None, None, 60.0],
            "mean_move_ms": [400.0, 200.0, 600.0, 500.0, 0.4, 20.0],
        },
        index=["ann", "bob", "decoy", "stack", "rules", "careful"],
    )
    named = {bot: work for _, bot, work in _of_moves(spent, 10_000)}
    assert named.keys() == {"decoy", "stack"}
    assert named["decoy"].startswith("600 ms a move for 4.0 nodes; the others' median is 0.05 ms")
    assert "500 ms a move, no node is counted" in named["stack"]
    spent.loc["stack", "mean_move_ms"] = 10_300.0
    named = {bot: work for _, bot, work in _of_moves(spent, 10_000)}
    assert "10.3 s a move, no node is counted" in named["stack"]


def test_long_loading_is_named_beside_quick_ones() -> None:
    named = [bot for _, bot, _ in _of_loading({"ann": 0.02, "bob": 0.03, "cy": 12.0, "di": 0.9})]
    assert named == ["cy"]
    assert list(_of_loading({"alone": 50.0})) == []
