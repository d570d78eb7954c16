"""The layers of the sandbox, from inside real bots' processes."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from resource import getpagesize
from textwrap import dedent, indent

import pytest

from arena.common.errors import CannotConfineError
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import BotProcess, Zygote
from arena.game.limits import Limits
from arena.game.player import Fault
from arena.game.record import Bot
from arena.game.verdict import Verdict
from arena.host.bot_folder import FILES, TASKS
from arena.host.protocol import BotSpec, GameRequest
from arena.host.sandbox import confining, landlock, seccomp
from arena.host.sandbox.kernel import works
from arena.interfaces import Profile
from arena.interfaces.contract import COURSES
from arena.rules import Ruleset
from support.bots import MakeBot, MakePlayer, first_fault, first_move, group, printed
from support.deprived import MOUNT, UNSHARE, deprive_zygotes
from support.served import wait_for

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def test_a_layer_is_not_missing_because_its_trial_was_killed(tmp_path: Path) -> None:
    killed = tmp_path / "killed"

    def killed_once() -> None:
        if not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    assert works(killed_once)
    with pytest.raises(OSError, match="killed each time"):
        works(lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert not works(lambda: os.kill(os.getpid(), signal.SIGTERM))


@pytest.mark.parametrize("machine", HEADERS)
def test_calls_have_the_numbers_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("needs the package linux-libc-dev")
    define = re.compile(r"#define __NR(?:3264)?_(\w+) (\d+)")
    known = dict(define.findall(HEADERS[machine].read_text()))
    known = {("newfstatat" if name == "fstatat" else name): n for name, n in known.items()}
    column = list(HEADERS).index(machine)
    rows = [row.split() for row in re.split(r"[,\n]", re.sub("#.*", "", seccomp._TABLE)) if row]
    assert len([row for row in rows if row]) > 150
    for name, *numbers in filter(None, rows):
        if numbers[column] != "-":
            assert known[name] == numbers[column], name


def test_this_machine_has_every_layer_that_the_tests_are_about() -> None:
    layers = confining.layers()
    assert layers.landlock >= landlock.SCOPE_ABI
    assert layers.seccomp
    assert layers.enough
    assert (layers.uids is not None) == (os.geteuid() == 0)


def say(make_player: MakePlayer, source: str, games: int = 1) -> list[str]:
    """The output of a bot with this body of `pick_move` in its last game."""
    body = indent(source.strip(), "    ")
    player = make_player(f"import errno, os, sys\ndef pick_move(rack):\n{body}\n    1 // 0\n")
    return [printed(player) for _ in range(games)][-1]


CLONE = seccomp.numbers()["clone"]
REFUSED = {
    "starts a program": "os.execv('/bin/true', ['true'])",
    "forks": "os.fork()",
    "runs a command": "subprocess.run(['true'])",
    "opens a socket": "socket.socket()",
    "opens a datagram pair": "socket.socketpair(type=socket.SOCK_DGRAM)",
    "signals the zygote": "os.kill(os.getppid(), 0)",
    "signals everybody": "os.kill(-1, 0)",
    "has itself killed": "try: r.setrlimit(r.RLIMIT_CPU, (1, 1))\n"
    "except ValueError as e: raise OSError from e",
    "limits the zygote": "r.prlimit(os.getppid(), r.RLIMIT_CPU)",
    "reads the password file": "open('/etc/passwd')",
    "lists the folder of all bots": "os.listdir(os.path.dirname(os.path.dirname(__file__)))",
    "changes what courses give": f"open({str(COURSES / 'make_move' / 'board.py')!r}, 'a')",
    "writes beside its folder": "open(os.path.join(os.getcwd(), '../x'), 'w')",
    "sees the machine's sockets": "open('/proc/self/net/unix')",
    "sees them as a thread": "open('/proc/thread-self/net/unix')",
    "reads a command line": "open(f'/proc/{os.getppid()}/cmdline')",
    "reads an environment": "open('/proc/self/environ')",
    "sees what is mounted": "open('/proc/self/mountinfo')",
    "writes to the machine's scratch": "open('/tmp/arena-x', 'w')",
    "sends a descriptor": "socket.send_fds(socket.socketpair()[0], [b'x'], [0])",
    "owns descriptors apart": "call(libc.close_range(90, 99, 2))",
    "locks a folder against its keeper": "os.mkdir('x', 0)",
    "makes a device": "os.mknod('x', 0o20600, os.makedev(1, 3))",
    "makes a named pipe": "os.mkfifo('x')",
    "makes a hard link": "os.link(__file__, 'x')",
    "moves to another core": "os.sched_setaffinity(0, {0})",
    "outlives its parent": "call(libc.prctl(1, 0, 0, 0, 0))",
    "continues itself": "os.kill(os.getpid(), 18)",
    "continues itself by a thread": "call(libc.tgkill(os.getpid(), threading.get_native_id(), 18))",
    "kills itself": "os.kill(os.getpid(), 9)",
    "queues a signal": "os.kill(os.getpid(), 35)",
    "waits for a thread in the kernel": f"call(libc.syscall({CLONE}, 0x54f00, 0, 0, 0, 0) < 0)",
    "has a timer continue it": "event, timer = (ctypes.c_int * 16)(0, 0, 18), ctypes.c_void_p()\n"
    "call(libc.timer_create(1, event, ctypes.byref(timer)))",
    "maps shared memory": "mmap.mmap(-1, 4096)",
    "asks who holds a lock on a file": "fcntl.fcntl("
    "open(os.__file__), 5, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))",
    "asks whether a file is in memory": "file = open(os.__file__); file.read()\n"
    "os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)",
    "asks which pages are in memory": "call(libc.mincore(None, 0, None))",
}
TRIES = """
import ctypes, fcntl, mmap, resource as r, socket, struct, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(failed):
    if failed: raise OSError(ctypes.get_errno(), "")
