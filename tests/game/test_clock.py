"""A bot's clock with scripted kernel counters: what is charged, and what never is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path

import pytest

from arena.game import clock as clocks
from arena.game.clock import BotClock
from arena.host.protocol import CROWDED, SHARED
from arena.machine import proc

MS = 1_000_000
OTHERS = 10  # Threads of the bot beside its main one.


@dataclass
class Machine:
    """The counters of a machine at one moment, in milliseconds."""

    wall: float = 0.0
    cpu: float = 0.0
    waited: float = 0.0  # run-queue wait of the bot's main thread that the kernel has counted
    beside: float = 0.0  # CPU of its other threads, which is part of `cpu`
    crowd: float = 0.0  # run-queue wait of its other threads
    idle: int = 0  # ticks for which the core had no work
    referee: float = 0.0  # run-queue wait of the referee
    looking: float = 0.0  # CPU of the referee
    runnable: int = 0
    stolen: int = 0  # ticks that were taken from the core

    def later(self, **passed: float) -> None:
        """Let time pass: add to the named counters."""
        for name, value in passed.items():
            setattr(self, name, getattr(self, name) + value)


class Scripted(BotClock):
    """A clock that reads a `Machine` instead of the kernel."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        super().__init__(os.getpid(), os.getpid(), mmap(-1, SHARED.size))

    def used(self) -> int:
        return round(self.machine.cpu * MS)

    def _read(self, cpu: int) -> clocks._ClockReading:
        beside = round(self.machine.beside * MS)
        other = beside // OTHERS, round(self.machine.crowd * MS) // OTHERS
        threads = {f"other {number}": other for number in range(OTHERS)}
        threads[self._main] = cpu - beside, round(self.machine.waited * MS)
        looking = round(self.machine.looking * MS)
        return clocks._ClockReading(threads, {}, 0, self.referee_wait(), looking)

    def _runnable(self) -> int:
        return self.machine.runnable

    def referee_wait(self) -> int:
        return round(self.machine.referee * MS)

    def refresh(self) -> int:
        self.asked_at = super().refresh()
        return self.asked_at

    def look(self) -> float:
        """The charge so far, in milliseconds."""
        return self.charged(self.asked_at, self.referee_wait()) / MS

    def total(self) -> int:
        """The charge for the turn that ends now, in nanoseconds."""
        return self.charge(self.asked_at)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(wall=1_000.0)
    stat = tmp_path / "stat"
    core = min(os.sched_getaffinity(0))

    def now() -> int:
        return round(machine.wall * MS)

    def lines(_: object) -> list[list[bytes]]:
        stolen = 7 + machine.stolen
        stat.write_text(f"cpu  1 2 3\ncpu{core} 0 0 0 {machine.idle} 0 0 0 {stolen} 0 0\nintr 5\n")
        return real(_)  # type: ignore[arg-type]

    real = proc.Steal._lines
    monkeypatch.setattr(proc, "STAT", stat)
    monkeypatch.setattr(proc.Steal, "_lines", lines)
    monkeypatch.setattr(clocks, "perf_counter_ns", now)
    monkeypatch.setattr(proc, "perf_counter_ns", now)
    yield machine


def test_computing_and_sleeping_are_charged_and_counted_waiting_is_not(machine: Machine) -> None:
    clock = Scripted(machine)
    machine.later(wall=100, cpu=40, waited=35)
    assert clock.total() == 65 * MS


def test_a_wait_that_the_kernel_has_not_counted_yet_is_not_charged(machine: Machine) -> None:
    clock = Scripted(machine)
    machine.later(wall=40, cpu=40, runnable=1)
    assert clock.look() == 40
    machine.later(wall=9.5, cpu=0.5)  # it ran for a moment, and has waited for nine since
    assert clock.look() == 40.5
    machine.later(wall=30)
    assert clock.look() == 40.5
    machine.later(wall=2, cpu=2, waited=39, runnable=-1)
    assert clock.total() == 42.5 * MS


def test_a_bot_that_sleeps_is_charged_as_soon_as_it_is_looked_at(machine: Machine) -> None:
    clock = Scripted(machine)
    for slept in range(20, 200, 20):
        machine.later(wall=20)
        assert clock.look() == slept


def test_a_referee_that_waits_before_it_asks_charges_nobody(machine: Machine) -> None:
    clock = Scripted(machine)
    machine.later(wall=10, referee=10)
    machine.later(wall=20, cpu=20, runnable=1)
    assert clock.look() == 20
    machine.later(wall=20, cpu=20, runnable=-1)
    assert clock.total() == 40 * MS


def test_a_referee_that_waits_while_it_looks_charges_nobody(machine: Machine) -> None:
    clock = Scripted(machine)
    machine.later(wall=20, cpu=20, runnable=1)
    before = clock.referee_wait()
    machine.later(referee=14)  # it is kept from the core after it has read the time
    assert clock.charged(clock.asked_at, before) == 20 * MS
    machine.later(wall=24, cpu=10, runnable=-1)  # the bot answered ten milliseconds later
    assert clock.total() == 30 * MS


