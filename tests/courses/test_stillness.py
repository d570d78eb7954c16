"""A folder in which somebody writes is waited for, by a clock that the tests turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.common.errors import MachineError
from arena.courses import collect
from arena.courses.collect import wait_until_still


class Clock:
    """A clock that only advances during `sleep`, and calls `after` then."""

    def __init__(self, after: Callable[[int], None] = lambda slept: None) -> None:
        self.began = self.time = time.time() + 1  # the files were written by the machine's own
        self._after, self._slept = after, 0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self._slept += 1
        self._after(self._slept)

    @property
    def waited(self) -> float:
        return self.time - self.began


def still(folder: Path, seconds: float, clock: Clock) -> float:
    wait_until_still(folder, seconds, sleep=clock.sleep, now=clock.now)
    return clock.waited


def test_what_was_written_long_ago_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("")
    clock = Clock()
    clock.time = clock.began = clock.began + 20
    assert still(tmp_path, 10, clock) == 0
    assert still(tmp_path / "none", 10, clock) == 0
    assert still(tmp_path, 0, Clock()) == 0


def test_what_is_being_copied_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "class" / "ann.py"
    file.parent.mkdir()

    def copy(slept: int) -> None:
        if slept <= 15:
            file.write_text("x" * slept)

    assert 24 <= still(tmp_path, 10, Clock(copy)) <= 26


def test_a_file_of_a_machine_whose_clock_is_ahead_is_waited_for_once(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("")
    clock = Clock()
    clock.time = clock.began = clock.began - 1000
    assert 10 <= still(tmp_path, 10, clock) <= 11


def test_after_some_minutes_it_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "MOST_SECONDS", 30)
    clock = Clock(lambda slept: (tmp_path / "ann.py").write_text("x" * slept) and None)
    with pytest.raises(MachineError, match="still changes after"):
        still(tmp_path, 10, clock)
    assert 30 <= clock.waited <= 31