"""


def refusals(make_player: MakePlayer) -> list[str]:
    """Return the names of the attempts in `REFUSED` that are refused, up to the first other."""
    tries = (
        f"try:\n{indent(body, '    ')}\nexcept OSError: print({what!r})\n"
        f"else: raise AssertionError({what!r})\n"
        for what, body in REFUSED.items()
    )
    return say(make_player, TRIES + "".join(tries))


def test_a_bot_is_refused_with_plain_errors(make_player: MakePlayer) -> None:
    assert refusals(make_player) == list(REFUSED)


def test_a_call_from_another_convention_kills(make_player: MakePlayer) -> None:
    # mov eax, 20 (getpid); int 0x80; ret
    source = """
    import ctypes, mmap
    def pick_move(rack):
        code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
        code.write(bytes.fromhex("b814000000cd80c3"))
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
        return 0
    """
    player = make_player(source)
    fault = first_fault(player)
    assert "SIGSYS" in fault.reason


def test_calls_that_are_too_new_are_not_there(make_player: MakePlayer) -> None:
    said = say(
        make_player,
        "import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n"
        "print(l.syscall(9999), ctypes.get_errno() == errno.ENOSYS)",
    )
    assert said == ["-1 True"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots user ids")
def test_every_process_has_a_user_of_its_own(make_player: MakePlayer) -> None:
    one, two = (int(say(make_player, "print(os.getuid())")[0]) for _ in range(2))
    assert one != two
    assert min(one, two) > 60_000


def test_its_own_files_are_where_it_looks_for_them(make_player: MakePlayer) -> None:
    player = make_player("def pick_move(rack):\n    return int(open('column.txt').read())")
    (Path(player._bot.root) / "column.txt").write_text("4")
    assert first_move(player)[0] == 4


WRITES = """
import tempfile
print(os.listdir())
with open("log.txt", "a") as log: log.write("hello")
with tempfile.NamedTemporaryFile() as f: f.write(b"x")
os.makedirs("a/b"); os.rename("log.txt", "a/b/log.txt")
print(os.path.samefile(tempfile.gettempdir(), "."), open("a/b/log.txt").read())
"""


def test_it_can_write_to_its_scratch_which_is_empty_in_every_process(
    make_player: MakePlayer,
) -> None:
    assert say(make_player, WRITES, games=2) == ["['bot.py']", "True hello"]


def test_copying_a_file_does_not_fail_for_its_mode(make_player: MakePlayer) -> None:
    body = """
    import shutil
    shutil.copy(__file__, "copy.py"); shutil.copy2(__file__, "copy2.py"); os.chmod("copy.py", 0o777)
    print(os.stat("copy.py").st_mode & 0o111)
    """
    assert say(make_player, dedent(body)) == ["0"]


TAKES_MEMORY = """
import ctypes, signal, time
libc, size = ctypes.CDLL(None), 100 << 20
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
def take(*_):
    for _ in range(9):
        at = ctypes.c_void_p(libc.mmap(None, size, 3, 0x22, -1, 0))
        ctypes.memset(at, 1, size)
        libc.mprotect(at, ctypes.c_size_t(size), 1)
signal.signal(signal.SIGALRM, take)
def pick_move(rack):
    {when}
    return [column[-1] for column in rack].index(0)
