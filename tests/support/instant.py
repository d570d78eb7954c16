"""An executor that starts no bots: in each game the bot with longer files wins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.game.record import GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.machine.facts import Machine
from arena.playing.driver import Batch, LaneExecutor
from arena.trials.pace import Pace
from arena.trials.preflight import Candidate
from support.bots import record


class Instant(LaneExecutor):
    """Ends games at once; raises KeyboardInterrupt after `stop_after` games."""

    def __init__(self, stop_after: int | None = None) -> None:
        self._left = stop_after
        self.games = 0
        """Number of games that were asked for."""
        self.asked: list[GameKey] = []

    @classmethod
    def in_place_of_lanes(cls, monkeypatch: pytest.MonkeyPatch, *stop_after: int) -> Instant:
        """Let commands in this process play on a new executor, and write no report."""
        executor = cls(*stop_after)
        monkeypatch.setattr("arena.report.files.write_report", lambda *_: None)
        monkeypatch.setattr("arena.cli.options.executor_of", lambda *_: nullcontext(executor))
        return executor

    @property
    def lanes(self) -> int:
        return 2

    def machines(self) -> Sequence[Machine]:
        return ()

    def submit(  # type: ignore[override]
        self, work: Callable[..., Any], batch: Batch[Any], *_: object
    ) -> Future[Any]:
        """Finish a batch of games or of trials."""
        done: Future[Any] = Future()
        if all(isinstance(item, Candidate) for item in batch.items):
            done.set_result([(item.name, (None, Pace())) for item in batch.items])
            return done
        self.games += len(batch.items)
        self.asked += batch.items
        if self._left is not None and self.games > self._left:
            raise KeyboardInterrupt
        done.set_result([ended(key) for key in batch.items])
        return done


def ended(key: GameKey) -> GameRecord:
    at_fault = [bot.problem is not None for bot in (key.first, key.second)]
    weights = [_weight(bot.root) for bot in (key.first, key.second)]
    winner = int(at_fault[0]) if any(at_fault) else None
    if winner is None and weights[0] != weights[1]:
        winner = int(weights[1] > weights[0])
    verdict = Verdict.BOARD_FULL if winner is None else Verdict.LINE
    verdict = Verdict.LOAD_ERROR if any(at_fault) else verdict
    return record(key, (*key.opening, 3), verdict, winner)


@cache
def _weight(root: str) -> int:
    return sum(path.stat().st_size for path in Path(root).rglob("*") if path.is_file())