def test_what_the_referee_waits_to_look_again_is_no_excuse_for_a_sleeper(machine: Machine) -> None:
    clock = Scripted(machine)
    machine.later(wall=20)
    assert clock.look() == 20
    machine.later(wall=50, referee=30)
    assert clock.look() == 70
    machine.later(wall=50, referee=30)
    assert clock.total() == 90 * MS  # for which it may have waited: it came meanwhile


def test_stolen_time_is_not_charged(machine: Machine) -> None:
    tick = proc.TICK_NS / MS
    clock = Scripted(machine)
    machine.later(wall=40 + 3 * tick, cpu=40, stolen=3)
    assert clock.total() == 40 * MS
    machine.later(wall=100)
    clock.refresh()
    machine.later(wall=50)  # it sleeps, and nothing is taken
    assert clock.total() == 50 * MS


def test_all_cpu_is_charged_however_much_time_was_stolen(machine: Machine) -> None:
    clock = Scripted(machine)
    machine.later(wall=100, cpu=60, stolen=50)
    assert clock.total() == 60 * MS


def test_a_referee_that_was_stopped_charges_nobody_for_that(machine: Machine) -> None:
    clock = Scripted(machine)
    clock.look_ns = 20 * MS
    machine.later(wall=2_500)
    assert clock.total() == 20 * MS  # it may have come just before a look
    clock.refresh()
    for wall, charged in ((20, 20), (1_020, 40), (20, 60), (20, 80)):
        machine.later(wall=wall)
        assert clock.look() == charged
    machine.later(wall=3_010)
    assert clock.total() == 100 * MS


def test_a_bot_that_computes_while_the_referee_is_stopped_is_charged(machine: Machine) -> None:
    clock = Scripted(machine)
    clock.look_ns = 20 * MS
    machine.later(wall=2_500, cpu=2_000)
    assert clock.total() == 2_000 * MS


def test_a_referee_that_waits_for_its_core_was_not_stopped(machine: Machine) -> None:
    clock = Scripted(machine)
    clock.look_ns = 20 * MS
    machine.later(wall=500, cpu=100, referee=440)
    assert clock.total() == 100 * MS
    assert clock._stopped == 0


def test_a_referee_that_takes_long_to_look_was_not_stopped(machine: Machine) -> None:
    clock = Scripted(machine)
    clock.look_ns = 40 * MS
    machine.later(wall=40)
    assert clock.look() == 40
    machine.later(wall=540, looking=500)  # counts the memory of a program that sleeps
    assert clock.look() == 580
    machine.later(wall=2_540, looking=500)  # and is stopped meanwhile
    assert clock.look() == 580 + 540
    machine.later(wall=540, looking=500)
    assert clock.total() == (580 + 540 + 540) * MS


TICK = proc.TICK_NS // MS


def test_threads_that_wait_for_each_other_are_charged_while_their_core_is_idle(
    machine: Machine,
) -> None:
    clock = Scripted(machine)
    machine.later(wall=20, cpu=20, runnable=1)
    assert clock.look() == 20
    machine.later(wall=20 * TICK, cpu=20, beside=20, crowd=50 * TICK, idle=16)
    idle = 15 * TICK  # one tick may have begun before
    assert clock.total() == (20 + idle + 20) * MS


def test_threads_that_share_what_a_busy_core_leaves_them_are_forgiven_all_they_waited(
    machine: Machine,
) -> None:
    clock = Scripted(machine)
    for _ in range(6):
        machine.later(wall=60, cpu=20, beside=10, waited=20, crowd=20, runnable=1)
        clock.look()
    assert clock.total() == 120 * MS


def test_the_wait_of_one_thread_for_other_processes_is_always_forgiven(
    machine: Machine,
) -> None:
    clock = Scripted(machine)
    machine.later(wall=20, cpu=20, runnable=1)
    clock.look()
    machine.later(wall=20 * TICK, cpu=50, waited=150, idle=20)  # its group is out of its quota
    assert clock.total() == (20 + 20 * TICK - 150) * MS


def test_the_wait_of_one_thread_for_the_bots_others_is_not_forgiven(machine: Machine) -> None:
    clock = Scripted(machine)
    machine.later(wall=10 * TICK, cpu=10 * TICK, beside=10 * TICK, waited=10 * TICK, runnable=1)
    clock.look()
    machine.later(wall=10 * TICK, idle=11, runnable=-1)
    assert clock.total() == 20 * TICK * MS


def test_what_the_zygote_computes_for_a_bot_is_its_cpu() -> None:
    shared = mmap(-1, SHARED.size)
    clock = BotClock(os.getpid(), os.getppid(), shared)
    assert clock.used() < 10**12
    shared[:] = SHARED.pack(CROWDED, 10**12)
    assert clock.used() > 10**12
