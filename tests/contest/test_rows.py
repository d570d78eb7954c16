"""Rows of the journal give back what was written, and in less memory."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contest.rows import PackedNumbers, flat, game_row, games_of, is_whole
from arena.referee import GameRecord, Verdict

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
