"""The fork server: forks the processes that read strangers' files.

`confined` runs `python -m arena.intake.fork_server FD`, sends requests over a socket, and closes
the socket to end the server. The server reads no stranger's file, so forks cannot affect each
other.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import resource
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from arena.common.errors import UnreadableError, with_place
from arena.common.text import one_line
from arena.host.sandbox import confining, quarantine
from arena.intake.confined import MAX_TASK, Channel, ReadKind, ReadRequest
from arena.interfaces import load_descriptions

# Part of its memory limit that a process must have used for MemoryError to be about memory. Parsers
# also raise MemoryError for deep nesting.
NO_MEMORY_SHARE = 0.6


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
        gc.collect()
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
            _call(request, Channel(socket.socket(fileno=quarantine.CHANNEL)))
    finally:
        os._exit(0)


def _call(request: ReadRequest, channel: Channel) -> None:
    try:
        function = getattr(import_module(request.module), request.function)
        result = function(channel.at, *request.arguments)
        for item in result if inspect.isgenerator(result) else [result]:
            channel.send(ReadKind.BYTES if isinstance(item, bytes) else ReadKind.VALUE, item)
        channel.send(ReadKind.END)
    except UnreadableError as error:
        channel.send(ReadKind.REFUSED, str(error))
    except MemoryError:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        is_full = used > request.memory * NO_MEMORY_SHARE
        channel.send(ReadKind.NO_MEMORY if is_full else ReadKind.TOO_DEEP)
    except OSError as error:
        channel.send(ReadKind.NO_FILE, [error.errno or 0, error.strerror or str(error)])
    except Exception as error:  # a fault in Arena, reported as such
        channel.send(ReadKind.FAILED, one_line(with_place(error)))


if __name__ == "__main__":
    with suppress(ConnectionError, KeyboardInterrupt):
        main(int(sys.argv[1]))
