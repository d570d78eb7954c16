"""A contest that goes on knows how long its bots take, though they are tried no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.early import JOURNAL, sound_contest

from arena.contest import Lanes, Session, available_cores
from arena.contest.steps import time_bots, untimed


@pytest.mark.slow
def test_bots_of_a_contest_that_goes_on_are_timed_where_it_pays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = sound_contest(tmp_path / "contest")
    session = Session.open(folder)
    with session.at_work(Lanes(available_cores()[:1])) as executor, session.run(executor) as run:
        assert run.missing == 0 and untimed(session, run) == {}
    (folder / JOURNAL).unlink()
    with session.at_work(Lanes(available_cores()[:1])) as executor, session.run(executor) as run:
        bots = {bot.identity for bot in session.bots.values()}
        assert 0 < run.missing < 10 * len(bots) and untimed(session, run) == {}
        monkeypatch.setattr("arena.contest.steps.WORTH_TIMING", 1)
        assert {*time_bots(session, run, executor)} == bots
        assert session.paces.keys() == session.contest.playing.keys()
        assert untimed(session, run) == {}
        assert sum(len(records) for records in run) == len(session.games)
