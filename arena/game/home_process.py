"""Bots' processes in home mode: ordinary ones, not confined, on any system.

A bot gets a copy of its files in a temporary folder and speaks the protocol
over a loopback socket. Its clock is wall time, and the processor time of its process if that is
more. psutil finds what a bot has started, and ends it.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic, perf_counter_ns, sleep

import psutil

from arena.common.errors import DEBUG, CannotConfineError, StartError, ZygoteDiedError
from arena.common.files import remove_tree
from arena.common.home import HOME
from arena.common.system import windows_flags
from arena.engine.machine_code import compile_engine, pieces_of
from arena.game.limits import SECOND
from arena.game.record import Bot
from arena.game.starter import StartedBot, TurnClock
from arena.host.bot_folder import UNTOUCHED
from arena.host.home import HomeOrder
from arena.host.protocol import ALONE, BotSpec
from arena.host.stream import MessageStream

FOLDERS = f"arena-home-{platform.node()}-"  # Prefix of the names of starters' folders.
MARK = "ARENA_BOT"  # Environment variable that marks a bot's processes.
START_SECONDS = 60.0  # Longest wait for a process to connect.
LOOK_SECONDS = 0.1  # Between two looks at a starting process.
LAST_SECONDS = 1.0  # Longest wait for a process that has closed its channel.
GREETING_BYTES = 64  # More than a token and a pid.
END_SECONDS = 5.0  # Longest wait for killed processes to end.
STACK_SECONDS, STACK_LOOKS = 0.01, 50  # Interval and number of looks for a bot's stack.
NEVER_NS = 1 << 62
CLOSED = "all bots are being ended"
STALE_NS = 10_000_000  # Age from which the clock must be refreshed before a turn.
FRESH_NS = 1_000_000  # A younger reading is not repeated.
PONDERING_NS = 50_000_000  # Systems count processor time in ticks of up to 16 ms.

# Exit codes of crashed processes on Windows, see NTSTATUS, and the signals of such crashes.
WINDOWS_CRASHES = {
    0xC0000005: signal.SIGSEGV,
    0xC00000FD: signal.SIGSEGV,  # the stack overflowed
    0xC000001D: signal.SIGILL,
    0xC0000094: signal.SIGFPE,
    0xC0000409: signal.SIGABRT,
}


class HomeClock:
    """Wall time from a request to its answer, or processor time if that is more."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.ponders = self.stops = False
        self.look_ns = NEVER_NS
        self.peak = 0  # the most memory seen, in bytes
        self._seen = self._used()
        self._read_at = perf_counter_ns()
        self.stale_at = self._read_at + STALE_NS

    def refresh(self) -> int:
        if self._used() - self._seen > PONDERING_NS:
            self.ponders = True
        now = perf_counter_ns()
        self.stale_at = now + STALE_NS
        return now

    def referee_wait(self) -> int:
        return 0

    def charged(self, asked_at: int, referee_wait: int) -> int:
        self.stale_at = 0
        return max(perf_counter_ns() - asked_at, self._used() - self._seen)

    def charge(self, asked_at: int) -> int:
        now = perf_counter_ns()
        charged = now - asked_at
        if now - self._read_at >= FRESH_NS:
            used = self._used()
            # processor time is counted in ticks, so a part of it may be another turn's
            if used - self._seen > max(PONDERING_NS, charged):
                charged = used - self._seen
            self._seen, self._read_at = used, now
        return charged

    def has_threads(self) -> bool:
        return False  # the threads of an ordinary process are not stopped

    def memory(self) -> int:
        with suppress(psutil.Error):
            used = int(self._process.memory_info().rss)
            self.peak = max(self.peak, used)
            return used
        return 0

    def exceeds(self, most: int) -> bool:
        return self.memory() > most

    def close(self) -> None:
        return

    def _used(self) -> int:
        with suppress(psutil.Error):
            times = self._process.cpu_times()
            return round((times.user + times.system) * SECOND)
        return self._seen


class NeverStopped:
    """The suspension of a bot that is not stopped outside its turn."""

    on = False

    def begin(self) -> None:
        return

    def rest(self) -> bool:
        return True

    def broken(self) -> bool:
        return False

    def end(self) -> None:
        return


