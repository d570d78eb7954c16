"""Stopping a bot's processes while it is not its turn, so that none of them takes the core then.

For bots with threads or processes besides the one that answers: what those are up to once the
answer is there nobody knows, and sixty of them leave an opponent little of the core. And for bots
that stay seated while others play: a timer could have all of them take their memory at once.
"""

from __future__ import annotations

import os
import signal
from time import perf_counter_ns, sleep

from arena.host.protocol import UNKNOWN
from arena.referee.clock import BotClock
from arena.referee.zygote import BotProcess

LOOK_SECONDS = 0.000_02
"""Interval of looks for threads that have not stopped yet."""

PATIENCE_NS = 2_000_000_000
"""Time for such looks, over all turns of a process: a thread stops when its system call ends or is
broken off, and when it gets a core. One that does not must not cost its opponent hours."""

ALLOWED_NS = 250_000_000
"""CPU that a bot may use from when it has been stopped until it is continued: more than a system
call takes that cannot be broken off, like one that gives back all its memory."""


class Suspension:
    """Stops one bot's processes and continues them."""

    def __init__(self, process: BotProcess, clock: BotClock) -> None:
        self._group = process.pid  # its own until its leader is reaped
        self._threads = process.threads
        self._clock = clock
        self._cpu = 0
        self._patience = PATIENCE_NS
        self.on = False
        """True if they are stopped."""

    def begin(self) -> None:
        """Stop a bot that may not be alone, and return once it does not run any more.

        One thread that runs when it is stopped is not waited for, nor those that sleep: the one
        that answered is about to ask for the next question, and only needs the core to stop.
        """
        clock = self._clock
        if self._threads[0] == UNKNOWN and not (clock.stops or clock.has_threads()):
            return
        awake = clock.awake()
        os.killpg(self._group, signal.SIGSTOP)
        self.on = True
        if awake > 1:
            self._wait()
        self._cpu = clock.used()

    def rest(self) -> bool:
        """Stop a bot that has left the table, whatever timers it has set.

        Returns whether it has stopped: a system call that cannot be broken off may go on.
        """
        os.killpg(self._group, signal.SIGSTOP)
        self.on = True
        return self._wait()

    def _wait(self) -> bool:
        """Wait until nothing of it runs any more; returns whether that is so."""
        began = perf_counter_ns()
        while not (is_at_rest := self._clock.at_rest()):
            if perf_counter_ns() - began >= self._patience:
                break
            sleep(LOOK_SECONDS)
        self._patience -= perf_counter_ns() - began
        return is_at_rest

    def broken(self) -> bool:
        """Return True if they ran though they were to be stopped."""
        return self.on and self._clock.used() - self._cpu > ALLOWED_NS

    def end(self) -> None:
        """Continue them."""
        os.killpg(self._group, signal.SIGCONT)
        self.on = False
