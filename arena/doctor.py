"""Probes of this machine's sandbox and clocks, with real bots."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import clock_gettime_ns, perf_counter_ns, sleep

from arena.game.bot_process import BotProcess, Zygote
from arena.game.clock import BotClock
from arena.game.limits import Limits
from arena.host.bot_folder import BYTES, FILES
from arena.host.protocol import BotSpec, GameRequest
from arena.host.sandbox import namespaces
from arena.host.sandbox.confining import Layers, layers
from arena.host.sandbox.kernel import TRACE_SIGNAL
from arena.host.sandbox.landlock import NET_ABI, SCOPE_ABI
from arena.host.sandbox.scratch import RESERVE
from arena.interfaces import EntryPoint
from arena.machine.capacity import room_in_memory, room_in_quota, room_in_tasks
from arena.machine.proc import cpu_clock
from arena.rules import Ruleset

WATCHED_SECONDS = 0.1  # Seconds for which two bots compete for a core.
MISSING = "missing"
NAMES_A_FOLDER = ("private folders", "temporary files")  # Probes whose `found` names a folder.

# Attempts of a bot, by name; it prints the names of those that succeed.
ATTEMPTS = {
    "reads": "open({secret!r})",
    "lists": "os.listdir(os.path.dirname({secret!r}))",
    "writes": "open({secret!r}, 'a')",
    "network": "socket.socket()",
    "processes": "os.fork() or os._exit(0)",
    "programs": "os.execv('/bin/true', ['true'])",
    "signals": "os.kill(os.getppid(), 0)",
    "limits": "resource.prlimit(os.getppid(), resource.RLIMIT_CPU)",
    "modes": "os.chmod('made', 0o777); 1 / (os.stat('made').st_mode & 1)",
    "memory": "bytearray(600 << 20)",
}

TRIES = """
import os, resource, socket
print("uid", os.getuid())
with open("/proc/self/status") as status:
    if any(line.startswith("CapEff") and int(line.split()[1], 16) for line in status):
        print("looks")
try:
    open("made", "w").close()
    print("scratch")
    for n in range({files}):
        open(str(n), "w").close()
    print("filling")
except OSError:
    pass
for name, attempt in {attempts!r}.items():
    try:
        exec(attempt)
        print(name)
    except (OSError, MemoryError, ZeroDivisionError):
        pass
"""

SPINS = "while True:\n    pass\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    probe: str
    ok: bool
    found: str

    without: str
    """The effect on a contest if it is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    probe: str

    is_there: Callable[[Layers, Sequence[str]], bool]
    """Returns True if the layer is there; takes the machine's layers and the lines that a bot
    printed."""

    found: str
    keeps_from: tuple[str, ...] = ()
    """Names of the ATTEMPTS that the layer stops."""

    without: str
    """The effect on a contest if it is missing."""


USER_IDS = Layer(
    probe="user ids",
    is_there=lambda there, printed: there.uids is not None,
    found="a bot ran as {uid}",
    without="bots run as you, and the other layers alone keep them from your processes and files; "
    "that is enough, only root can have more",
)

LAYERS = (
    Layer(
        probe="resource limits",
        is_there=lambda there, printed: True,
        found="memory, threads, files and their sizes are bounded",
        keeps_from=("memory",),
        without="a bot can take all memory",
    ),
    USER_IDS,
    Layer(
        probe="Landlock",
        is_there=lambda there, printed: there.landlock > 0,
        found="version {landlock}",
        keeps_from=("reads", "lists", "writes"),
        without="bots can READ every file you can read; writes, network and processes are still "
        "blocked, and no bot can write any file",
    ),
    Layer(
        probe="Landlock, network",
        is_there=lambda there, printed: there.landlock >= NET_ABI,
        found="refuses TCP, as seccomp does",
        without="seccomp alone keeps bots from the network",
    ),
    Layer(
        probe="Landlock, signals",
        is_there=lambda there, printed: there.landlock >= SCOPE_ABI,
        found="refuses signals to others, as seccomp does",
        without="seccomp alone keeps bots from signalling; programs cannot signal their own "
        "children",
    ),
    Layer(
        probe="seccomp",
        is_there=lambda there, printed: there.seccomp,
        found="system calls are filtered",
        keeps_from=("network", "processes", "programs", "signals", "limits", "modes"),
        without="a bot can start programs, use the network, and as your own user signal your "
        "processes and change the modes of your files",
    ),
    Layer(
        probe="namespaces",
        is_there=lambda there, printed: there.namespaces,
        found="a lane's bots see no other process and no network",
        without="only the layers above protect; a program's children still end with it",
    ),
    Layer(
        probe="scratch",
        is_there=lambda there, printed: "scratch" in printed,
        found=f"a folder for each bot, with {FILES} files at most",
        keeps_from=("filling",),
        without="a bot cannot write a file, not even a log, or can fill the disk",
    ),
)


def examine() -> list[Probe]:
    """Probe all layers and clocks, within a second.

    Raises CannotConfineError if no bot starts.
    """
    cores = len(os.sched_getaffinity(0))
    with _on_a_core() as zygote, tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
        secret = Path(folder) / "secret"
        secret.touch(0o666)
        there = layers()
        printed = _tries(zygote, Path(folder), str(secret))
        return [
            *_layers(there, printed),
            *_clocks(zygote, Path(folder)),
            *_rooms(cores),
            _temporary_folder(),
            Probe(
                probe="cores",
                ok=True,
                found=f"{cores}, each for one game at a time",
                without="",
            ),
        ]


