"""A journal of format 1, which an earlier Arena wrote, is brought up to date."""

from __future__ import annotations

from pathlib import Path

from support.early import early_contest

from arena.contest import ContestFolder
from arena.contest.journal import FORMAT
from arena.referee import Verdict


def test_a_journal_that_an_early_arena_wrote_is_read_whole(tmp_path: Path) -> None:
    folder = ContestFolder(early_contest(tmp_path / "early"))
    with folder.read_journal() as opened:
        assert opened.format == 1
        records = list(opened.records())
    assert len(records) == 12
    assert sum(record.verdict is Verdict.ERROR for record in records) == 4
    with folder.read_journal() as opened:
        assert opened.format == 1, "reading changes nothing"
    folder.journal().close()
    with folder.read_journal() as opened:
        assert opened.format == FORMAT
        assert list(opened.records()) == records
    scheduled = {game.key.digest for game in folder.games(folder.read())}
    assert {record.key for record in records} == scheduled, "keys are the same since"
