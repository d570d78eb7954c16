"""Records against the rules: for each way to be wrong a record that is, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.bots import key

from arena.contest.row_check import contradiction, implausible, unreadable
from arena.contest.rows import game_row
from arena.referee import Bot, GameKey, GameRecord, Verdict
from arena.referee.game import outcome
from arena.rules import Goal, Position, Ruleset

BOTS = Bot(content_hash="1" * 16, root=""), Bot(content_hash="2" * 16, root="")
KEY = key(*BOTS, opening=(0, 1))
WON = GameRecord(
    key=KEY.digest,
    columns=(0, 1, 0, 1, 0, 1, 0),
    opening_plies=2,
    charged_ns=(1, 2, 3, 4, 5),
    nodes=(-1, 7, -1, 7, -1),
    winner=0,
    verdict=Verdict.LINE,
    reason="made a line with column 0",
)
FAULT = replace(
    WON,
    columns=(0, 1, 0, 1),
    charged_ns=(1, 2, 3),
    nodes=(-1, 7, -1),
    winner=1,
    verdict=Verdict.ERROR,
    reason="raised ValueError: x, at ply 1, at ply 5",
    output="x",
)
NOT_LOADED = replace(
    WON,
    columns=(0, 1),
    charged_ns=(),
    nodes=(),
    winner=0,
    verdict=Verdict.LOAD_ERROR,
    reason="could not be loaded: x",
)
FULL = Ruleset(rows=4, columns=4, connect=4)
DRAWN = (0, 1, 0, 1, 1, 0, 1, 0, 2, 3, 2, 3, 3, 2, 3, 2)


@pytest.mark.parametrize(
    "record",
    [
        WON,
        FAULT,
        replace(FAULT, reason=f"{FAULT.reason}, in both tries of this game"),
        NOT_LOADED,
        replace(NOT_LOADED, winner=1, verdict=Verdict.TIMEOUT),
        replace(NOT_LOADED, winner=None),
    ],
)
def test_what_a_referee_records_contradicts_nothing(record: GameRecord) -> None:
    assert contradiction(record, KEY) == ""


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (replace(WON, columns=(1, 0, 0, 1, 0, 1, 0)), "does not begin with its opening, 0 1"),
        (replace(WON, opening_plies=1, charged_ns=(1,) * 6, nodes=(1,) * 6), "its opening"),
        (replace(WON, opening_plies=9), "fewer moves than its opening"),
        (replace(WON, columns=(0, 1, 0, 1, 9, 1, 0)), "illegal move at ply 5: column 9"),
        (replace(WON, columns=(0, 1, 0, 1, -1, 1, 0)), "illegal move at ply 5: column -1"),
        (
            replace(WON, columns=(*WON.columns, 2), charged_ns=(1,) * 6, nodes=(1,) * 6),
            "illegal move at ply 8: the game is over",
        ),
        (
            replace(WON, columns=(0, 1) * 2 + (2,) * 7, charged_ns=(1,) * 9, nodes=(1,) * 9),
            "illegal move at ply 11: column 2 is full",
        ),
        (replace(WON, columns=WON.columns[:-1]), "5 answers for 4 moves"),
        (replace(WON, charged_ns=(1,) * 4), "times of 4 answers and the nodes of 5"),
        (replace(WON, nodes=(-1, 7, -2, 7, -1)), "negative"),
        (replace(WON, charged_ns=(1, 2, -3, 4, 5)), "negative"),
        (
            replace(WON, columns=(0, 1, 0, 1, 0, 1), charged_ns=(1,) * 4, nodes=(1,) * 4),
            "and the game is not over",
        ),
        (replace(WON, winner=1), "was won by seat 1 (LINE), and is won by seat 0 (LINE)"),
        (replace(WON, winner=None), "was won by nobody"),
        (replace(WON, verdict=Verdict.BOARD_FULL), "and is won by seat 0 (LINE)"),
        (replace(WON, reason="made a line with column 3"), "has the reason"),
        (replace(WON, output="x"), "output of a fault"),
        (replace(FAULT, winner=0), "seat 0 was to move"),
        (replace(FAULT, winner=None), "seat 0 was to move"),
        (replace(FAULT, reason="raised ValueError, at ply 6"), "its fault is at ply 5"),
        (replace(FAULT, verdict=Verdict.LOAD_ERROR), "though both bots played"),
        (replace(FAULT, charged_ns=(1, 2), nodes=(1, 2)), "2 answers for 2 moves"),
        (
            replace(WON, verdict=Verdict.TIMEOUT, charged_ns=(1,) * 6, nodes=(1,) * 6),
            "after the game was over",
        ),
        (replace(NOT_LOADED, winner=None, verdict=Verdict.MEMORY), "nobody who lost"),
    ],
)
def test_what_cannot_have_happened_is_found(record: GameRecord, said: str) -> None:
    assert said in contradiction(record, KEY)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (replace(WON, winner=None), "was won by nobody (LINE)"),
        (replace(WON, verdict=Verdict.BOARD_FULL), "was won by seat 0 (BOARD_FULL)"),
        (replace(FAULT, winner=None), "nobody who lost by ERROR"),
        (replace(NOT_LOADED, winner=None, verdict=Verdict.CRASH), "nobody who lost by CRASH"),
        (replace(WON, nodes=()), "the nodes of 0"),
    ],
)
def test_of_a_game_by_other_rules_the_record_alone_is_checked(
    record: GameRecord, said: str
) -> None:
    assert said in implausible(record)
    for sound in (WON, FAULT, NOT_LOADED, replace(NOT_LOADED, winner=None)):
        assert implausible(sound) == ""


def test_a_draw_and_a_game_for_most_lines_are_found_out_anew() -> None:
    for rules in (FULL, replace(FULL, goal=Goal.MOST)):
        full = key(*BOTS, rules=rules)
        winner, verdict, reason = outcome(Position(rules, DRAWN))
        record = replace(
            WON,
            columns=DRAWN,
            opening_plies=0,
            charged_ns=(1,) * 16,
            nodes=(1,) * 16,
            winner=winner,
            verdict=verdict,
            reason=reason,
        )
        assert contradiction(record, full) == ""
        assert contradiction(replace(record, winner=0), full)


def _random_game(choices: list[int]) -> tuple[GameKey, GameRecord]:
    position = Position(KEY.rules, (0, 1))
    for choice in choices:
        if not position.is_over:
            legal = position.legal()
            position.play(legal[choice % len(legal)])
    moves = len(position.moves) - 2
    if position.is_over:
        winner, verdict, reason = outcome(position)
        answers = moves
    else:
        winner, verdict, reason = 1 - position.to_move, Verdict.CRASH, "crashed"
        answers = moves + 1
    return KEY, replace(
        WON,
        columns=position.moves,
        charged_ns=(1,) * answers,
        nodes=(1,) * answers,
        winner=winner,
        verdict=verdict,
        reason=reason,
    )


@given(st.lists(st.integers(0, 6), min_size=1, max_size=42))
def test_games_that_were_played_are_right_and_their_other_winners_wrong(
    choices: list[int],
) -> None:
    of, record = _random_game(choices)
    assert contradiction(record, of) == ""
    for winner in {0, 1, None} - {record.winner}:
        assert contradiction(replace(record, winner=winner), of)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, "x" * 32, "no game's"),
        (0, b"0" * 32, "no game's"),
        (1, "<b>", "no verdict"),
        (2, 2, "no seat"),
        (2, "first", "no seat"),
        (3, None, "no reason"),
        (4, "2", "an opening without a length"),
        (5, "[1, x]", "no whole numbers"),
        (6, "[1.5]", "no whole numbers"),
        (7, "[" + "9" * 30 + "]", "no whole numbers"),
        (7, None, "no whole numbers"),
        (8, 7, "no reason"),
    ],
)
def test_rows_with_values_that_no_game_has_are_found(place: int, value: object, said: str) -> None:
    row = [*game_row(WON)]
    assert unreadable(tuple(row)) == ""
    row[place] = value
    assert said in unreadable(tuple(row))
