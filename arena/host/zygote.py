"""The zygote: a clean process with everything preloaded, from which bots are forked.

Run as `python -m arena.host.zygote FD` by a lane, which speaks to it over a SEQPACKET socket.
It never held any of the referee's state, so a fork of it has nothing to give away.
"""

from __future__ import annotations

import ast
import gc
import inspect
import json
import os
import random
import signal
import socket
import sys
from contextlib import suppress
from typing import NoReturn

import numpy.random

from arena.host import sandbox
from arena.host.meter import find_search, instrument
from arena.host.output import capture
from arena.host.protocol import CONFINED, MAX_ORDER, ZYGOTE_REPLY, BotSpec
from arena.host.serve import serve
from arena.interfaces import pick_move


def main(fd: int) -> None:
    """Serve a lane until it closes its end; its bots die with this process."""
    sandbox.die_with_parent(os.getppid())
    sandbox.hide_memory()
    control = socket.socket(fileno=fd)
    _forget_checkout()
    _warm_up()
    gc.collect()
    gc.freeze()  # bots' collections skip what was preloaded, and its pages stay shared
    control.send(ZYGOTE_REPLY.pack(os.getpid(), 0))
    while True:
        data, fds, _, _ = socket.recv_fds(control, MAX_ORDER, 2)
        if not data:
            return
        order = json.loads(data)
        if "end" in order:
            os.kill(order["end"], signal.SIGKILL)
            control.send(ZYGOTE_REPLY.pack(*os.waitpid(order["end"], 0)))
            continue
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _become_bot(BotSpec(**order), fds[0], fds[1], parent)
        for inherited in fds:
            os.close(inherited)
        control.send(ZYGOTE_REPLY.pack(pid, 0))


def _warm_up() -> None:
    """Do once what every bot's start does, so that its parts are in memory before the fork."""
    tree = ast.parse(pick_move.STARTER)
    search = find_search({"": tree}, "", pick_move.find(tree) or "", pick_move.MOVE)
    compile(instrument(tree, (name for _, name in search.functions)), "", "exec")
    inspect.signature(_become_bot)
    random.seed(0)
    numpy.random.seed(0)


def _become_bot(spec: BotSpec, channel: int, output: int, parent: int) -> NoReturn:
    """The rest of a forked child's life."""
    referee = socket.socket(fileno=channel)
    try:
        sandbox.confine(
            channel=channel,
            output=output,
            parent=parent,
            memory_mb=spec.memory_mb,
            root=spec.root,
        )
        referee.detach()
        referee = socket.socket(fileno=sandbox.CHANNEL)
        written = capture()
        referee.send(CONFINED)
    except Exception as error:  # not the bot's fault, and it must not look like one
        referee.send(str(error).encode()[:MAX_ORDER])
        os._exit(1)
    try:
        serve(referee, spec, written)
    finally:
        os._exit(1)


def _forget_checkout() -> None:
    """Drop the folder Arena was found in from the import path, unless packages live there.

    In a checkout it holds the demo bots and the tests, which are no bot's to import.
    """
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if os.path.isdir(os.path.join(home, "bots")):
        sys.path[:] = [path for path in sys.path if os.path.abspath(path) != home]


if __name__ == "__main__":
    with suppress(ConnectionError):  # the lane was killed, and nobody is left to tell
        main(int(sys.argv[1]))
