"""Bots that are programs: their processes are confined, timed, stopped and ended together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import Fault
from arena.game.verdict import Verdict
from arena.host.sandbox import seccomp
from arena.interfaces.contract import starter
from arena.rules import Ruleset
from support.bots import (
    LAST_FREE,
    MakeBot,
    MakePlayer,
    MakeProgram,
    first_fault,
    first_move,
    group,
    key,
    program,
)
from support.cores import contested
from support.deprived import LANDLOCK, MOUNT, UNSHARE, deprive_zygotes

CLONE = seccomp.numbers()["clone"]
QUICK = Limits(move_seconds=0.5, first_move_seconds=0)
LATE = "took more than 0.5 s for its move"

# Attempts of a program that are refused: it ends with exit status 1.
FAILS = {
    "kills its host": "os.kill(os.getppid(), 9)",
    "kills all it can": "os.kill(-1, 9)",
    "kills its group": "os.kill(0, 9)",
    "leaves its group": "os.setsid()",
    "traces its host": "import ctypes\n"
    "sys.exit(ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == -1)",
    "writes its host's memory": "open(f'/proc/{os.getppid()}/mem', 'r+b')",
    "has its children forgotten, and what they used": "import signal\n"
    "signal.signal(signal.SIGCHLD, signal.SIG_IGN); child = os.fork()\n"
    "if not child: os._exit(5)\n"
    "sys.exit(os.waitpid(child, 0) == (child, 5 << 8))",  # ECHILD if it was forgotten
    "looks for its host's channel": "open(f'/proc/{os.getppid()}/fd/3', 'wb')",
    "has itself continued when a child ends": "import ctypes\n"
    f"sys.exit(ctypes.CDLL(None).syscall({CLONE}, 18, 0, 0, 0, 0) == -1)",
    "holds a descriptor of its host's": "sys.exit(not any(os.path.exists(f'/proc/self/fd/{fd}') "
    "for fd in range(3, 99)))",
}

FILLS_SOCKETS = """
import socket
held = []
for _ in range(8):
    if os.fork() == 0:
        try:
            while True:
                held.append(socket.socketpair())
                for one in held[-1]:
                    one.setblocking(False)
                    try:
                        while True: one.send(bytes(1 << 16))
                    except BlockingIOError: pass
        except OSError:
            break
"""
TAKES_MEMORY = """
for _ in range(6): os.fork() or (bytearray(b'x') * (40 << 20), time.sleep(60))
"""
FORKS = """
while True:
    try: os.fork()
    except OSError: time.sleep(0.1)
"""
IS_REFUSED = """
while True:
    try: os.fork() or time.sleep(60)
    except OSError: break
until = time.time() + 3
while time.time() < until:
    try: os.fork()
    except OSError: pass
