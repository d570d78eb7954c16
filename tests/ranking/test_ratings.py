"""Ratings of a contest: the scale, what counts for whom, identical bots, degenerate fields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from arena.interfaces import EntryPoint
from arena.ranking.ratings import ContestRatings, contest_ratings, convergence
from arena.settings.contest import BotEntry, Contest, Forfeits, Format, Ranking, Schedule
from support.ranked import frame


def pairs(one: str, other: str, *results: str) -> pd.DataFrame:
    """Opening pairs, each as `1/2`: how the game ended that `one` began, and the other one."""
    games = []
    for opening, result in enumerate(results):
        begun, answered = result.split("/")
        games += [(one, other, begun, str(opening)), (other, one, answered, str(opening))]
    return frame(*games)


def rated(games: pd.DataFrame, *bots: str, **terms: object) -> ContestRatings:
    contest = Contest(
        ranking=Ranking(**terms),  # type: ignore[arg-type]
        bots={bot: BotEntry() for bot in bots},
    )
    return contest_ratings(games, contest)


AB = pairs("a", "b", "1/2", "1/2", "1/1", "=/=")


def test_the_anchor_has_its_rating() -> None:
    found = rated(AB, "a", "b", anchor="b", anchor_rating=1000.0)
    assert found.anchor == "b"
    assert found.table.at["b", "rating"] == 1000
    assert found.table.at["a", "rating"] > 1000


def with_anchors(**anchors: float) -> Contest:
    bots = {name: BotEntry(house=True) for name in ("random", "greedy", "reference")}
    bots["greedy"] = replace(
        bots["greedy"], entry_point=EntryPoint(options={"depth": 1}, engine="play")
    )
    return Contest(ranking=Ranking(anchors=anchors), bots={**bots, "a": BotEntry()})


HOUSE_GAMES = pd.concat(
    [
        pairs("a", "greedy", "1/2", "1/1", "2/2", "1/2"),
        pairs("a", "random", *["1/2"] * 4),
        pairs("a", "reference", "2/1", "2/2", "2/1", "=/1"),
        pairs("greedy", "random", *["1/2"] * 4),
    ],
    ignore_index=True,
)


def test_house_players_are_held_at_their_recorded_ratings() -> None:
    contest = with_anchors(random=0, greedy=985.5, reference=1500, novice=1200)
    found = contest_ratings(HOUSE_GAMES, contest)
    assert contest.held == {"random": 0, "greedy": 985.5, "reference": 1500}
    assert found.anchor is None
    table = found.table
    for bot, rating in contest.held.items():
        assert table.loc[bot, ["rating", "rating_low", "rating_high"]].tolist() == [rating] * 3
    assert table.at["a", "rating_low"] < table.at["a", "rating"] < table.at["a", "rating_high"]
    assert 985.5 < table.at["a", "rating"] < 1500
    assert not found.remarks, "that reference won nearly all says nothing of its rating"
    alone = contest_ratings(HOUSE_GAMES[:0], contest)
    assert alone.table.isna().all().all()


def test_ratings_of_house_players_alone_are_the_recorded_ones() -> None:
    contest = with_anchors(random=0, greedy=985, reference=1500)
    contest = replace(contest, bots={name: contest.bots[name] for name in contest.held})
    games = [pairs("greedy", other, *["1/2"] * 4) for other in ("random", "reference")]
    found = contest_ratings(pd.concat(games), contest)
    assert (
        found.table["rating_low"].to_dict() == found.table["rating_high"].to_dict() == contest.held
    )
    assert np.isfinite(found.likelihoods).all()


def test_a_house_player_that_plays_otherwise_than_measured_is_not_held() -> None:
    contest = with_anchors(random=0, greedy=985, reference=1500)
    fewer = replace(contest, limits=replace(contest.limits, nodes=500))
    assert fewer.held == {"random": 0, "greedy": 985}
    without = replace(contest, limits=replace(contest.limits, nodes=None))
    assert without.held == contest.held
    deeper = EntryPoint(options={"depth": 3}, engine="play")
    bots = {**contest.bots, "greedy": replace(contest.bots["greedy"], entry_point=deeper)}
    assert replace(contest, bots=bots).held == {"random": 0, "reference": 1500}
    alone = {name: bot for name, bot in fewer.bots.items() if name != "greedy"}
    assert replace(fewer, bots=alone).held == {}, "random alone fixes no scale"
    students = {name: replace(bot, house=False) for name, bot in contest.bots.items()}
    assert replace(contest, bots=students).held == {}


def test_convergence_is_on_the_held_scale() -> None:
    contest = with_anchors(random=0, greedy=985, reference=1500)
    found = contest_ratings(HOUSE_GAMES, contest)
    number = np.arange(len(HOUSE_GAMES))
    steps = convergence(
        HOUSE_GAMES.assign(game=1 + number, pairing=1 + number // 8), contest, found
    )
    assert steps.loc["greedy"].tolist() == [985] * 4
    assert steps[4].tolist() == found.table["rating"].tolist()


def test_an_anchor_that_wins_everything_makes_nobody_else_look_unsure() -> None:
    field = pd.concat([AB, pairs("b", "c", "1/2", "1/1", "=/=", "2/1"), pairs("c", "a", "1/1")])
    strong = [pairs("top", bot, *["1/2"] * 4) for bot in "abc"]
    games = pd.concat([field, *strong], ignore_index=True)
    tables = [rated(games, "top", *"abc", anchor=anchor).table for anchor in ("top", "a")]
    widths = [table["rating_high"] - table["rating_low"] for table in tables]
    assert widths[0].tolist() == pytest.approx(widths[1].tolist(), abs=0.3)
    assert (widths[0]["top"] > 1.5 * widths[0][["a", "b", "c"]]).all()


def test_without_the_anchor_the_mean_has_its_rating() -> None:
    found = rated(AB, "a", "b")
    assert found.anchor is None
    assert found.table["rating"].mean() == pytest.approx(1500)
    assert found.table["rating_low"].lt(found.table["rating"]).all()


def test_with_forfeits_apart_a_fault_costs_its_bot_and_gives_its_opponent_nothing() -> None:
    board = pairs("a", "b", "1/2", "2/1", "1/1")
    games = pd.concat([board, pairs("c", "a", "2F/1F", "2F/1F")])
    bots = ("a", "b", "c")
    without = rated(board, *bots, anchor="b").ratings.elo
    counted = rated(games, *bots, anchor="b").ratings.elo
    apart = rated(games, *bots, anchor="b", forfeits=Forfeits.APART).ratings.elo
    assert counted[0] > without[0] + 10
    assert apart[0] == pytest.approx(without[0], abs=1)
    assert apart[2] < apart[0] - 100


def test_in_a_gauntlet_a_house_player_gains_nothing_by_faults() -> None:
    games = pd.concat([pairs("a", "h", "1/2", "2/1"), pairs("b", "h", "2F/1F", "2F/1F")])
    bots = {"a": BotEntry(), "b": BotEntry(), "h": BotEntry(house=True)}
    gauntlet = Contest(schedule=Schedule(format=Format.GAUNTLET), bots=bots)
    found = contest_ratings(games, gauntlet)
    assert found.evidence.games.sum(axis=1).tolist() == [4, 4, 4]
    assert abs(found.ratings.elo[0] - found.ratings.elo[2]) < 1
    everybody = contest_ratings(games, replace(gauntlet, schedule=Schedule()))
    assert everybody.evidence.games.sum(axis=1).tolist() == [4, 4, 8]


def test_identical_bots_are_one_player() -> None:
    games = pd.concat(
        [
            pairs("a", "b", "1/2", "1/1"),
            pairs("copy", "b", "1/2", "2/2"),
            pairs("a", "copy", "1/1"),
        ]
    )
    contest = Contest(bots={bot: BotEntry() for bot in ("a", "b", "copy")})
    found = contest_ratings(games, contest, {"copy": "a"})
    assert found.players == {"a": 0, "b": 1, "copy": 0}
    assert found.table.loc["a"].equals(found.table.loc["copy"])
    assert found.superiority("a", "copy") == 0.5
    assert found.evidence.games.tolist() == [[0, 8], [8, 0]]
    assert found.evidence.games_squared.tolist() == [[0, 32], [32, 0]], "two units, not four"


def test_ranges_of_ranks_count_who_is_surely_better_and_worse() -> None:
    games = pd.concat(
        [
            pairs("top", "x", *["1/2"] * 20),
            pairs("top", "y", *["1/2"] * 20),
            pairs("x", "y", "1/2", "2/1", *["1/1"] * 18),
            pairs("x", "low", *["1/2"] * 20),
            pairs("y", "low", *["1/2"] * 20),
        ]
    )
    table = rated(games, "x", "top", "y", "low").table
    ranges = {bot: (row.rank_low, row.rank_high) for bot, row in table.iterrows()}
    assert ranges == {"top": (1, 1), "x": (2, 3), "y": (2, 3), "low": (4, 4)}


def test_a_bot_without_games_has_no_rating_and_it_is_said() -> None:
    found = rated(AB, "a", "b", "late")
    assert found.table.loc["late"].isna().all()
    assert list(found.remarks) == ["late"]
    assert np.isfinite(found.ratings.elo).all()


def test_a_contest_without_games_has_no_ratings() -> None:
    found = rated(AB[:0], "a", "b")
    assert found.table.isna().all().all()
    assert found.superiority("a", "b") == 0.5


@pytest.mark.parametrize(
    ("games", "remarks"),
    [
        (AB, {}),
        (pairs("a", "b", "1/2", "1/2"), {"a": "won every game", "b": "lost every game"}),
        (
            pd.concat([pairs("a", "b", "=/=", "1/1"), pairs("b", "c", "1/2", "2/1")]),
            {"a": "scored half in every opening"},
        ),
        (
            pd.concat([pairs("a", "b", "1/2", "1/1"), pairs("c", "d", "1/2", "1/1")]),
            dict.fromkeys(
                "cd", "no games that link it with the others, so they cannot be compared"
            ),
        ),
    ],
)
def test_it_is_said_whose_rating_tells_little(games: pd.DataFrame, remarks: dict[str, str]) -> None:
    found = rated(games, *sorted(set(games["first"])), anchor="b").remarks
    assert found.keys() == remarks.keys()
    assert all(found[bot].startswith(said) for bot, said in remarks.items())
