"""Any executor as one with lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from arena.machine.facts import Machine
from arena.playing.driver import LaneExecutor


class OnLanes(LaneExecutor):
    """Runs `lanes` batches at a time; accepts `room` batches if that is more."""

    def __init__(self, executor: Executor, lanes: int, room: int = 0) -> None:
        self._executor, self._lanes, self._room = executor, lanes, max(lanes, room)

    @property
    def lanes(self) -> int:
        return self._lanes

    @property
    def room(self) -> int:
        return self._room

    def machines(self) -> Sequence[Machine]:
        return [Machine.this(self._lanes)]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._executor.submit(fn, *args, **kwargs)
