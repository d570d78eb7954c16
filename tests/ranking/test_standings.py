"""Standings, tie-breaks, grades and what the leaderboard says of each bot."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contest.retirement import Settled, settle
from arena.game.record import Bot, GameRecord
from arena.game.verdict import Verdict
from arena.ranking.games import games_frame, games_table
from arena.ranking.leaderboard import LEADERBOARD_CSV, leaderboard, leaderboard_sources
from arena.ranking.standings import crosstable, results, separations
from arena.settings.contest import BotEntry, Contest, Ranking, ScheduledGame
from support.bots import key, pick_move_in
from support.ranked import frame, standings

USUAL = Ranking().tie_breaks


def board_of(settled: Settled, contest: Contest) -> pd.DataFrame:
    return leaderboard(leaderboard_sources(settled, contest))


def separated(table: pd.DataFrame, bot: str) -> list[tuple[str, str, bool]]:
    """(other, name of the tie-break, whether the bot is ahead), as `separations` has it."""
    return [(other, str(by), ahead) for other, by, ahead in separations(table, bot, USUAL)]


def ranks(table: pd.DataFrame) -> dict[str, int]:
    return {str(bot): int(rank) for bot, rank in table["rank"].items()}


def test_points_are_one_a_half_and_nothing() -> None:
    table = standings(
        results(frame(("a", "b", "1"), ("b", "a", "="), ("a", "b", "2F"))), ["a", "b"]
    )
    columns = ["points", "games", "wins", "draws", "losses", "forfeits"]
    assert table.loc["a", columns].tolist() == [1.5, 3, 1, 1, 1, 1]


def test_games_that_neither_could_load_do_not_count() -> None:
    table = standings(results(frame(("a", "b", "none"), ("a", "c", "1"))), ["a", "b", "c"])
    assert table["games"].to_dict() == {"a": 1, "b": 0, "c": 1}


def test_those_with_the_same_points_are_separated_and_it_is_known_by_what() -> None:
    games = frame(
        ("a", "b", "1"), ("b", "c", "1"), ("b", "d", "1"),
        ("a", "c", "1"), ("a", "d", "2"), ("c", "d", "="),
    )  # fmt: skip
    table = standings(results(games), list("abcd"))
    assert table.loc["a", "points"] == table.loc["b", "points"] == 2
    assert (ranks(table)["a"], ranks(table)["b"]) == (1, 2)
    assert separated(table, "a") == [("b", "direct", True)]
    assert separated(table, "b") == [("a", "direct", False)]
    assert separated(table, "d") == []
    # x and y drew with each other; x beat the stronger of the others
    games = frame(
        ("x", "y", "="), ("x", "strong", "1"), ("x", "weak", "2"),
        ("y", "strong", "2"), ("y", "weak", "1"), ("strong", "weak", "1"),
    )  # fmt: skip
    table = standings(results(games), ["x", "y", "strong", "weak"])
    assert separated(table, "y") == [("x", "sonneborn_berger", False)]
    assert ranks(table) == {"strong": 1, "x": 2, "y": 3, "weak": 4}
    table = standings(
        results(frame(("a", "z", "2"), ("b", "z", "2F"), ("c", "z", "2"))), list("abcz")
    )
    assert separated(table, "a") == separated(table, "c") == [("b", "forfeits", True)]
    assert ranks(table) == {"z": 1, "a": 2, "c": 2, "b": 4}


def test_before_the_first_game_all_share_the_first_rank() -> None:
    assert set(ranks(standings(results(frame()), ["a", "b"])).values()) == {1}


played_games = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.sampled_from("efgh"), st.sampled_from(["1", "2", "=", "1F"])
    ),
    max_size=40,
)


def test_a_yardsticks_wins_by_the_faults_of_others_say_nothing_of_it() -> None:
    games = frame(("a", "h", "1"), ("b", "h", "2F"), ("c", "h", "2F"))
    assert standings(results(games), list("abch")).loc["h", "games"] == 3
    table = standings(results(games, yardsticks=["h"]), list("abch"))
    assert table.loc["h", "games"] == 1
    assert ranks(table) == {"a": 1, "h": 2, "b": 3, "c": 3}
    assert table.loc["b", ["points", "games", "forfeits"]].tolist() == [0, 1, 1]


@pytest.mark.slow
@given(played=played_games)
def test_points_add_up_and_ranks_follow_them(played: list[tuple[str, str, str]]) -> None:
    table = standings(results(frame(*played)), list("abcdefgh"))
    assert table["points"].sum() == len(played)
    assert (table["wins"] + table["draws"] + table["losses"]).equals(table["games"])
    assert table["rank"].is_monotonic_increasing
    assert table["share"].is_monotonic_decreasing
    cross = crosstable(results(frame(*played)), list(table.index))
    assert cross.sum().sum() == len(played)


def test_the_crosstable_has_points_of_row_against_column() -> None:
    cross = crosstable(results(frame(("a", "b", "1"), ("b", "a", "="))), ["a", "b"])
    assert cross.loc["a", "b"] == 1.5
    assert cross.loc["b", "a"] == 0.5
    assert pd.isna(cross.loc["a", "a"])


ONE, TWO = Bot(content_hash="1", root=""), Bot(content_hash="2", root="")
GAME = ScheduledGame(number=7, pairing=1, opening=1, first="one", second="two", key=key(ONE, TWO))
RECORD = GameRecord(
    key=GAME.key.digest,
    columns=(3, 2, 1, 0),
    opening_plies=1,
    charged_ns=(1_000_000, 2_000_000, 5_000_000, 40_000_000),
    nodes=(10, -1, 20, -1),
    winner=1,
    verdict=Verdict.ERROR,
    reason="raised ValueError, at ply 5",
)
TIMED_OUT = replace(RECORD, verdict=Verdict.TIMEOUT)


def test_a_game_becomes_a_row_of_games_csv() -> None:
    games = settle([GAME], {RECORD.key: RECORD}, 5).games
    frame = games_table(games, games_frame(games))
    assert ",,30,e" in frame.to_csv(index=False).replace(RECORD.key, "e")
    row = frame.iloc[0].to_dict()
    assert pd.isna(row.pop("first_nodes"))
    assert row == {
        "game": 7,
        "pairing": 1,
        "opening": "3",
        "first": "one",
        "second": "two",
        "moves": "3 2 1 0",
        "plies": 4,
        "winner": "two",
        "verdict": "ERROR",
        "reason": "raised ValueError, at ply 5",
        "first_ms": 42.0,
        "second_ms": 6.0,
        "second_nodes": 30,
        "key": RECORD.key,
    }


def test_the_leaderboard_has_its_columns_and_each_bots_own_time_and_nodes() -> None:
    entries = {
        "one": BotEntry(entry_point=pick_move_in("1.py"), content_hash="1"),
        "two": BotEntry(entry_point=pick_move_in("2.py"), content_hash="2"),
    }
    board = board_of(settle([GAME], {RECORD.key: RECORD}, 5), Contest(bots=entries))
    assert list(board.columns) == LEADERBOARD_CSV
    two, one = board.iloc[0], board.iloc[1]
    assert (two["bot"], two["mean_nodes"], two["mean_move_ms"], two["max_move_ms"]) == (
        "two", 15.0, 3.0, 5.0,
    )  # fmt: skip
    assert (one["bot"], one["forfeits"], one["max_move_ms"]) == ("one", 1, 40.0)
    assert pd.isna(one["mean_nodes"])


def test_an_unplayed_game_is_in_no_table() -> None:
    later = replace(GAME, number=8, key=key(TWO, ONE))
    settled = settle([GAME, later], {RECORD.key: RECORD}, 5)
    assert list(games_frame(settled.games)["game"]) == [7]


def following(game: ScheduledGame, **changes: object) -> ScheduledGame:
    """A game that comes after that one for retirement."""
    candidates = (key(ONE, TWO, opening=(6,), seed=seed) for seed in range(99))
    later = next(each for each in candidates if each.digest > game.key.digest)
    return replace(game, number=8, key=later, **changes)  # type: ignore[arg-type]


def test_a_forfeit_of_a_retired_bot_counts_without_time_or_moves() -> None:
    settled = settle([GAME, following(GAME)], {RECORD.key: TIMED_OUT}, 1)
    row = games_frame(settled.games).iloc[1]
    assert (row["winner"], row["loser"], row["verdict"]) == ("two", "one", "TIMEOUT")
    assert row["reason"] == (
        "was retired after losing 1 of 1 games by TIMEOUT and forfeits this game"
    )
    assert (row["moves"], row["first_ns"], row["second_ns"]) == ("6", 0, 0)
    board = board_of(settled, Contest(bots={"one": BotEntry(), "two": BotEntry()})).set_index("bot")
    assert board.loc["one", ["games", "forfeits", "mean_move_ms"]].tolist() == [2, 2, 21.0]
    assert board.loc["two", "points"] == 2


def test_grades_wait_for_the_open_games_and_not_for_forfeits() -> None:
    bots = {name: BotEntry(house=name != "one") for name in ("one", "random", "reference")}
    first = replace(GAME, second="random")
    forfeited = following(first, second="reference")
    still_open = replace(first, number=9, first="reference", key=key(ONE, TWO, opening=(5,)))
    records = {RECORD.key: TIMED_OUT}
    done = board_of(settle([first, forfeited], records, 1), Contest(bots=bots)).set_index("bot")
    assert done.loc["one", "grade"] == 0
    waiting = board_of(settle([first, forfeited, still_open], records, 1), Contest(bots=bots))
    assert waiting["grade"].isna().all()


def test_house_players_that_were_named_get_no_grade_and_change_none() -> None:
    bots = {name: BotEntry(house=name != "one") for name in ("one", "random", "reference")}
    games, records = [], {}
    rivals = (("random", 0), ("reference", 1), ("novice", 0), ("master", 1))
    for number, (rival, winner) in enumerate(rivals):
        played = key(ONE, TWO, opening=(number,))
        games.append(replace(GAME, number=number, second=rival, key=played))
        records[played.digest] = replace(RECORD, key=played.digest, winner=winner)
    for more in ({}, {"novice": BotEntry(house=True), "master": BotEntry(house=True)}):
        there = [game for game in games if game.second in {**bots, **more}]
        contest = Contest(bots={**bots, **more})
        board = board_of(settle(there, records, 0), contest).set_index("bot")
        assert board["grade"].dropna().to_dict() == {"one": 10}
