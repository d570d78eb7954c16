"""A Python program that is run again and again, by forks of an interpreter that has started.

Most of what a short program takes is Python's own start. That is done once, in a process that waits
before it opens the program's file (`waiting/sitecustomize.py`). It never runs a line of that: the
file is read and run afresh each time, by a fork, which has the same command line.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from arena.interfaces import program

WAITING = str(Path(__file__).parent / "waiting")

OWN_PACKAGES = ".local"
"""Where Python looks for its user's packages when it starts, in the bot's folder."""

STATUS_BYTES = 4


class PythonProgram:
    """One that is run by `[sys.executable, file, ...]`."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._channel: socket.socket | None = None
        self._interpreter: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Run it; return its exit status, as Popen has it. Raises BrokenProgramError."""
        if os.path.lexists(OWN_PACKAGES):  # they may change from one run to the next
            return program.start(self._words).wait()
        channel = self._channel or self._start()
        try:
            channel.send(b"\0")
            status = channel.recv(STATUS_BYTES)
        except OSError:
            status = b""
        if not status:  # the program has ended the interpreter, or has left no process for a fork
            return program.start(self._words).wait()
        return int.from_bytes(status, "little", signed=True)

    def _start(self) -> socket.socket:
        """Start the interpreter; returns the channel to it. Raises BrokenProgramError."""
        self._channel, its_own = socket.socketpair()
        with its_own:
            number = its_own.fileno()
            settings = {"PYTHONPATH": WAITING, "ARENA_CHANNEL": str(number)}
            self._interpreter = program.start(self._words, settings=settings, kept=(number,))
        return self._channel
