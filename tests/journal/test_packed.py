"""Games as arrays: they give back the records that they were made from."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contest.settled import SettledGame, SettledGames
from arena.game.record import Bot, GameRecord, Retake
from arena.game.verdict import Proof, Verdict
from arena.journal.packed import DIGEST, PackedGames
from arena.journal.rows import game_row
from arena.settings.contest import ScheduledGame
from support.bots import key

NUMBERS = st.lists(st.integers(-1, 2**62)).map(tuple)
RECORDS = st.builds(
    GameRecord,
    key=st.integers(0, 2**128 - 1).map("{:032x}".format),
    columns=st.lists(st.integers(0, 25)).map(tuple),
    opening_plies=st.integers(0, 8),
    charged_ns=NUMBERS,
    nodes=NUMBERS,
    winner=st.sampled_from([0, 1, None]),
    verdict=st.sampled_from(Verdict),
    reason=st.text(st.characters(exclude_categories=["C"])),
    output=st.text(st.characters(exclude_categories=["C"])),
    place=st.sampled_from([None, "lab/1"]),
)


@given(st.lists(RECORDS, unique_by=lambda record: record.key))
def test_records_and_rows_come_back_as_they_were(records: list[GameRecord]) -> None:
    by_key = {record.key: record for record in records}
    rows = [game_row(record) for record in records]
    for packed in (PackedGames.of(records), PackedGames.of_rows(rows, {})):
        assert len(packed) == len(records)
        assert dict(packed) == by_key
        assert [packed[each].place for each in by_key] == [each.place for each in records]
        assert "0" not in packed
        digests = np.array([record.key for record in records] + ["f" * 31], DIGEST)
        assert packed.find(digests).tolist() == [*range(len(records)), -1]
        numbers = [number for record in records[::-1] for number in record.nodes]
        assert packed.nodes.flat(np.arange(len(records))[::-1]).tolist() == numbers


def game(number: int, first: str, second: str) -> ScheduledGame:
    played = key(*(Bot(content_hash=name, root="") for name in (first, second)), seed=number)
    return ScheduledGame(
        number=number, pairing=1, opening=1, first=first, second=second, key=played
    )


def test_a_forfeit_counts_for_its_game_only_and_has_none_of_its_retries() -> None:
    games = [game(1, "a", "b"), game(2, "b", "c")]
    record = GameRecord(
        key=games[0].key.digest,
        columns=(3, 3),
        opening_plies=0,
        charged_ns=(5, 7),
        nodes=(1, 2),
        winner=0,
        verdict=Verdict.TIMEOUT,
        reason="took too long",
    )
    retake = Retake(key=record.key, at=1, seat=0, ply=1, proof=Proof.WORN, reason="was slow")
    played = PackedGames.of([replace(record, retakes=(retake,))])
    made_up = replace(record, columns=(), charged_ns=(), nodes=(), reason="was retired")
    longer = played.followed_by([made_up])
    assert [longer.at(row).reason for row in range(2)] == ["took too long", "was retired"]
    assert [longer.at(row).retakes for row in range(2)] == [(retake,), ()]
    assert longer[record.key].reason == "took too long"
    assert played.followed_by([]) is played
    every = [
        SettledGame(each, replace(record, key=each.key.digest), is_forfeit)
        for each, is_forfeit in zip(games, cycle((False, True)), strict=False)
    ]
    settled = SettledGames.of(iter(every))
    assert list(settled) == every and settled[1] == every[1] and settled[:1] == every[:1]
    assert SettledGames.of(settled) is settled
    assert [settled.of_bot(name).tolist() for name in "abcd"] == [[0], [0, 1], [1], []]
    assert settled.digests == {each.key.digest for each in games}


@pytest.mark.parametrize("name", ["with retries", "without"])
def test_games_with_retries_are_found_without_making_the_others(name: str) -> None:
    one, other = game(1, "a", "b"), game(2, "a", "b")
    retake = Retake(key=other.key.digest, at=1, seat=0, ply=1, proof=Proof.WORN, reason="was slow")
    base = GameRecord(
        key="",
        columns=(3,),
        opening_plies=0,
        charged_ns=(1,),
        nodes=(-1,),
        winner=None,
        verdict=Verdict.BOARD_FULL,
        reason="the board is full",
    )
    retakes = (retake,) if name == "with retries" else ()
    settled = SettledGames.of(
        [
            SettledGame(one, replace(base, key=one.key.digest), False),
            SettledGame(other, replace(base, key=other.key.digest, retakes=retakes), False),
        ]
    )
    assert [each.game for each in settled.with_retries()] == [other] * len(retakes)
