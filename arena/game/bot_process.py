"""The referee's side of a zygote: starting and ending confined processes of bots.

A preloaded library may only save time: a bot must not notice any other difference. So a bot that
configures numba itself, or has a module with the name of an installed one, starts without numba.
"""

from __future__ import annotations

import fcntl
import os
import re
import resource
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import PathFinder
from io import FileIO
from mmap import PAGESIZE, PROT_READ, mmap
from pathlib import Path
from time import sleep, time
from types import MappingProxyType

from arena.common.errors import DEBUG, CannotConfineError, InputError, StartError, ZygoteDiedError
from arena.engine.machine_code import Piece, compile_engine, pieces_of
from arena.game.clock import BotClock, ProgramClock
from arena.game.record import Bot
from arena.game.starter import StartedBot, TurnClock
from arena.game.suspension import StoppedGroup
from arena.host.protocol import (
    CONFINED,
    CONFINED_MARK,
    MAX_SPEC,
    ORDER,
    SHARED,
    START,
    UNKNOWN,
    ZYGOTE_REPLY,
    BotSpec,
    Loaded,
)
from arena.host.sandbox import namespaces
from arena.host.sandbox.confining import layers
from arena.host.sandbox.copying import open_noatime
from arena.host.sandbox.kernel import TRACE_SIGNAL
from arena.interfaces import is_program
from arena.interfaces.contract import course_compiler, course_folder
from arena.machine.proc import folder_bytes, has_ended, is_alive

MAX_FIRST_MESSAGE = 4096  # Bytes of a bot process's first message.

# Pages of a pipe: room for the two messages of the longest opening and a request. Many bots rest,
# and the kernel limits the pages of all pipes of a user.
PIPE_PAGES = 4
PATIENCE_SECONDS = 60  # Longest wait for a zygote's reply.
COMPILING_SECONDS = 600  # The same for a zygote that may have to compile the engine.

# Environment variables by which numba finds its compiled code.
CACHE_VARIABLES = (
    "NUMBA_CACHE_DIR",
    "XDG_CACHE_HOME",
    "HOME",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
)

END_SECONDS = 10  # Longest wait for a zygote to end.

# Interval and number of looks for a bot's dump; many, as a bot on a busy machine gets a core late.
DUMP_SECONDS, DUMP_LOOKS = 0.002, 250
MAX_BYTES = 4096  # Most bytes read of a dump.

# How often to try again if a process ends before it is confined, and the first pause between two
# tries. Each pause is twice as long as the one before.
START_TRIES, START_SECONDS = 5, 0.1
SCRATCHES = "arena-scratch-"  # Prefix of the names of zygotes' folders.
LOCKING_SECONDS = 10  # An empty folder younger than this may be new and not locked yet.

READABLE = (
    "no Landlock on this machine: bots can READ every file you can read; writes, network and "
    "processes are still blocked (arena doctor explains more)"
)

UNFILTERED = "no seccomp on this machine: bots can use the network and start programs{more}"

PASSING = (
    "Arena's Python lies in the private folder {folder}: bots can guess names of files in private "
    "folders and check that they exist, but not read them (arena doctor explains more)"
)


def missing_layer() -> str | None:
    """Return a warning if this machine lacks a layer of confinement."""
    there = layers()
    if not there.seccomp:
        return UNFILTERED.format(more="" if there.landlock else ", and READ every public file")
    if not there.landlock:
        return READABLE
    if there.uids is None or there.namespaces:
        return None
    private = namespaces.private_folder(namespaces.needed())
    return private and PASSING.format(folder=private)


# The compiled pieces of what zygotes preload.
ENGINE = MappingProxyType({Loaded.ENGINE: (Piece.SEARCH,), Loaded.SOLVER: tuple(Piece)})

NOT_CONFINED = "this machine does not let Arena confine bots"


