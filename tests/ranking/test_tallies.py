"""Tallies of bots and openings, against tables worked by hand."""

from __future__ import annotations

import pandas as pd

from arena.ranking.games import OPENINGS_CSV, TALLIES_CSV, bot_tallies, opening_tallies

GAMES = [
    # pairing, opening, first, second, winner, verdict
    (1, "3 3", "a", "b", "a", "LINE"),
    (1, "3 3", "b", "a", "b", "LINE"),
    (1, "0 1", "a", "b", "a", "LINE"),
    (1, "0 1", "b", "a", "", "BOARD_FULL"),
    (2, "3 3", "a", "c", "a", "TIMEOUT"),
    (2, "3 3", "c", "a", "a", "ERROR"),
    (2, "0 1", "a", "c", "c", "LINE"),
    (2, "0 1", "c", "a", "a", "LINE"),
    (3, "0 1", "b", "c", "", "LOAD_ERROR"),
]


def games() -> pd.DataFrame:
    names = ["pairing", "opening", "first", "second", "winner", "verdict"]
    frame = pd.DataFrame(GAMES, columns=names)
    other = frame["second"].where(frame["winner"] == frame["first"], frame["first"])
    frame["loser"] = other.where(frame["winner"] != "", "")
    frame["fault"] = frame["verdict"].isin(["TIMEOUT", "ERROR", "LOAD_ERROR"])
    frame["is_game"] = frame["pairing"] < 3  # in the last neither could be loaded
    return frame


def test_a_bots_games_are_told_apart_by_faults_and_sides() -> None:
    table = bot_tallies(games(), ["b", "a", "c"])
    assert list(table.columns) == TALLIES_CSV
    assert list(table["bot"]) == ["b", "a", "c"]
    a, c = (table.set_index("bot").loc[bot] for bot in "ac")
    assert a[["board_wins", "board_losses", "wins_by_fault", "losses_by_fault"]].tolist() == [
        *(3, 2, 2, 0)
    ]
    assert a[["first_games", "first_points", "second_games", "second_points"]].tolist() == [
        *(4, 3, 4, 2.5)
    ]
    assert c[["board_wins", "board_losses", "wins_by_fault", "losses_by_fault"]].tolist() == [
        *(1, 1, 0, 2)
    ]
    kinds = c[["timeout", "error", "illegal_move", "load_error"]]
    assert kinds.tolist() == [1, 1, 0, 0]


def test_an_openings_balance_is_that_of_the_games_without_faults() -> None:
    table = opening_tallies(games())
    assert list(table.columns) == OPENINGS_CSV
    one, other = (table.set_index("opening").loc[opening] for opening in ("3 3", "0 1"))
    # a and b won as first each: that side won both games of the pair
    assert one.tolist() == [4, 2, 2, 0, 0, 1.0, 1, 1]
    # the second player won both games of a pair, and the first and nobody those of the other
    assert other.tolist() == [4, 0, 1, 1, 2, 0.375, 2, 1]


def test_an_opening_in_which_every_game_was_a_fault_has_no_balance() -> None:
    frame = games()
    table = opening_tallies(frame[frame["fault"] & frame["is_game"]])
    assert table.loc[0, ["games", "faults", "pairs"]].tolist() == [2, 2, 0]
    assert pd.isna(table.loc[0, "first_share"])


def test_without_a_game_the_tallies_are_empty() -> None:
    nothing = games()[:0]
    assert bot_tallies(nothing, ["a"]).iloc[0].tolist() == ["a", *[0] * (len(TALLIES_CSV) - 1)]
    assert opening_tallies(nothing).empty