"""


def test_memory_that_is_made_read_only_counts(make_player: MakePlayer) -> None:
    source = TAKES_MEMORY.format(when="take(); time.sleep(1)")
    fault = first_fault(make_player(source, Limits(memory_mb=256)))
    assert fault.verdict is Verdict.MEMORY
    # where it was is missing if the bot could not be asked in time
    assert re.match(r"needed more than 256 MB of memory($| \(bot\.py, line )", fault.reason)


@pytest.mark.slow
def test_memory_taken_off_turn_counts_too(make_player: MakePlayer) -> None:
    source = TAKES_MEMORY.format(when="signal.setitimer(signal.ITIMER_REAL, 0.1)")
    player = make_player(source, Limits(memory_mb=256))
    first_move(player)
    assert player._process is not None
    statm = Path(f"/proc/{player._process.pid}/statm")
    wait_for(lambda: int(statm.read_text().split()[1]) * getpagesize() > 256 << 20)
    fault = player.ask(6)
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.MEMORY


FILLS = """
try:
    for n in range(100_000):
        {fill}
except OSError as error:
    print(n, errno.errorcode[error.errno])
"""

FILLED = (
    ("open(f'{n}', 'w').close()", FILES),
    ("os.symlink('x', f'{n}')", FILES),
    ("os.mkdir('d' * 200); os.chdir('d' * 200)", FILES),
    ("open(f'{n}', 'wb').write(bytes(8 << 20))", 8),
)


@pytest.mark.parametrize(("fill", "most"), FILLED)
def test_its_scratch_is_bounded(fill: str, most: int, make_player: MakePlayer) -> None:
    assert say(make_player, FILLS.format(fill=fill)) == [f"{most} ENOSPC"]


THREADS = """
import threading
threading.stack_size(1 << 16)
for n in range(2):
    try:
        while True: threading.Thread(target=threading.Event().wait, daemon=True).start()
    except RuntimeError:
        print(threading.active_count())
"""


def test_without_namespaces_its_threads_are_counted_and_its_own(supervised: MakePlayer) -> None:
    for _ in range(2):  # the first has all its threads when the second starts its own
        assert say(supervised, THREADS) == [str(TASKS)] * 2


def test_a_bot_whose_files_are_gone_is_the_machines_fault_and_the_zygote_lives(
    zygote: Zygote, make_bot: MakeBot
) -> None:
    bot = make_bot()
    gone = BotSpec(root=bot.root + "x", entry_point=bot.entry_point)
    with pytest.raises(CannotConfineError, match="No such file"):
        zygote.start(gone)
    zygote.end(zygote.start(spec(bot, Profile.MODULE)))


def test_its_scratch_is_gone_with_it(make_player: MakePlayer) -> None:
    player = make_player("def pick_move(rack):\n    open('x', 'w').close()\n    return 0")
    first_move(player)
    folder = Path(player._starter._scratch)
    before = set(folder.iterdir())
    player.dismiss()
    assert {path.name for path in before - set(folder.iterdir())} == {Path(player._root).name}


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_zygote_leaves_nothing_behind(is_killed: bool, make_bot: MakeBot) -> None:
    zygote = Zygote()
    player = BotPlayer(zygote, make_bot(), Limits())
    first_move(player)
    process = player._process
    if is_killed:
        os.kill(zygote.pid, signal.SIGKILL)
    zygote.close()
    assert not os.path.exists(zygote._scratch)
    assert process is not None and not is_alive(process.pid)


def spec(bot: Bot, profile: Profile) -> BotSpec:
    return BotSpec(root=bot.root, entry_point=bot.entry_point, profile=profile)


def is_alive(pid: int) -> bool:
    """Return True if the process exists for two more seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.02)
    return True


def output_of(zygote: Zygote, process: BotProcess) -> list[str]:
    """The output of a bot while it is loaded."""
    request = GameRequest(player=0, rules=Ruleset(), nodes=None, seed=1)
    process.channel.send(request.pack(bytes(8)))
    process.channel.recv_into(bytearray(4096))
    return os.pread(process.output, 4096, 0).decode().splitlines()


RUNS_PROGRAMS = """
import os, signal, subprocess, sys
print(subprocess.run(["/bin/cat"], input=b"through a program", stdout=-1).stdout.decode())
says = [sys.executable, "-c", "print('python too', end='')"]
print(subprocess.run(says, stdout=-1).stdout.decode())
subprocess.Popen(["/bin/sleep", "60"])
for attempt in ("os.setsid()", "os.setpgid(0, 0)", "open('/etc/passwd')", "os.kill(1, 0)",
                "open('/tmp/x', 'w')", "__import__('socket').socket()"):
    if os.fork() == 0:
        try:
            eval(attempt)
            print("got through:", attempt)
        except OSError:
            pass
        os._exit(0)
    os.wait()
children = 0
try:
    while children < 1000:
        if os.fork() == 0:
            signal.pause()
        children += 1
except OSError:
    print("bounded", children)
def pick_move(rack): return 0
"""