class PipeChannel:
    """The referee's ends of a bot's two pipes.

    A round trip takes two thirds of a socket's time. Each read returns one packet, see O_DIRECT in
    pipe(2). Neither end blocks: a bot could open its own ends again through /proc, and so fill the
    one pipe or empty the other.
    """

    def __init__(self) -> None:
        """Make the pipes. The bot's ends are `answers` and `requests`."""
        reads, self.answers = os.pipe2(os.O_CLOEXEC | os.O_DIRECT)
        self.requests, writes = os.pipe2(os.O_CLOEXEC | os.O_DIRECT)
        for fd in (reads, writes):
            os.set_blocking(fd, False)
            with suppress(PermissionError):  # the user has reached that limit
                fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_PAGES * PAGESIZE)
        self._answers, self._requests = FileIO(reads), FileIO(writes, "w")
        self._read, self.send = self._answers.readinto, self._requests.write
        waiting = select.poll()
        waiting.register(reads, select.POLLIN)
        self._poll = waiting.poll
        self.wait_ms = -1
        """Longest wait for a message; -1 for any time."""

    def recv_into(self, buffer: bytearray, /) -> int:
        if self._poll(self.wait_ms) and (size := self._read(buffer)) is not None:
            return size
        raise BlockingIOError

    def receive_now(self, buffer: bytearray) -> int:
        if (size := self._read(buffer)) is None:
            raise BlockingIOError
        return size

    def close(self) -> None:
        self._answers.close()
        self._requests.close()


