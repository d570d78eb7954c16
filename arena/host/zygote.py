"""The zygote: a clean process with everything preloaded, which forks bots.

A lane runs `python -m arena.host.zygote FD FOLDER LOADED`, sends orders over a SEQPACKET socket,
and closes the socket to end the zygote. Only a zygote for house players preloads the engine; bots
of other zygotes cannot import it. A zygote never holds the referee's state or a bot's spec, so a
fork cannot leak them.
"""

from __future__ import annotations

import ast
import errno
import faulthandler
import gc
import inspect
import os
import random
import runpy
import select
import shutil
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from time import thread_time_ns
from typing import NoReturn

import numpy.random

from arena.host.bot_folder import CACHE
from arena.host.importing import ArenaBlocker, forget_checkout
from arena.host.loader import course_code
from arena.host.meter import find_search, instrument
from arena.host.output import capture
from arena.host.protocol import (
    CONFINED,
    CONFINED_MARK,
    MAX_SPEC,
    ORDER,
    START,
    START_FDS,
    UNKNOWN,
    ZYGOTE_REPLY,
    BotSpec,
    Loaded,
)
from arena.host.sandbox import confining, namespaces, seccomp
from arena.host.sandbox.copying import CopiedFolder
from arena.host.sandbox.kernel import TRACE_SIGNAL, prctl
from arena.host.sandbox.scratch import BROUGHT, Quota
from arena.host.serve import serve
from arena.host.supervisor import Supervisor
from arena.interfaces import BY_NAME, Profile, Setup, load_descriptions
from arena.interfaces.contract import COURSES, course_compiler, starter
from arena.interfaces.program import names_path, tool
from arena.rules import Ruleset

PR_SET_CHILD_SUBREAPER = 36

# Errors of a machine short of processes or memory: not reported, so that the lane tries again.
PASSING = (errno.EAGAIN, errno.ENOMEM)
BOT = "bot"  # A bot's user name.
HOUSE = "pick_move"  # The interface of house players.
COMPILING_SECONDS = 50  # Longest time to compile a course's modules; a lane would wait longer.


@dataclass(frozen=True, slots=True)
class _ProcessPlace:
    """Facts that all bots of a zygote share."""

    folder: str  # Parent of the bots' folders.
    mounted: bool  # True if each folder is a separate file system.
    layers: confining.Layers
    covered: tuple[str, ...]  # Private folders of which bots see only what they need.
    loaded: Loaded