@contextmanager
def _on_a_core() -> Iterator[Zygote]:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    zygote = Zygote()
    try:
        yield zygote
    finally:
        zygote.close()
        os.sched_setaffinity(0, cores)


def _rooms(cores: int) -> Iterator[Probe]:
    for probe, (room, plan), cure in (
        ("memory", room_in_memory(Limits().memory_mb), "[limits] memory_mb can be lowered"),
        (
            "threads",
            room_in_tasks(),
            "`ulimit -u` or the container's limit of processes can be raised",
        ),
        ("processor time", room_in_quota(), "the container's limit (--cpus) can be raised"),
    ):
        yield Probe(
            probe=probe,
            ok=room >= cores,
            found=f"{plan}: {min(room, cores)} of {cores} cores can be used",
            without=f"fewer games are played at a time; {cure}",
        )


def _temporary_folder() -> Probe:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    return Probe(
        probe="temporary files",
        ok=free > RESERVE + BYTES,
        found=f"{free >> 20:,} MB are free in {folder}",
        without=f"bots without namespaces can write only while {RESERVE >> 20} MB are free: name "
        "another folder in TMPDIR, or give a container a larger one (--tmpfs /tmp:size=1g)",
    )


def _layers(there: Layers, printed: list[str]) -> Iterator[Probe]:
    uid = next((line for line in printed if line.startswith("uid ")), "no user")
    facts = {"uid": uid, "landlock": there.landlock}
    for layer in LAYERS:
        through = [name for name in layer.keeps_from if name in printed]
        found = layer.found.format(**facts)
        if through:
            found += f", but a bot got through: {', '.join(through)}"
        is_there = layer.is_there(there, printed)
        yield Probe(
            probe=layer.probe,
            ok=is_there and not through,
            found=found if is_there else MISSING,
            without=layer.without,
        )
        if layer is USER_IDS and is_there:
            yield _private_folders("looks" in printed)


def _private_folders(bots_look: bool) -> Probe:
    found = "bots can look into none"
    if bots_look:
        folder = namespaces.private_folder(namespaces.needed())
        found = f"{folder} is on the way to Arena's Python"
    return Probe(
        probe="private folders",
        ok=not bots_look,
        found=found,
        without="bots may look past the modes of folders: which files there are, their sizes "
        "and dates, but not into files; install Python and Arena where all users can read them",
    )


def _clocks(zygote: Zygote, folder: Path) -> Iterator[Probe]:
    one, other = (_start(zygote, folder, name, SPINS) for name in ("one", "other"))
    clock = BotClock(one.pid, zygote.pid, one.shared)
    began, used = clock.refresh(), _cpu_ns(one)
    sleep(WATCHED_SECONDS)
    wall, charged = perf_counter_ns() - began, clock.charge(began)
    used = _cpu_ns(one) - used
    clock.close()
    yield Probe(
        probe="processor clock",
        ok=0 < used <= wall,
        found=f"two bots shared a core: one used {used / 1e6:.0f} of {wall / 1e6:.0f} ms",
        without="thinking in the opponent's time is not charged",
    )
    yield Probe(
        probe="waiting for a core",
        ok=charged < 0.9 * wall,
        found=f"of {wall / 1e6:.0f} ms it is not charged {(wall - charged) / 1e6:.0f}, it waited",
        without="on a busy machine bots lose time by waiting: leave it to the contest alone",
    )
    os.kill(one.pid, signal.SIGSTOP)
    frozen = _cpu_ns(one)
    sleep(WATCHED_SECONDS / 4)
    yield Probe(
        probe="freezing",
        ok=_cpu_ns(one) - frozen < 1_000_000,
        found="a bot that is stopped uses no time",
        without="a bot that thinks in its opponent's time slows the contest",
    )
    os.kill(one.pid, signal.SIGCONT)
    os.kill(one.pid, TRACE_SIGNAL)
    sleep(WATCHED_SECONDS)
    yield Probe(
        probe="asking where a bot is",
        ok=b"line" in os.pread(one.output, 4096, 0),
        found="a bot that hangs shows its line",
        without="a time-out is reported without the line",
    )
    zygote.end(one)
    zygote.end(other)


def _tries(zygote: Zygote, folder: Path, secret: str) -> list[str]:
    attempts = {name: attempt.format(secret=secret) for name, attempt in ATTEMPTS.items()}
    process = _start(zygote, folder, "tries", TRIES.format(attempts=attempts, files=FILES))
    process.channel.recv_into(bytearray(4096))  # wait until the bot is loaded
    printed = os.pread(process.output, 4096, 0).decode().splitlines()
    zygote.end(process)
    return printed


def _start(zygote: Zygote, folder: Path, name: str, source: str) -> BotProcess:
    home = folder / name
    home.mkdir()
    (home / "bot.py").write_text(source)
    process = zygote.start(
        BotSpec(
            root=str(home),
            entry_point=EntryPoint(file="bot.py", interface="pick_move", name="pick_move"),
            memory_mb=Limits().memory_mb,
        )
    )
    request = GameRequest(player=0, rules=Ruleset(), nodes=None, seed=1)
    process.channel.send(request.pack(bytes(8)))
    return process


def _cpu_ns(process: BotProcess) -> int:
    return clock_gettime_ns(cpu_clock(process.pid))