@dataclass(frozen=True, slots=True)
class BotProcess:
    pid: int
    """The process id, which stays reserved until `Zygote.end`."""

    number: int
    """The process id inside the zygote's namespace."""

    channel: PipeChannel

    output: int
    """Descriptor of the in-memory file that receives the bot's output."""

    shared: mmap
    """Memory that the zygote writes, laid out as protocol.SHARED."""

    root: str
    """Path of this bot's copy of its files, as the process sees it."""

    folder: int
    """Descriptor of the folder `root`."""

    brought: int
    zygote: int = 0
    """The zygote's process id."""

    @property
    def kills_itself(self) -> bool:
        """False if the bot cannot end its own process by SIGKILL.

        Then the filter refuses every way to send it, and there is no CPU limit, at which the kernel
        sends it.
        """
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        return self.shared[0] == UNKNOWN or most != resource.RLIM_INFINITY

    def new_clock(self, *, is_program: bool) -> BotClock:
        clock = ProgramClock if is_program else BotClock
        return clock(self.pid, self.zygote, self.shared)

    def new_suspension(self, clock: TurnClock) -> StoppedGroup:
        assert isinstance(clock, BotClock)
        return StoppedGroup(self.pid, self.shared, clock)

    def wait_at_most(self, nanoseconds: int) -> None:
        self.channel.wait_ms = -(-nanoseconds // 1_000_000)

    def receive_now(self, buffer: bytearray) -> int:
        return self.channel.receive_now(buffer)

    def held(self) -> int:
        return folder_bytes(self.folder) + os.fstat(self.output).st_size

    def printed(self, most: int) -> bytes:
        size = os.fstat(self.output).st_size
        return os.pread(self.output, most, max(0, size - most))

    def is_alive(self) -> bool:
        return is_alive(self.pid)

    def has_ended(self) -> bool:
        return has_ended(self.pid)

    def stack(self) -> bytes:
        """Make the process print its stack; cut this from the output and return it.

        Empty if nothing appears within DUMP_LOOKS looks.
        """
        before = size = os.fstat(self.output).st_size
        os.kill(self.pid, TRACE_SIGNAL)
        os.killpg(self.pid, signal.SIGCONT)  # a stopped process would not handle it
        for _ in range(DUMP_LOOKS):
            sleep(DUMP_SECONDS)
            last, size = size, os.fstat(self.output).st_size
            if before < last == size or size - before >= MAX_BYTES:
                break
        dump = os.pread(self.output, MAX_BYTES, before)
        os.ftruncate(self.output, before)
        return dump


class Zygote:
    """A clean process, one per lane, that forks bots. Its bots end with it."""

    def __init__(self, loaded: Loaded = Loaded.NUMPY) -> None:
        """Start the process and wait until it is ready. Raises ZygoteDiedError."""
        engine = ENGINE.get(loaded, ())
        for _ in compile_engine(engine):
            pass  # another process may be compiling: wait for it
        inherited = CACHE_VARIABLES if engine else ()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        remove_dead_scratches()
        self._scratch = tempfile.mkdtemp(prefix=SCRATCHES)
        self._lock = os.open(self._scratch, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.chmod(self._scratch, 0o711)  # bots with a separate user must reach their folders
        command = [sys.executable, "-s", "-P", "-m", "arena.host.zygote"]
        with theirs:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno()), self._scratch, loaded],
                pass_fds=[theirs.fileno(), self._lock],
                stdin=subprocess.DEVNULL,
                stderr=None if DEBUG in os.environ else subprocess.DEVNULL,
                start_new_session=True,
                env={
                    "PYTHONPATH": str(Path(__file__).parents[2]),
                    "PYTHONHASHSEED": "0",
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1",
                    "LANG": "C.UTF-8",
                    **{name: os.environ[name] for name in inherited if name in os.environ},
                },
            )
        self._loaded = loaded
        self._others: dict[Loaded, Zygote] = {}
        self._control = ours
        self._control.settimeout(COMPILING_SECONDS if engine else PATIENCE_SECONDS)
        try:
            self.pid, _, _ = self._reply()
        except ZygoteDiedError as error:
            self.close()
            raise ZygoteDiedError(
                f"the process that starts bots ended at once ({error}); make {sys.executable} "
                "and its packages readable for everybody"
            ) from None
        except BaseException:
            self.close()
            raise
        self._control.settimeout(PATIENCE_SECONDS)

    def for_bot(self, bot: Bot) -> Zygote:
        return self.with_preload(preload_for(bot))

    def with_preload(self, loaded: Loaded) -> Zygote:
        """Return the zygote that preloads `loaded`, which starts at the first call.

        It ends when this zygote ends. Raises ZygoteDiedError.
        """
        if loaded is self._loaded:
            return self
        if loaded not in self._others:
            self._others[loaded] = Zygote(loaded)
        return self._others[loaded]

    def start(self, spec: BotSpec) -> BotProcess:
        """Fork and confine a bot's process. The first game request will load the bot.

        Raises CannotConfineError, StartError, ZygoteDiedError.
        """
        for attempt in range(START_TRIES):
            if attempt:
                sleep(START_SECONDS * 2 ** (attempt - 1))
            if (process := self._try_to_start(spec)) is not None:
                return process
        raise StartError(
            f"a bot's process ended before it was confined, in each of {START_TRIES} tries"
        )

    def _try_to_start(self, spec: BotSpec) -> BotProcess | None:
        """Return a bot's process; None if it ended without a message, as if it was killed."""
        root = os.path.join(self._scratch, secrets.token_hex(16))  # no other bot can guess it
        order = replace(spec, root=root).to_json().encode()
        if len(order) > MAX_SPEC:
            raise InputError(
                f"the options of {spec.entry_point.file} are longer than {MAX_SPEC} bytes"
            )
        try:
            source = os.open(spec.root, os.O_PATH | os.O_DIRECTORY)
        except OSError as error:
            raise CannotConfineError(f"{NOT_CONFINED}: {error}") from None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output = os.memfd_create("output")
        counts = os.memfd_create("threads")
        os.ftruncate(counts, SHARED.size)
        shared = mmap(counts, SHARED.size, prot=PROT_READ)
        channel = PipeChannel()
        given = channel.answers, channel.requests, output, source, counts
        with ours:
            ours.send(order)
            try:
                order = ORDER.pack(START, b"")
                socket.send_fds(self._control, [order], [theirs.fileno(), *given])
                data, received, _, _ = socket.recv_fds(self._control, ZYGOTE_REPLY.size, 1)
                number, _, _ = self._unpacked(data)
                folder = received[0] if received else -1
            except OSError as error:
                raise ZygoteDiedError(str(error)) from error
            finally:
                theirs.close()
                for fd in {*given} - {output}:
                    os.close(fd)
            message = b""
            with suppress(ConnectionError):  # the process ended before it read its order
                message = ours.recv(MAX_FIRST_MESSAGE)
        if len(message) == CONFINED.size and message.startswith(CONFINED_MARK):
            pid, brought = CONFINED.unpack(message)[1], folder_bytes(folder)
            return BotProcess(pid, number, channel, output, shared, root, folder, brought, self.pid)
        reason = message.decode("utf-8", "replace")
        if number:
            self.end(BotProcess(0, number, channel, output, shared, root, folder, 0, self.pid))
        else:
            channel.close()
            os.close(output)
            shared.close()
        if reason:
            raise CannotConfineError(f"{NOT_CONFINED}: {reason}")
        return None

    def end(self, process: StartedBot) -> tuple[int, int]:
        """Kill and reap a bot's process."""
        assert isinstance(process, BotProcess)
        process.channel.close()
        os.close(process.output)
        if process.folder >= 0:
            os.close(process.folder)
        process.shared.close()
        try:
            name = os.path.basename(process.root).encode()
            self._control.send(ORDER.pack(process.number, name))
        except OSError as error:
            raise ZygoteDiedError(str(error)) from error
        _, status, peak = self._reply()
        return os.waitstatus_to_exitcode(status), peak << 10

    def close(self) -> None:
        for other in self._others.values():
            other.close()
        self._control.close()
        self._wait()
        shutil.rmtree(self._scratch, ignore_errors=True)  # a killed zygote leaves the folder
        os.close(self._lock)

    def _wait(self) -> int:
        try:
            return self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _reply(self) -> tuple[int, int, int]:
        try:
            data = self._control.recv(ZYGOTE_REPLY.size)
        except OSError as error:
            self._process.kill()
            raise ZygoteDiedError(str(error)) from error
        return self._unpacked(data)

    def _unpacked(self, data: bytes) -> tuple[int, int, int]:
        if len(data) != ZYGOTE_REPLY.size:
            raise ZygoteDiedError(f"exit status {self._wait()}")
        pid, status, peak = ZYGOTE_REPLY.unpack(data)
        return pid, status, peak


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a temporary folder. If this process is killed, a later one removes it."""
    remove_dead_scratches()
    folder = tempfile.mkdtemp(prefix=SCRATCHES)
    lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_dead_scratches() -> None:
    """Remove folders of zygotes that were killed together with their lanes.

    A zygote and its lane hold a lock on their folder until both have ended.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCHES}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                about = os.fstat(lock)
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_new = not os.listdir(lock) and time() - about.st_ctime < LOCKING_SECONDS
                if about.st_uid == os.geteuid() and not is_new:
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


