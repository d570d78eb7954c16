"""A bot's process in home mode, which `arena.game.home_process` starts.

It reads its order, a line of JSON, from its input, connects to the referee, and serves it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import socket
import sys
import threading
from dataclasses import dataclass
from typing import IO, NoReturn

import numpy.random

from arena.common.system import crash_without_dialog
from arena.host.bot_folder import CACHE, BotFolder
from arena.host.importing import ArenaBlocker, forget_checkout
from arena.host.output import capture
from arena.host.protocol import Ask, BotSpec
from arena.host.serve import serve
from arena.host.stream import MessageStream
from arena.interfaces import EntryPoint, load_descriptions


@dataclass(frozen=True, slots=True)
class HomeOrder:
    """The parameters of a bot's process."""

    spec: str
    """The BotSpec as JSON."""

    brought: list[str]
    """Paths of the bot's files in its folder."""

    port: int
    """The referee's port on the loopback interface."""

    token: str
    """The first message is this and a pid, as another process could connect to the port."""

    stack: str
    """Path of the file to which the bot's stack is written when its time is over."""


class _Timed(MessageStream):
    """Writes the stack of a bot that is still computing when its time for a request is over."""

    def __init__(self, stream: socket.socket, spec: BotSpec, stack: IO[bytes]) -> None:
        super().__init__(stream)
        self._spec, self._stack = spec, stack
        self._seconds = 0.0  # for the next move
        self._pid = os.getpid()

    def recv_into(self, buffer: bytearray, /) -> int:
        size = super().recv_into(buffer)
        spec = self._spec
        if buffer[0] == Ask.GAME:
            self._arm(spec.load_seconds)
            self._seconds = spec.first_move_seconds + spec.move_seconds
        elif buffer[0] == Ask.MOVE:
            self._arm(self._seconds)
            self._seconds = spec.move_seconds
        return size

    def send(self, data: bytes, /) -> int:
        if os.getpid() == self._pid:  # in a fork there is no thread to cancel: it would hang
            faulthandler.cancel_dump_traceback_later()
        return super().send(data)

    def _arm(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds, file=self._stack)


def main() -> NoReturn:
    """Read the order from the input and serve the referee."""
    with open(0, "rb", closefd=False) as commands:
        order = HomeOrder(**json.loads(commands.readline()))
    spec = BotSpec.from_json(order.spec.encode())
    connection = socket.create_connection(("127.0.0.1", order.port))
    referee = os.dup(0)
    with open(os.devnull, "rb") as nowhere:
        os.dup2(nowhere.fileno(), 0)
    _watch(referee)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _watch(referee))  # threads do not fork
    crash_without_dialog()
    faulthandler.enable(2)
    os.environ["NUMBA_CACHE_DIR"] = os.path.join(spec.root, CACHE)
    _prepare(spec.entry_point)
    stack = open(order.stack, "wb", buffering=0)  # noqa: SIM115 (lives as long as the process)
    channel = _Timed(connection, spec, stack)
    output = capture()
    channel.send(f"{order.token} {os.getpid()}".encode())
    serve(channel.recv_into, channel.send, spec, BotFolder(spec.root, order.brought), output)


def _prepare(point: EntryPoint) -> None:
    """Do what is slow the first time, so that no bot is charged for it; refuse Arena's modules."""
    load_descriptions()
    forget_checkout()
    random.seed(0)
    numpy.random.seed(0)
    if point.engine is not None:
        from arena.engine.compile import load
        from arena.engine.machine_code import Piece, pieces_of

        load(solver=Piece.SOLVER in pieces_of(point.options))
    else:
        sys.meta_path.insert(0, ArenaBlocker())


def _watch(referee: int) -> None:
    threading.Thread(target=_end_with_referee, args=(referee,), daemon=True).start()


def _end_with_referee(commands: int) -> None:
    """End this process when the referee closes the commands, or ends."""
    while os.read(commands, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
