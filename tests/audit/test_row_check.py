"""Rows of the journal: reading what was written, and contradictions in them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.audit.row_check import contradiction, implausible, unreadable
from arena.game.play import outcome
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.journal.packed import games_of
from arena.journal.rows import PackedNumbers, flat, game_row, is_whole
from arena.rules import Goal, Position, Ruleset
from support.bots import key

RECORD = GameRecord(
    key="0" * 32,
    columns=(3, 3, 2, 4),
    opening_plies=2,
    charged_ns=(1_000, 2**40),
    nodes=(-1, 17),
    winner=1,
    verdict=Verdict.LINE,
    reason="made a line",
)


def test_a_game_comes_back_as_it_was_written() -> None:
    row = game_row(RECORD)
    (read,) = games_of([row])
    assert is_whole(row)
    assert read == RECORD
    assert hash(read) == hash(RECORD)
    assert game_row(read) == row, "what was read can be written again"


NUMBERS = st.lists(st.integers(-1, 2**62))


@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.lists(st.integers(0, 25)))))
def test_rows_read_together_give_the_games_that_they_give_one_by_one(
    games: list[tuple[list[int], list[int], list[int]]],
) -> None:
    rows = [
        game_row(
            replace(
                RECORD, charged_ns=tuple(charged_ns), nodes=tuple(nodes), columns=tuple(columns)
            )
        )
        for charged_ns, nodes, columns in games
    ]
    together = list(games_of(rows))
    assert together == [game for row in rows for game in games_of([row])]
    assert [game_row(game) for game in together] == rows
    for numbers in ([game.nodes for game in together], [game[1] for game in games]):
        assert flat(numbers).tolist() == [n for _, nodes, _ in games for n in nodes]


@pytest.mark.parametrize(("most", "size"), [(127, 1), (128, 2), (10_000, 2), (2**31, 8)])
def test_packed_numbers_take_no_more_bytes_than_they_need(most: int, size: int) -> None:
    assert len(PackedNumbers([most, -1]).packed) == 2 * size


def test_packed_numbers_are_as_good_as_a_tuple() -> None:
    numbers = PackedNumbers([5, -1, 2**40])
    assert numbers == (5, -1, 2**40)
    assert (5, -1, 2**40) == numbers  # noqa: SIM300 (the other way round)
    assert numbers != (5, -1)
    assert (len(numbers), numbers[1], numbers[-1], numbers[::2]) == (3, -1, 2**40, (5, 2**40))
    assert list(numbers) == [5, -1, 2**40]
    assert not PackedNumbers(())


@pytest.mark.parametrize("numbers", ["[1.5]", '["1"]', "[null]", f"[{2**70}]"])
def test_what_is_no_number_is_refused(numbers: str) -> None:
    with pytest.raises((TypeError, OverflowError)):
        PackedNumbers(json.loads(numbers))


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


def answers(number: int) -> dict[str, Any]:
    return {"charged_ns": (1,) * number, "nodes": (1,) * number}


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
        (replace(WON, opening_plies=1, **answers(6)), "its opening"),
        (replace(WON, opening_plies=9), "fewer moves than its opening"),
        (replace(WON, columns=(0, 1, 0, 1, 9, 1, 0)), "illegal move at ply 5: column 9"),
        (replace(WON, columns=(0, 1, 0, 1, -1, 1, 0)), "illegal move at ply 5: column -1"),
        (
            replace(WON, columns=(*WON.columns, 2), **answers(6)),
            "illegal move at ply 8: the game is over",
        ),
        (
            replace(WON, columns=(0, 1) * 2 + (2,) * 7, **answers(9)),
            "illegal move at ply 11: column 2 is full",
        ),
        (replace(WON, columns=WON.columns[:-1]), "5 answers for 4 moves"),
        (replace(WON, charged_ns=(1,) * 4), "times of 4 answers and the nodes of 5"),
        (replace(WON, nodes=(-1, 7, -2, 7, -1)), "negative"),
        (replace(WON, charged_ns=(1, 2, -3, 4, 5)), "negative"),
        (
            replace(WON, columns=(0, 1, 0, 1, 0, 1), **answers(4)),
            "but the game is not over",
        ),
        (
            replace(WON, winner=1),
            "says it was won by seat 1 (LINE), but it was won by seat 0 (LINE)",
        ),
        (replace(WON, winner=None), "was won by nobody"),
        (replace(WON, verdict=Verdict.BOARD_FULL), "but it was won by seat 0 (LINE)"),
        (replace(WON, reason="made a line with column 3"), "has the reason"),
        (replace(WON, output="x"), "output of a fault"),
        (replace(FAULT, winner=0), "seat 0 was to move"),
        (replace(FAULT, winner=None), "seat 0 was to move"),
        (replace(FAULT, reason="raised ValueError, at ply 6"), "its fault is at ply 5"),
        (replace(FAULT, verdict=Verdict.LOAD_ERROR), "though both bots played"),
        (replace(FAULT, charged_ns=(1, 2), nodes=(1, 2)), "2 answers for 2 moves"),
        (
            replace(WON, verdict=Verdict.TIMEOUT, **answers(6)),
            "after the game was over",
        ),
        (replace(NOT_LOADED, winner=None, verdict=Verdict.MEMORY), "no loser"),
    ],
)
def test_what_cannot_have_happened_is_found(record: GameRecord, said: str) -> None:
    assert said in contradiction(record, KEY)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (replace(WON, winner=None), "says it was won by nobody (LINE), which cannot be"),
        (
            replace(WON, verdict=Verdict.BOARD_FULL),
            "says it was won by seat 0 (BOARD_FULL), which cannot be",
        ),
        (replace(FAULT, winner=None), "ended by ERROR, but has no loser"),
        (
            replace(NOT_LOADED, winner=None, verdict=Verdict.CRASH),
            "ended by CRASH, but has no loser",
        ),
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
            **answers(16),
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
    else:
        winner, verdict, reason = 1 - position.to_move, Verdict.CRASH, "crashed"
        moves += 1  # the answer was the fault
    return KEY, replace(
        WON,
        columns=position.moves,
        **answers(moves),
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