class HomeProcess:
    def __init__(
        self,
        process: subprocess.Popen[bytes],
        root: str,
        channel: MessageStream,
        pid: int,
        brought: int,
    ) -> None:
        """`pid` is not that of `process` if this is a launcher, as in a venv on Windows."""
        self.root, self.brought, self.channel = root, brought, channel
        self.shared = bytes([ALONE])
        self.kills_itself = True
        self.process = process
        self.clock = HomeClock(psutil.Process(pid))

    def new_clock(self, *, is_program: bool) -> HomeClock:
        return self.clock

    def new_suspension(self, clock: TurnClock) -> NeverStopped:
        return NeverStopped()

    def wait_at_most(self, nanoseconds: int) -> None:
        self.channel.wait_at_most(nanoseconds / SECOND)

    def receive_now(self, buffer: bytearray) -> int:
        return self.channel.receive_now(buffer)

    def held(self) -> int:
        paths = (Path(top, name) for top, _, names in os.walk(self.root) for name in names)
        return sum(_size(path) for path in paths) + _size(Path(f"{self.root}.output"))

    def printed(self, most: int) -> bytes:
        with suppress(OSError), open(f"{self.root}.output", "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            return file.read(most)
        return b""

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def has_ended(self) -> bool:
        """Return True if the process has ended; wait LAST_SECONDS for one that is ending."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(LAST_SECONDS)
        return self.process.poll() is not None

    def stack(self) -> bytes:
        """Return the stack that the process wrote when its time was over."""
        path = Path(f"{self.root}.stack")
        for _ in range(STACK_LOOKS):
            with suppress(OSError):
                if text := path.read_bytes():
                    sleep(STACK_SECONDS)  # it may still be writing
                    return path.read_bytes().rpartition(b"\nThread ")[2] or text
            sleep(STACK_SECONDS)
        return b""


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_size
    return 0


class HomeStarter:
    """Starts ordinary processes. Threads may share it."""

    def __init__(self) -> None:
        _remove_dead_folders()
        owner = psutil.Process()
        self._folder = tempfile.mkdtemp(prefix=f"{FOLDERS}{owner.pid}-{owner.create_time():.0f}-")
        self._live: dict[str, HomeProcess] = {}
        self._is_closed = False

    @property
    def pid(self) -> int:
        return os.getpid()

    def for_bot(self, bot: Bot) -> HomeStarter:
        if bot.entry_point.engine is not None:
            for _ in compile_engine(pieces_of(bot.entry_point.options)):
                pass  # another process may be compiling: wait for it
        return self

    def start(self, spec: BotSpec) -> HomeProcess:
        """Copy the bot's files and start its process.

        Raises CannotConfineError if a file cannot be copied, StartError, ZygoteDiedError.
        """
        if self._is_closed:
            raise ZygoteDiedError(CLOSED)
        root = os.path.join(self._folder, secrets.token_hex(8))
        try:
            brought = list(_copied(spec.root, root))
        except OSError as error:
            raise CannotConfineError(f"the bot's files cannot be copied: {error}") from None
        with socket.create_server(("127.0.0.1", 0)) as listener:
            order = HomeOrder(
                spec=replace(spec, root=root).to_json(),
                brought=brought,
                port=listener.getsockname()[1],
                token=secrets.token_hex(16),
                stack=f"{root}.stack",
            )
            process = self._started(root, order)
            try:
                channel, pid = _connected(listener, process, order.token)
            except BaseException:
                _end_all(process, root)
                raise
        files = (path for name in brought if (path := Path(root, name)).is_file())
        size = sum(map(_size, files))
        started = self._live[root] = HomeProcess(process, root, channel, pid, size)
        return started

    def _started(self, root: str, order: HomeOrder) -> subprocess.Popen[bytes]:
        with open(f"{root}.output", "w+b") as output:
            try:
                process = subprocess.Popen(
                    [sys.executable, "-s", "-P", "-m", "arena.host.home"],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=None if DEBUG in os.environ else output,
                    cwd=self._folder,
                    start_new_session=True,
                    creationflags=windows_flags(),
                    env=os.environ
                    | {
                        "PYTHONPATH": str(Path(__file__).parents[2]),
                        "PYTHONHASHSEED": "0",
                        "PYTHONDONTWRITEBYTECODE": "1",
                        "PYTHONUTF8": "1",
                        "OPENBLAS_NUM_THREADS": "1",
                        "OMP_NUM_THREADS": "1",
                        HOME: "1",
                        MARK: root,
                    },
                )
            except OSError as error:
                raise StartError(f"a bot's process could not be started: {error}") from None
        assert process.stdin is not None
        with suppress(OSError):  # if the process has ended, nobody connects
            process.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
            process.stdin.flush()
        return process

    def end(self, process: StartedBot) -> tuple[int, int]:
        assert isinstance(process, HomeProcess)
        process.channel.close()
        if self._is_closed:  # it did not end by itself
            raise ZygoteDiedError(CLOSED)
        _end_all(process.process, process.root)
        self._live.pop(process.root, None)
        remove_tree(process.root)
        for kind in ("output", "stack"):
            with suppress(OSError):  # Windows does not remove what a process has open
                Path(f"{process.root}.{kind}").unlink()
        code = process.process.returncode
        status = -WINDOWS_CRASHES[code] if code in WINDOWS_CRASHES else code
        return status, process.clock.peak

    def close(self) -> None:
        """End all bots. Threads that still play get ZygoteDiedError for their next bot."""
        self._is_closed = True
        for process in list(self._live.values()):
            _end_all(process.process, process.root)
        remove_tree(self._folder)


def _connected(
    listener: socket.socket, process: subprocess.Popen[bytes], token: str
) -> tuple[MessageStream, int]:
    """Wait until the bot's process is ready; return its channel and pid. Raises StartError."""
    listener.settimeout(LOOK_SECONDS)
    until = monotonic() + START_SECONDS
    greeting = bytearray(GREETING_BYTES)
    while monotonic() < until and process.poll() is None:
        with suppress(OSError):  # nobody has connected yet, or a process without the token
            connection, _ = listener.accept()
            connection.settimeout(START_SECONDS)
            channel = MessageStream(connection)
            size = channel.recv_into(greeting)
            its_token, _, pid = greeting[:size].decode("ascii", "replace").partition(" ")
            if its_token == token:
                return channel, int(pid)
            channel.close()
    raise StartError("a bot's process ended, or hung, before it was ready")


def _end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill a process and all that it started, and reap it."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    until = monotonic() + END_SECONDS
    while found := list(_processes_of(process, mark)):
        for each in found:
            with suppress(psutil.Error):
                each.kill()
        psutil.wait_procs(found, timeout=LOOK_SECONDS)
        if monotonic() > until:
            return
    process.wait()


def _processes_of(process: subprocess.Popen[bytes], mark: str) -> Iterator[psutil.Process]:
    """Yield the living processes of a bot: by descent, and by the mark that they inherit."""
    if process.poll() is None:
        with suppress(psutil.Error):
            known = psutil.Process(process.pid)
            yield from known.children(recursive=True)
            yield known
    yield from _marked(mark)


def _marked(beginning: str) -> Iterator[psutil.Process]:
    """Yield the living processes whose mark begins with `beginning`."""
    for each in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            marked = each.environ().get(MARK, "").startswith(beginning)
            if marked and each.status() != psutil.STATUS_ZOMBIE:
                yield each


def _copied(source: str, root: str) -> Iterator[str]:
    """Copy a folder's regular files; yield the paths of files and folders in it. Raises OSError."""

    def fail(error: OSError) -> None:
        raise error

    for top, _, names in os.walk(source, topdown=False, onerror=fail):
        folder = os.path.normpath(os.path.join(root, os.path.relpath(top, source)))
        os.makedirs(folder, exist_ok=True)
        for name in names:
            original, copy = os.path.join(top, name), os.path.join(folder, name)
            if os.path.isfile(original) and not os.path.islink(original):
                shutil.copyfile(original, copy)
                os.utime(copy, ns=(UNTOUCHED, UNTOUCHED))
                yield os.path.relpath(copy, root)
        os.utime(folder, ns=(UNTOUCHED, UNTOUCHED))
        if top != source:
            yield os.path.relpath(folder, root)


def _remove_dead_folders() -> None:
    """Remove folders of killed starters, and end processes that their bots left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        pid, _, rest = folder.name.removeprefix(FOLDERS).partition("-")
        with suppress(psutil.Error, ValueError):
            if f"{psutil.Process(int(pid)).create_time():.0f}" == rest.partition("-")[0]:
                continue  # its process still runs
        for each in _marked(f"{folder}{os.sep}"):
            with suppress(psutil.Error):
                each.kill()
        remove_tree(str(folder))