def test_a_bot_that_is_a_program_can_run_programs_and_none_outlives_it(
    zygote: Zygote, make_bot: MakeBot
) -> None:
    process = zygote.start(spec(make_bot(RUNS_PROGRAMS), Profile.PROGRAM))
    said = output_of(zygote, process)
    running = group(process.pid)
    assert said[:3] == ["through a program", "python too", f"bounded {TASKS - 2}"]
    commands = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in running]
    assert b"/bin/sleep\x0060\0" in commands and len(running) > 20
    zygote.end(process)
    assert not any(map(is_alive, running))


@pytest.mark.slow
def test_what_a_program_started_ends_with_its_zygote(make_bot: MakeBot) -> None:
    if not confining.layers().namespaces:
        pytest.skip("needs namespaces")
    zygote = Zygote()
    process = zygote.start(spec(make_bot(RUNS_PROGRAMS), Profile.PROGRAM))
    output_of(zygote, process)
    running = group(process.pid)
    assert len(running) > 20
    os.kill(zygote.pid, signal.SIGKILL)
    zygote.close()
    assert not any(map(is_alive, running))


def test_a_bot_sees_nobody_but_its_lane(make_player: MakePlayer) -> None:
    if not confining.layers().namespaces:
        pytest.skip("needs namespaces")
    assert say(make_player, "print(os.getppid())") == ["1"]


@pytest.fixture(scope="module", params=[UNSHARE, MOUNT], ids=["no unshare", "no mount"])
def supervisor(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    """A zygote without namespaces, or without mounts: it supervises instead."""
    with pytest.MonkeyPatch.context() as patch:
        deprive_zygotes(patch, (request.param,))
        zygote = Zygote()
    yield zygote
    zygote.close()


@pytest.fixture
def supervised(supervisor: Zygote, make_bot: MakeBot) -> Iterator[MakePlayer]:
    """Like `make_player`, without namespaces."""
    players: list[BotPlayer] = []

    def make(source: str, limits: Limits | None = None, **more: object) -> BotPlayer:
        players.append(BotPlayer(supervisor, make_bot(source, **more), limits or Limits()))
        return players[-1]

    yield make
    for player in players:
        player.__exit__(None, None, None)


@pytest.mark.slow
def test_without_namespaces_it_sees_others_but_not_their_files(supervised: MakePlayer) -> None:
    assert say(supervised, "print(os.getppid() > 1)") == ["True"]
    assert say(supervised, WRITES, games=2) == ["['bot.py']", "True hello"]
    assert refusals(supervised) == list(REFUSED)


@pytest.mark.parametrize("supervisor", [UNSHARE], ids=["no unshare"], indirect=True)
@pytest.mark.parametrize(("fill", "most"), [*FILLED, ("open(f'{n}', 'wb').truncate(8 << 20)", 8)])
def test_without_namespaces_its_scratch_is_bounded(
    fill: str, most: int, supervised: MakePlayer
) -> None:
    assert say(supervised, FILLS.format(fill=fill)) == [f"{most} ENOSPC"]


TANGLED = """
import os, threading
far = "d/../" * 815
os.symlink("d", "l0")
for i in range(1, 39): os.symlink(far + f"l{i - 1}", f"l{i}")
for i in range(150): os.symlink(far + "l38", f"x{i}")
os.mkdir("d")
os.symlink("/dev/tty", "s")
def block():
    while True:
        try: os.close(os.open("f", os.O_CREAT | os.O_WRONLY))
        except OSError: pass
threading.Thread(target=block, daemon=True).start()
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
"""
LOGS = """
def pick_move(rack):
    with open("log.txt", "a") as log: log.write("moved")
    return [column[-1] for column in rack].index(0)
"""


@pytest.mark.slow
def test_a_bot_that_keeps_the_supervisor_busy_costs_its_opponent_nothing(
    supervised: MakePlayer,
) -> None:
    hostile = supervised(TANGLED, Limits(move_seconds=5))
    honest = supervised(LOGS, Limits(move_seconds=0.1, first_move_seconds=0))
    rules = Ruleset(rows=64, columns=7)
    assert hostile.sit(0, rules, (), 5) is None
    assert honest.sit(1, rules, (), 5) is None
    for _ in range(20):
        assert not isinstance(hostile.ask(-1), Fault)
        answer = honest.ask(0)
        assert not isinstance(answer, Fault), answer.reason


def test_memory_is_bounded_whatever_it_is_asked_for_by(make_player: MakePlayer) -> None:
    source = "import numpy\ndef pick_move(rack):\n    return numpy.ones(300 << 20, 'u1').sum()"
    player = make_player(source, Limits(memory_mb=256))
    fault = first_fault(player)
    assert fault.reason == "needed more than 256 MB of memory (bot.py, line 3)"


def test_it_reads_its_own_command_line_as_tensorflow_does(make_player: MakePlayer) -> None:
    lines = say(make_player, "print(open('/proc/self/cmdline').read().split(chr(0))[1:5])")
    assert lines == ["['-s', '-P', '-m', 'arena.host.zygote']"]
