"""The fork server: forks the processes that read strangers' files.

`confined` runs `python -m arena.intake.fork_server FD`, sends requests over a socket, and closes
the socket to end the server. The server reads no stranger's file, so forks cannot affect each
other.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from arena.host.sandbox import confining, quarantine
from arena.intake import folders as folders  # most forks need it
from arena.intake.fork_reader import MAX_TASK, Channel
from arena.intake.house_players import house_submissions
from arena.intake.reading import ReadKind, answer
from arena.interfaces import load_descriptions


class _Forks:
    def __init__(self) -> None:
        self._channels: dict[int, socket.socket] = {}
        self._pids: dict[int, int] = {}
        self._layers = confining.layers()
        quarantine.rehearse(self._layers)
        self.waiting = select.poll()
        """Polls exits of forks, closing of channels, and the control socket."""

    def start(self, channel: int) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _answer(channel, parent, self._layers)
        ended = os.pidfd_open(pid)
        self._pids[channel] = self._pids[ended] = pid
        self._channels[ended] = socket.socket(fileno=channel)
        self.waiting.register(ended, select.POLLIN)
        self.waiting.register(channel, 0)  # 0: poll only its closing, which ends the process

    def handle(self, descriptor: int) -> None:
        """Kill the process whose channel was closed, or report how a process ended."""
        pid = self._pids[descriptor]
        if descriptor not in self._channels:
            os.kill(pid, signal.SIGKILL)
            self.waiting.unregister(descriptor)
            return
        _, status, used = os.wait4(pid, 0)
        self.waiting.unregister(descriptor)
        os.close(descriptor)
        del self._pids[descriptor]
        with self._channels.pop(descriptor) as channel:
            del self._pids[channel.fileno()]
            with suppress(KeyError):
                self.waiting.unregister(channel)
            with suppress(OSError):  # the other end may have left with a complete answer
                Channel(channel).send(ReadKind.ENDED, [status, used.ru_utime + used.ru_stime])


def main(fd: int) -> None:
    """Serve requests until the other end closes; forks end with this process."""
    confining.hide_memory()
    control = socket.socket(fileno=fd)
    forks = _Forks()
    forks.waiting.register(control, select.POLLIN)
    house_submissions()  # what reading a bot needs is then in memory before the first fork
    while True:
        # one event at a time: it may close another event's descriptor, which may then be reused
        ready, _ = forks.waiting.poll()[0]
        if ready != fd:
            forks.handle(ready)
            continue
        data, channels, _, _ = socket.recv_fds(control, MAX_TASK, 1)
        if not data:
            return
        # here, so that only the first fork waits
        for module in json.loads(data):
            import_module(module)
        load_descriptions()
        gc.freeze()
        forks.start(*channels)


def _answer(fd: int, parent: int, layers: confining.Layers) -> NoReturn:
    gc.disable()  # syntax trees have no cycles, and the process ends soon
    try:
        channel = Channel(socket.socket(fileno=fd))
        request = channel.request()
        try:
            quarantine.confine(
                channel=fd,
                parent=parent,
                readable=request.readable,
                seconds=request.seconds,
                memory=request.memory,
                layers=layers,
            )
        except OSError as error:
            channel.send(ReadKind.NOT_CONFINED, str(error))
        else:
            answer(request, Channel(socket.socket(fileno=quarantine.CHANNEL)))
    finally:
        os._exit(0)


if __name__ == "__main__":
    with suppress(ConnectionError, KeyboardInterrupt):
        main(int(sys.argv[1]))