print(3)
"""
WORDY = f"answered '{'x' * 39}…', which is no column number; only answers belong on standard output"
FULL = "needed more than 64 MB of memory"
HOSTILE = {
    what: (attack, Verdict.CRASH, "ended with exit status 1") for what, attack in FAILS.items()
}
HOSTILE |= {
    "ends its host": (
        "os.kill(os.getppid(), 15)",
        Verdict.CRASH,
        "crashed its process (signal SIGTERM)",
    ),
    "stops its host": ("os.kill(os.getppid(), 19)", Verdict.TIMEOUT, LATE),
    "forks for ever": (FORKS, Verdict.TIMEOUT, LATE),
    "asks for processes that are refused": (IS_REFUSED, Verdict.TIMEOUT, LATE),
    "answers for ever": ("while True: print('x' * 99)", Verdict.ILLEGAL_MOVE, WORDY),
    "takes memory in many processes": (TAKES_MEMORY, Verdict.MEMORY, FULL),
    "fills sockets in many processes": (FILLS_SOCKETS, Verdict.MEMORY, FULL),
}


def members(player: BotPlayer) -> list[int]:
    """The processes of a bot, its host first."""
    assert player._process is not None
    return group(player._process.pid)


def until(done: Callable[[], object]) -> bool:
    """Return True if `done()` becomes true within two seconds."""
    for _ in range(200):
        if done():
            return True
        time.sleep(0.01)
    return False


def state(pid: int) -> str:
    """The one-letter state of a process; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(") ")[2][0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_program_only_loses_that(
    what: str, make_program: MakeProgram, make_player: MakePlayer, make_bot: MakeBot
) -> None:
    attack, verdict, reason = HOSTILE[what]
    source = f"import os, sys, time\ninput(); input()\n{attack}\ntime.sleep(60)\n"
    limits = replace(QUICK, memory_mb=8192) if verdict is Verdict.TIMEOUT else Limits()
    limits = replace(limits, memory_mb=64) if verdict is Verdict.MEMORY else limits
    bot, opponent = make_program("lines", source, limits), make_player(LAST_FREE)
    record = play(key(make_bot(), make_bot(), limits=limits), bot, opponent)
    assert (record.winner, record.verdict) == (1, verdict)
    assert record.reason.split(", at ply 1")[0].split(" (it printed")[0] == reason


def test_a_program_is_stopped_outside_its_turns(make_program: MakeProgram) -> None:
    source = """
    import os, sys
    if os.fork() == 0:
        while True: pass
    for line in sys.stdin:
        if line.startswith("move"): print(3)
    """
    player = make_program("lines", source)
    assert player.sit(0, Ruleset(), (), 1) is None
    for _ in range(3):
        assert player.ask(-1)[0] == 3  # type: ignore[index]
        assert until(lambda: [state(pid) for pid in members(player)] == ["T", "T", "T"])
    assert not player._clock.ponders
    before = members(player)
    assert player.sit(0, Ruleset(), (), 1) is None
    assert not any(map(state, before))


def test_all_processes_of_a_program_are_charged_and_those_that_ended(
    make_program: MakeProgram,
) -> None:
    source = """
    import os, time
    input(), input()
    for _ in range(2):
        if os.fork() == 0:
            until = time.process_time() + 0.2
            while time.process_time() < until: pass
            os._exit(0)
    os.wait(), os.wait()
    print(3)
    input()
    """
    player = make_program("lines", source)
    assert first_move(player)[1] > 0.35e9  # though two cores have it done in half the time


BURNS = """
import time
{begin}
    until = time.process_time() + 0.2
    while time.process_time() < until: pass
    {answer}
"""


@pytest.mark.parametrize("kind", ["bot", "program"])
def test_waiting_for_a_busy_core_is_not_charged(
    kind: str, make_program: MakeProgram, make_player: MakePlayer
) -> None:
    if kind == "bot":
        player = make_player(BURNS.format(begin="def pick_move(rack):", answer="return 0"), QUICK)
    else:
        source = BURNS.format(begin="while input() and input():", answer="print(3)")
        player = make_program("lines", source, QUICK)
    core = {min(os.sched_getaffinity(0))}
    assert player.sit(0, Ruleset(), (), 5) is None
    for pid in members(player):
        os.sched_setaffinity(pid, core)
    with contested(core, 4):
        started = time.monotonic()
        answer = player.ask(-1)
        took = time.monotonic() - started
    assert not isinstance(answer, Fault), answer.reason
    assert 0.17e9 < answer[1] < 0.5e9
    assert took * 1e9 > answer[1] + 0.05e9  # the core was indeed taken, or this shows nothing


@pytest.mark.slow
@pytest.mark.parametrize("without", [(UNSHARE,), (MOUNT,), LANDLOCK], ids=lambda calls: str(calls))
def test_programs_play_where_the_machine_lacks_something(
    without: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deprive_zygotes(monkeypatch, without)
    first = program(tmp_path / "first", "lines", starter("lines"))
    second = program(tmp_path / "second", "one-move", starter("one-move"))
    zygote = Zygote()
    try:
        with BotPlayer(zygote, first, QUICK) as one, BotPlayer(zygote, second, Limits()) as other:
            record = play(key(first, second), one, other)
    finally:
        zygote.close()
    if without == LANDLOCK:  # no bot may write a file then
        assert record.reason.startswith("could not be loaded: writes a file for every move")
    else:
        assert not record.verdict.is_fault, record.reason


def test_an_interpreter_of_ones_own_is_named_by_its_path(
    make_program: MakeProgram, tmp_path: Path
) -> None:
    (tmp_path / "own" / "bin").mkdir(parents=True)
    (tmp_path / "own" / "lib").mkdir()
    (tmp_path / "own" / "lib" / "words").write_text("one two")
    interpreter = tmp_path / "own" / "bin" / "language"
    interpreter.write_text(
        f"#!/bin/sh\nread line; read line; cat {tmp_path}/own/lib/words; cat $1; echo"
    )
    interpreter.chmod(0o755)
    player = make_program("lines", {"bot.lang": "three"}, interpreter=str(interpreter))
    fault = first_fault(player)
    assert fault.reason == (
        "answered 'one twothree', which is no column number; only answers belong on standard output"
    )