# Matches an import of numba, or of the course module that calls numba.
NUMBA = re.compile(
    rb"(?:^|[:;])[ \t]*(?:from|import)[ \t][^#\n]{0,200}\b(?:compiled_by_)?numba\b", re.MULTILINE
)

# Matches in sources that configure numba before they import it.
SETTING = re.compile(rb"NUMBA_|numba_config")


def preload_for(bot: Bot) -> Loaded:
    """Return what the zygote that forks this bot should have preloaded."""
    point = bot.entry_point
    if point.engine is not None:
        return Loaded.SOLVER if Piece.SOLVER in pieces_of(point.options) else Loaded.ENGINE
    if is_program(point.interface) or bot.problem is not None:
        return Loaded.NUMPY
    return (
        Loaded.NUMBA if _uses_numba(bot.root, bot.content_hash, point.interface) else Loaded.NUMPY
    )


@cache
def _uses_numba(root: str, content_hash: str, interface: str) -> bool:
    """Return True if a bot with these files should start with numba imported.

    Searches the sources for words, because only a confined process may parse them.
    """
    own = dict(_sources(Path(root)))
    names = {part for path in own for part in path.relative_to(root).with_suffix("").parts}
    if any(map(SETTING.search, own.values())) or any(map(_is_installed, names)):
        return False
    return any(map(NUMBA.search, (*own.values(), *_course_sources(interface, names))))


def _course_sources(interface: str, own: Collection[str]) -> Iterator[bytes]:
    """Yield the sources of course modules, except those that the bot has itself."""
    if (folder := course_folder(interface)) is not None:
        for path, text in _sources(folder):
            if path.stem not in own and path != course_compiler(interface):
                yield text


def _sources(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for top, _, names in os.walk(folder):
        for path in (Path(top, name) for name in names if name.endswith(".py")):
            if path.is_file():
                with suppress(PermissionError), open(path, "rb", opener=open_noatime) as file:
                    yield path, file.read()


def _is_installed(name: str) -> bool:
    return name in sys.stdlib_module_names or PathFinder.find_spec(name) is not None
