"""Retries in a contest: each is recorded, and a bot gets three."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from arena.common.errors import InputError, OutOfMemoryError
from arena.contest.folder import ContestFolder
from arena.contest.retirement import MOST
from arena.contest.run import Run
from arena.game.record import GameKey, GameRecord, Retake
from arena.game.verdict import Proof, Verdict
from arena.journal.database import FORMAT, Journal
from arena.journal.mending import own_journal, rows_held
from arena.journal.rows import sealed
from contest.test_run import CONTEST, set_up, submissions
from journal.test_damage import NAME, games, journal_of
from support.bots import FIRST_FREE, LAST_FREE
from support.early import early_contest
from support.scripted import ended
from tests.support.on_lanes import OnLanes

KILLED = "was killed (signal SIGKILL)"
CLOCK = count(1)


class Shaken(Executor):
    """Plays games that `ann` wins, each in a retry with this proof."""

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        self.new_process: list[frozenset[str]] = []
        self.failed: set[str] = set()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        self.new_process.append(batch.new_process)
        future: Future[Any] = Future()
        key = batch.items[0]
        record = self._played(key, "ann.py" in key.first.entry_point.file)
        if self.proof is not Proof.MEMORY:
            future.set_result([record])
        elif key.digest in self.failed:
            future.set_result([replace(record, retakes=())])
        else:
            self.failed.add(key.digest)
            lost = replace(record.retakes[0].instead, retakes=record.retakes)  # type: ignore[type-var]
            future.set_exception(OutOfMemoryError("full", lost))
        return future

    def _played(self, key: GameKey, is_first: bool) -> GameRecord:
        ann = 0 if is_first else 1
        instead = ended(key, 1 - ann, Verdict.CRASH, KILLED)
        retake = Retake(
            key=key.digest,
            at=next(CLOCK),
            seat=ann,
            ply=0,
            proof=self.proof,
            reason=KILLED,
            instead=instead,
        )
        return replace(ended(key, ann, Verdict.LINE, "made a line"), retakes=(retake,))


@pytest.mark.parametrize("proof", Proof)
def test_a_bot_gets_three_second_tries_in_a_contest_however_often_it_is_resumed(
    proof: Proof, tmp_path: Path
) -> None:
    bots = submissions(tmp_path / "bots", ann=FIRST_FREE, bob=LAST_FREE)
    folder, scheduled = set_up(tmp_path / "contest", bots, CONTEST)
    assert len(scheduled) == 6
    executor = Shaken(proof)
    for is_interrupted in (proof is not Proof.MEMORY, False):
        with closing(folder.journal()) as journal:
            for records in Run(scheduled, journal, OnLanes(executor, 1)):
                if records and is_interrupted:
                    break
    with closing(folder.journal()) as journal:
        retakes, records = journal.retakes(), list(journal.records())
    by_fault = [record for record in records if record.verdict is Verdict.CRASH]
    assert [each.proof for each in retakes] == [proof] * MOST
    assert MOST == 3
    assert len(by_fault) == 6 - MOST
    assert all(record.reason.startswith(f"{KILLED}; too many of its games") for record in by_fault)
    if proof is Proof.WORN:  # from then on it plays in new processes
        assert [len(each) for each in executor.new_process] == [
            0,
            *[1] * (len(executor.new_process) - 1),
        ]


def retake(key: str, at: int = 7) -> Retake:
    return Retake(key=key, at=at, seat=1, ply=9, proof=Proof.SIGNAL, reason=KILLED)


def test_a_game_comes_back_with_its_second_tries(tmp_path: Path) -> None:
    one, other = games(2)
    tries = (retake(one.key), retake(one.key, 8))
    with closing(Journal(tmp_path / NAME)) as journal:
        journal.add([replace(one, retakes=tries), other])
        found = {record.key: record.retakes for record in journal.records()}
        assert found == {one.key: tries, other.key: ()}
        assert {each.key: each.retakes for each in journal.besides(())} == found


def test_second_tries_are_read_out_of_a_damaged_journal(tmp_path: Path) -> None:
    path = journal_of(tmp_path, *(replace(game, retakes=(retake(game.key),)) for game in games(20)))
    data = bytearray(path.read_bytes())
    data[16:60] = bytes(44)  # its header
    path.write_bytes(data)
    assert sum(len(row) == 7 for row in rows_held(path)) == 20
    with closing(own_journal(path)) as mended:
        assert len(mended.retakes()) == 20


def test_a_proof_of_a_later_arena_is_not_taken_for_damage(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / NAME)) as journal:
        journal.add_rows("retakes", [sealed(("ab" * 16, 7, 1, 9, "MOON", KILLED))])
    with pytest.raises(InputError, match="another version of Arena"):
        Journal(tmp_path / NAME)


def test_a_journal_that_an_early_arena_wrote_is_read_whole(tmp_path: Path) -> None:
    folder = ContestFolder(early_contest(tmp_path / "early"))
    with folder.read_journal() as opened:
        assert opened.format == 1
        records = list(opened.records())
    assert len(records) == 12
    assert sum(record.verdict is Verdict.ERROR for record in records) == 4
    with folder.read_journal() as opened:
        assert opened.format == 1, "reading changes nothing"
    with closing(folder.journal()) as journal:  # gets a table of retries
        journal.add_retakes([retake("ab" * 16)])
    with folder.read_journal() as opened:
        assert (opened.format, len(opened.retakes())) == (FORMAT, 1)
        assert list(opened.records()) == records
    scheduled = {game.key.digest for game in folder.games(folder.read())}
    assert {record.key for record in records} == scheduled, "keys are the same since"
