"""Stopping a bot's processes outside its turn.

Bots with more than one thread could compute in the opponent's turn and leave it little of the core.
Bots that stay loaded while others play could all take their memory at once, by a timer. So both are
stopped.
"""

from __future__ import annotations

import os
import signal
from mmap import mmap
from time import perf_counter_ns, sleep

from arena.game.clock import BotClock
from arena.host.protocol import UNKNOWN

LOOK_SECONDS = 0.000_02  # Seconds between two looks for threads that have not stopped yet.

# Time for such looks over all turns of a process. A thread stops once its system call has ended or
# been interrupted and it gets a core. A thread that does not stop must not cost the opponent hours.
PATIENCE_NS = 2_000_000_000

# CPU that a bot may use while it is stopped: more than an uninterruptible system call takes, such
# as one that frees all its memory.
ALLOWED_NS = 250_000_000


class StoppedGroup:
    def __init__(self, group: int, shared: mmap, clock: BotClock) -> None:
        self._group = group  # its id, reserved until its leader is reaped
        self._shared = shared
        self._clock = clock
        self._cpu = 0
        self._patience = PATIENCE_NS
        self.on = False  # the processes are stopped

    def begin(self) -> None:
        """Stop a bot that may have other threads; return once they no longer run.

        Does not wait if only one thread runs: that thread is about to read the next request.
        """
        clock = self._clock
        if self._shared[0] == UNKNOWN and not (clock.stops or clock.has_threads()):
            return
        awake = clock.awake()
        os.killpg(self._group, signal.SIGSTOP)
        self.on = True
        if awake > 1:
            self._wait()
        self._cpu = clock.used()

    def rest(self) -> bool:
        """Stop a bot outside the current game; return False if a thread does not stop."""
        os.killpg(self._group, signal.SIGSTOP)
        self.on = True
        return self._wait()

    def _wait(self) -> bool:
        began = perf_counter_ns()
        while not (is_at_rest := self._clock.at_rest()):
            if perf_counter_ns() - began >= self._patience:
                break
            sleep(LOOK_SECONDS)
        self._patience -= perf_counter_ns() - began
        return is_at_rest

    def broken(self) -> bool:
        """Return True if the bot's processes computed although they were stopped."""
        return self.on and self._clock.used() - self._cpu > ALLOWED_NS

    def end(self) -> None:
        os.killpg(self._group, signal.SIGCONT)
        self.on = False
