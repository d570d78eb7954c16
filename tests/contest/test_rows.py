"""Rows of the journal give back what was written, and in less memory."""

from __future__ import annotations

import json

import pytest

from arena.contest.rows import PackedNumbers, game_of, game_row, is_whole
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
    read = game_of(row)
    assert is_whole(row)
    assert read == RECORD
    assert hash(read) == hash(RECORD)
    assert game_row(read) == row, "what was read can be written again"


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