class _Bots:
    """The live bots and their supervisors.

    Every bot inherits this memory, so the only facts about bots in it are process ids.
    """

    def __init__(self, place: _ProcessPlace) -> None:
        self._place = place
        self._pids: set[int] = set()
        self._supervisors: dict[int, tuple[int, Supervisor]] = {}
        self._cpu = 0  # CPU of this process after its last action
        self.waiting = select.poll()  # listeners and other descriptors to read from

    def start(self, fds: Sequence[int]) -> tuple[int, list[int]]:
        """Fork a bot's process; return its id and [descriptor of its folder].

        The list is empty if the process ended before. For `fds` see protocol.ORDER.
        """
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _become_bot(fds, theirs.fileno(), parent, self._place)
        theirs.close()
        self._pids.add(pid)
        with ours:
            brought, received, _, _ = socket.recv_fds(ours, BROUGHT.size, 2)
        folder, shared = received[:1], fds[-1]
        if received[1:]:
            files, size, outer_pid = BROUGHT.unpack(brought)
            quota = Quota(os.dup(received[0]), files, size)
            listener = received[1]
            supervisor = Supervisor(listener, outer_pid, quota, os.dup(shared))
            self._supervisors[listener] = pid, supervisor
            self.waiting.register(listener, select.POLLIN)
        else:
            os.pwrite(shared, bytes([UNKNOWN]), 0)
        self._cpu = thread_time_ns()
        return pid, folder

    def answer(self, listener: int, event: int) -> None:
        if listener in self._supervisors and event & select.POLLIN:
            _, supervisor = self._supervisors[listener]
            supervisor.answer()
            now = thread_time_ns()
            supervisor.account(now - self._cpu)  # before this action, the zygote slept
            self._cpu = now
        else:
            self._forget(listener)

    def end(self, pid: int, name: str) -> tuple[int, int]:
        """Kill a bot's processes and remove its folder; return (wait status, peak KiB)."""
        ended = self._kill(pid)
        path = os.path.join(self._place.folder, name)
        if self._place.mounted:
            with suppress(OSError):  # the bot may have ended before its folder was mounted
                namespaces.unmount(path)
        shutil.rmtree(path, ignore_errors=True)
        self._cpu = thread_time_ns()
        return ended

    def _kill(self, pid: int) -> tuple[int, int]:
        with suppress(ProcessLookupError):  # the process may have ended before it led a group
            os.killpg(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        with suppress(ChildProcessError):  # a program's orphans become the zygote's children
            while True:
                os.waitpid(-pid, 0)
        for listener in [fd for fd, (bot, _) in self._supervisors.items() if bot == pid]:
            self._forget(listener)
        self._pids.discard(pid)
        return status, usage.ru_maxrss

    def _forget(self, listener: int) -> None:
        if listener in self._supervisors:
            self.waiting.unregister(listener)
            self._supervisors.pop(listener)[1].close()

    def end_all(self) -> None:
        for pid in list(self._pids):
            self._kill(pid)
        namespaces.unmount_below(self._place.folder)
        shutil.rmtree(self._place.folder, ignore_errors=True)


def main(fd: int, scratch: str, loaded: Loaded) -> None:
    """Serve a lane until it closes its channel `fd`; make bots' folders in `scratch`."""
    apart = namespaces.enter(fd)
    confining.hide_memory()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    control = socket.socket(fileno=fd)
    # all bots inherit this: they dump their stack at a crash or when the referee asks
    faulthandler.enable(2, all_threads=False)
    faulthandler.register(TRACE_SIGNAL, 2, all_threads=False)
    forget_checkout()
    _warm_up()
    if loaded in (Loaded.ENGINE, Loaded.SOLVER):
        # imported only here: it takes memory and a second, for which other bots must not pay
        from arena.engine.compile import load

        load(solver=loaded is Loaded.SOLVER)
    else:
        if loaded is Loaded.NUMBA:
            import numba

            # the first compilation also imports much
            numba.njit("i8(i8[:,:])")(lambda board: board[0, 0])
        sys.meta_path.insert(0, ArenaBlocker())
    bots = _Bots(_prepared(scratch, apart, loaded))
    gc.collect()
    gc.freeze()  # collections in bots skip preloaded objects: their pages stay shared
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


def _prepared(folder: str, apart: bool, loaded: Loaded) -> _ProcessPlace:
    """Do what is slow the first time; return what all bots have in common."""
    layers = confining.layers()
    for profile in Profile:
        confining.rehearse(layers, apart, profile)
    covered: tuple[str, ...] = ()
    if apart and layers.uids is not None:
        covered = namespaces.open_up({*namespaces.needed(), folder})
    return _ProcessPlace(folder, apart, layers, covered, loaded)


def _obey(control: socket.socket, bots: _Bots) -> bool:
    """Carry out the lane's next order; return False if the lane has closed the channel."""
    data, fds, _, _ = socket.recv_fds(control, ORDER.size, START_FDS)
    if not data:
        return False
    pid, name = ORDER.unpack(data)
    if pid != START:
        control.send(ZYGOTE_REPLY.pack(pid, *bots.end(pid, name.rstrip(b"\0").decode())))
        return True
    try:
        pid, folder = bots.start(fds)
    except OSError as error:  # the machine's fault, so it is reported on the bot's socket
        pid, folder = 0, []
        if error.errno not in PASSING:
            os.write(fds[0], str(error).encode())
    socket.send_fds(control, [ZYGOTE_REPLY.pack(pid, 0, 0)], folder)
    for fd in fds + folder:
        os.close(fd)
    return True


def _warm_up() -> None:
    """Run what the start of every bot runs, so that its code is in memory before the fork."""
    tree, kind = ast.parse(starter(HOUSE)), BY_NAME[HOUSE]
    load_descriptions()
    kind.adapt(len, Setup(rules=Ruleset(), player=0, nodes=None, options={})).pick()
    search = find_search({"": tree}, "", kind.find(tree) or "", kind.MOVES)
    compile(instrument(tree, search.steps("")), "", "exec")
    for path in COURSES.glob("*/*.py"):
        course_code(str(path))
    inspect.signature(_become_bot)
    random.seed(0)
    numpy.random.seed(0)


def _become_bot(fds: Sequence[int], supervisor: int, parent: int, place: _ProcessPlace) -> NoReturn:
    channel, answers, requests, output, source, _ = fds
    referee = socket.socket(fileno=channel)
    itself = os.fstat(channel).st_ino
    try:
        spec = BotSpec.from_json(referee.recv(MAX_SPEC))
        compiled = None
        if place.loaded is Loaded.NUMBA:  # other bots import none of them, or set numba up
            compiled = compiled_modules(spec.entry_point.interface, place.folder, channel)
        mounted, owner = place.mounted, place.layers.user
        bot_folder = CopiedFolder(spec.root, source, compiled, mounted=mounted, owner=owner)
        confinement = confining.Confinement(
            output=output,
            answers=answers,
            requests=requests,
            supervisor=supervisor,
            channel=channel,
            parent=parent,
            memory_mb=spec.memory_mb,
            folder=spec.root,
            mounted=mounted,
            layers=place.layers,
            profile=spec.profile,
            tool=_tool(spec, place.covered),
        )
        listener = confining.confine(confinement)
        referee.detach()
        referee = socket.socket(fileno=confining.CHANNEL)
        with socket.socket(fileno=confining.SUPERVISOR) as zygote:
            _send_folder(zygote, listener, bot_folder)
        if listener is not None:
            seccomp.seal()
        os.environ.update(HOME=spec.root, TMPDIR=spec.root, USER=BOT, LOGNAME=BOT)
        os.environ["NUMBA_CACHE_DIR"] = os.path.join(spec.root, CACHE)
        if place.loaded is Loaded.NUMBA:
            _reconfigure_numba()
        written = capture()
        receive = FileIO(confining.REQUESTS).readinto
        send = FileIO(confining.ANSWERS, "w").write
        referee.send(CONFINED.pack(CONFINED_MARK, namespaces.outer_pid()))
        referee.close()
    except Exception as error:  # not the bot's fault, and must not look like it
        if not isinstance(error, MemoryError) and getattr(error, "errno", 0) not in PASSING:
            for fd in (channel, confining.CHANNEL):  # `confine` moves it
                with suppress(OSError):
                    if os.fstat(fd).st_ino == itself:
                        os.write(fd, str(error).encode()[:MAX_SPEC])
                        break
        os._exit(1)
    try:
        serve(receive, send, spec, bot_folder, written)
    finally:
        os._exit(1)


def compiled_modules(interface: str, folder: str, lane: int) -> int | None:
    """Return a descriptor of the folder with numba's cache for an interface's modules.

    None if the interface has none. The first call compiles them, so that not every bot does, in a
    separate process that never saw a bot and that ends if the channel `lane` is closed. The folder
    stays empty if compiling fails.
    """
    program = course_compiler(interface)
    if program is None:
        return None
    made = os.path.join(folder, f"{interface}.numba")
    try:
        if not os.path.exists(made):
            os.mkdir(made)
            if _compile(str(program), made, lane) != 0:
                shutil.rmtree(made)
                os.mkdir(made)
        return os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None


def _compile(program: str, cache: str, lane: int) -> int:
    """Run a program in a fork; return its wait status. It is killed after COMPILING_SECONDS."""
    parent = os.getpid()
    pid = os.fork()  # a new Python would import numba again, for half a second
    if pid == 0:
        try:
            confining.die_with_parent(parent)
            os.environ["NUMBA_CACHE_DIR"] = cache
            _reconfigure_numba()
            sys.path.insert(0, os.path.dirname(program))
            runpy.run_path(program, run_name="__main__")
            os._exit(0)
        finally:
            os._exit(1)
    watched = select.poll()
    watched.register(lane, select.POLLHUP)
    ended = os.pidfd_open(pid)
    watched.register(ended, select.POLLIN)
    events = dict(watched.poll(COMPILING_SECONDS * 1000))
    os.close(ended)
    if ended not in events:
        os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _reconfigure_numba() -> None:
    """Make numba read the environment again: it did when it was imported."""
    from numba.core.config import reload_config

    reload_config()  # type: ignore[no-untyped-call]


def _tool(spec: BotSpec, covered: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths a program needs; remove folders' covers if they hide these."""
    if spec.profile is not Profile.PROGRAM:
        return ()
    found = tool(spec.entry_point.options)
    if covered and not found and names_path(spec.entry_point.options):
        namespaces.own_mounts()
        namespaces.close(covered)
        found = tool(spec.entry_point.options)
    return found


def _send_folder(zygote: socket.socket, listener: int | None, bot_folder: CopiedFolder) -> None:
    brought = BROUGHT.pack(bot_folder.files, bot_folder.bytes, namespaces.outer_pid())
    folder = os.open(bot_folder.path, os.O_RDONLY | os.O_DIRECTORY)
    fds = [folder] if listener is None else [folder, listener]
    socket.send_fds(zygote, [brought], fds)
    for fd in fds:
        os.close(fd)


if __name__ == "__main__":
    with suppress(ConnectionError):  # the lane was killed
        main(int(sys.argv[1]), sys.argv[2], Loaded(sys.argv[3]))
