"""The zygote: a clean process with everything preloaded, from which bots are forked.

Run as `python -m arena.host.zygote FD FOLDER` by a lane, which speaks to it over a SEQPACKET socket
and ends it by closing that. With `engine` as third argument it has Arena's engine loaded, and its
bots are house players; from any other no bot can import that.
It never held any of the referee's state, so a fork of it has nothing to give away.
"""

from __future__ import annotations

import ast
import faulthandler
import gc
import inspect
import json
import os
import random
import select
import shutil
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn

import numpy.random

from arena.host import lent, namespaces, sandbox, seccomp
from arena.host.kernel import prctl
from arena.host.meter import find_search, instrument
from arena.host.output import capture
from arena.host.protocol import (
    CONFINED,
    CONFINED_MARK,
    ENGINE,
    MAX_ORDER,
    TRACE_SIGNAL,
    ZYGOTE_REPLY,
    BotSpec,
)
from arena.host.scratch import CACHE, Scratch, Workplace
from arena.host.serve import serve
from arena.interfaces import pick_move
from arena.interfaces.program import tool

PR_SET_CHILD_SUBREAPER = 36

BOT = "bot"
"""What a bot is called if it asks for its user's name."""


class _Bots:
    """The bots that live, each with its scratch and, if it has one, its listener."""

    def __init__(self, scratch: str, mounts: bool, lane: int) -> None:
        self._folder = scratch
        self._lane = lane
        self._mounts = mounts
        self._layers = sandbox.layers()
        sandbox.rehearse(self._layers, mounts, sandbox.Profile.MODULE)
        self._scratches: dict[int, Scratch] = {}
        self._listeners: dict[int, int] = {}
        self._lent: dict[str, Mapping[str, bytes]] = {}
        self._started = 0
        self.waiting = select.poll()
        """Tells which listeners, and whatever else is registered, have something to read."""

    def start(self, spec: BotSpec, channel: int, output: int) -> int:
        """Fork a bot's process; returns its process id."""
        sandbox.rehearse(self._layers, self._mounts, sandbox.Profile(spec.profile))
        if spec.interface not in self._lent:
            self._lent[spec.interface] = lent.compiled(spec.interface, self._folder, self._lane)
        self._started += 1
        path = os.path.join(self._folder, str(self._started))
        scratch = Scratch(path, spec.root, self._mounts)
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            scratch.remove()
            raise
        if pid == 0:
            _become_bot(
                spec,
                channel,
                output,
                theirs.fileno(),
                parent,
                path,
                self._mounts,
                self._layers,
                self._lent[spec.interface],
            )
        theirs.close()
        self._scratches[pid] = scratch
        with ours:
            _, listeners, _, _ = socket.recv_fds(ours, 1, 1)
        for listener in listeners:
            self._listeners[listener] = pid
            self.waiting.register(listener, select.POLLIN)
        return pid

    def answer(self, listener: int, event: int) -> None:
        """Grant or refuse the file that a bot wants to make."""
        if listener in self._listeners and event & select.POLLIN:
            self._scratches[self._listeners[listener]].answer(listener)
        else:
            self._forget(listener)

    def end(self, pid: int) -> tuple[int, int]:
        """Kill a bot and all its processes; returns its wait status and its peak memory in KiB."""
        with suppress(ProcessLookupError):  # it ended before it led a group
            os.killpg(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        with suppress(ChildProcessError):  # those of a program come to its subreaper
            while True:
                os.waitpid(-pid, 0)
        for listener in [fd for fd, bot in self._listeners.items() if bot == pid]:
            self._forget(listener)
        self._scratches.pop(pid).remove()
        return status, usage.ru_maxrss

    def _forget(self, listener: int) -> None:
        """Listen no more to a bot that has ended."""
        if self._listeners.pop(listener, None) is not None:
            self.waiting.unregister(listener)
            os.close(listener)

    def end_all(self) -> None:
        """Leave nothing behind."""
        for pid in list(self._scratches):
            self.end(pid)
        shutil.rmtree(self._folder, ignore_errors=True)


def main(fd: int, scratch: str, *, engine: bool) -> None:
    """Serve a lane until it closes its end, with bots' scratch folders in that folder."""
    apart = namespaces.enter(fd)
    sandbox.hide_memory()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    control = socket.socket(fileno=fd)
    # inherited by all bots: where they were when they crash, or when the referee wants to know
    faulthandler.enable(2, all_threads=False)
    faulthandler.register(TRACE_SIGNAL, 2, all_threads=False)
    _forget_checkout()
    _warm_up()
    if engine:
        # here alone: it takes a second, and memory that students' bots are not to pay for
        from arena.engine.compile import PIECES

        for _, use in PIECES:
            use()
    else:
        sys.meta_path.insert(0, _NotForBots())
    bots = _Bots(scratch, apart, fd)
    gc.collect()
    gc.freeze()  # bots' collections skip what was preloaded, and its pages stay shared
    control.send(ZYGOTE_REPLY.pack(namespaces.outer_pid(), 0, 0))
    bots.waiting.register(control, select.POLLIN)
    try:
        while True:
            for ready, event in bots.waiting.poll():
                if ready != fd:
                    bots.answer(ready, event)
                elif not _obey(control, bots):
                    return
    finally:
        bots.end_all()


def _obey(control: socket.socket, bots: _Bots) -> bool:
    """Carry out the lane's next order; False if there are no more."""
    data, fds, _, _ = socket.recv_fds(control, MAX_ORDER, 2)
    if not data:
        return False
    order = json.loads(data)
    if "end" in order:
        control.send(ZYGOTE_REPLY.pack(order["end"], *bots.end(order["end"])))
    else:
        try:
            pid = bots.start(BotSpec(**order), *fds)
        except OSError as error:  # the machine's doing; said on the channel, as of a layer
            pid = 0
            os.write(fds[0], str(error).encode())
        for inherited in fds:
            os.close(inherited)
        control.send(ZYGOTE_REPLY.pack(pid, 0, 0))
    return True


class _NotForBots:
    """Import hook: what is not loaded of Arena by now, no bot can import."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise ImportError for a module of Arena; any other is left to those who find it."""
        if name.startswith("arena."):
            part = "engine" if name.startswith("arena.engine") else "modules"
            raise ImportError(f"a bot may not use Arena's own {part}", name=name)


def _warm_up() -> None:
    """Do once what every bot's start does, so that its parts are in memory before the fork."""
    tree = ast.parse(pick_move.STARTER)
    search = find_search({"": tree}, "", pick_move.find(tree) or "", pick_move.MOVES)
    compile(instrument(tree, (name for _, name in search.functions)), "", "exec")
    inspect.signature(_become_bot)
    random.seed(0)
    numpy.random.seed(0)


def _become_bot(
    spec: BotSpec,
    channel: int,
    output: int,
    supervisor: int,
    parent: int,
    scratch: str,
    mounted: bool,
    layers: sandbox.Layers,
    compiled: Mapping[str, bytes],
) -> NoReturn:
    """The rest of a forked child's life."""
    referee = socket.socket(fileno=channel)
    try:
        workplace = Workplace(scratch, spec.root)
        listener = sandbox.confine(
            channel=channel,
            output=output,
            supervisor=supervisor,
            parent=parent,
            memory_mb=spec.memory_mb,
            root=spec.root,
            scratch=scratch,
            mounted=mounted,
            layers=layers,
            profile=sandbox.Profile(spec.profile),
            tool=tool(spec.options) if spec.profile == sandbox.Profile.PROGRAM else (),
        )
        referee.detach()
        referee = socket.socket(fileno=sandbox.CHANNEL)
        with socket.socket(fileno=sandbox.SUPERVISOR) as zygote:
            socket.send_fds(zygote, [b"."], [] if listener is None else [listener])
        if listener is not None:
            os.close(listener)
            seccomp.seal()
        os.environ.update(HOME=scratch, TMPDIR=scratch, USER=BOT, LOGNAME=BOT)
        os.environ["NUMBA_CACHE_DIR"] = os.path.join(scratch, CACHE)
        workplace.keep(compiled)
        written = capture()
        referee.send(CONFINED.pack(CONFINED_MARK, namespaces.outer_pid()))
    except Exception as error:  # not the bot's fault, and it must not look like one
        referee.send(str(error).encode()[:MAX_ORDER])
        os._exit(1)
    try:
        serve(referee, spec, workplace, written)
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
        main(int(sys.argv[1]), sys.argv[2], engine=ENGINE in sys.argv[3:])
