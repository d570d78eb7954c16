"""Bots at home that do not want to end, or that leave something behind."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from arena.game.bot_player import BotPlayer
from arena.game.home_process import FOLDERS, MARK, HomeStarter
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import RandomPlayer
from arena.game.record import NOBODY
from arena.game.seats import Seats
from support.bots import FIRST_FREE, MakeBot, key

LIMITS = Limits(first_move_seconds=0, memory_mb=128, nodes=None, home=True)
QUICK = replace(LIMITS, load_seconds=2, move_seconds=1)  # For those that shall run out of time.
HAS_SIGNALS = hasattr(signal, "SIGKILL")  # Windows tells crashes by exit codes, the lens by none.
CHILD = "subprocess.Popen([sys.executable, '-c', {code!r}])"
DAEMON = "import os, time\nos.fork() and os._exit(0)\nos.setsid()\nos.fork() and os._exit(0)\n"

# Names of bots, what each does in its first move, and the beginning of what is said of it.
BOTS = {
    "ignores every polite end": (
        "for each in ('SIGTERM', 'SIGINT', 'SIGHUP'):\n"
        "    hasattr(signal, each) and signal.signal(getattr(signal, each), signal.SIG_IGN)\n"
        "while True:\n"
        "    pass",
        "TIMEOUT took more than 1 s for its move (bot.py, line ",
    ),
    "computes where Python cannot be interrupted": (
        "re.match('(a+)+b', 'a' * 60)",
        "TIMEOUT took more than 1 s for its move (bot.py, line 6)",
    ),
    "starts children": (
        f"{CHILD.format(code='import time; time.sleep(1000)')}\n"
        f"{CHILD.format(code=DAEMON + 'time.sleep(1000)')}",
        "plays",
    ),
    "fills the channel": (
        "while True:\n    os.write(3, bytes(65536))",
        "PROTOCOL wrote to the referee's channel itself",
    ),
    "writes into the channel byte by byte": (
        "while True:\n    os.write(3, b'\\xe4')\n    time.sleep(0.05)",
        "PROTOCOL wrote to the referee's channel itself",
    ),
    "prints a gigabyte": ("for _ in range(4096):\n    print('x' * 250_000)", "plays"),
    "writes a gigabyte to its output": (
        "for _ in range(1 << 14):\n    os.write(1, bytes(65536))",
        "MEMORY needed more than 128 MB of memory",
    ),
    "takes all memory": (
        "while True:\n    kept.append(b'x' * (1 << 20))",
        "MEMORY needed more than 128 MB of memory",
    ),
    "closes its streams": ("os.closerange(0, 100)", "CRASH closed the referee's channel"),
    "crashes": (
        "ctypes.string_at(0)",
        "CRASH crashed its process (signal SIGSEGV) (bot.py, line 6)"[: None if HAS_SIGNALS else 5],
    ),
    "exits": ("os._exit(3)", "CRASH ended its own process with status 3"),
    "nests folders": (
        "for _ in range(1200):\n    os.mkdir('deep')\n    os.chdir('deep')",
        "plays",
    ),
    "opens what it may not": (
        "raise PermissionError(13, 'Permission denied')",
        "ERROR raised PermissionError: [Errno 13] Permission denied (bot.py, line 6)",
    ),
    "sleeps": ("time.sleep(1000)", "TIMEOUT took more than 1 s for its move (bot.py, line 6)"),
}
SOURCE = """\
import ctypes, os, re, signal, subprocess, sys, time
kept = []
def pick_move(rack):
    if kept: return [column[-1] for column in rack].index(0)
    kept.append(b"")
{body}
    return [column[-1] for column in rack].index(0)
"""


@pytest.fixture(scope="module")
def starter() -> Iterator[HomeStarter]:
    started = HomeStarter()
    yield started
    started.close()


def left(starter: HomeStarter) -> list[object]:
    """The processes and files that bots of a starter have left."""
    found: list[object] = [*Path(starter._folder).iterdir()]
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK, "").startswith(starter._folder):
                found.append(process)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTS)
def test_a_bot_is_ended_with_all_that_it_started(
    name: str, starter: HomeStarter, make_bot: MakeBot
) -> None:
    body, expected = BOTS[name]
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    bot = make_bot(SOURCE.format(body=lines))
    limits = QUICK if expected.startswith("TIMEOUT") else LIMITS
    game = key(bot, NOBODY, limits=limits)
    with BotPlayer(starter, bot, limits) as player:
        record = play(game, player, RandomPlayer())
    said = f"{record.verdict.name} {record.reason}" if record.loser == 0 else "plays"
    if expected == "plays":
        assert not record.verdict.is_fault, said
    else:
        assert said.startswith(expected)
    assert left(starter) == []


PONDERS = """
import threading
def think():
    while True:
        pass
threading.Thread(target=think, daemon=True).start()
"""


def test_a_bot_that_ponders_does_not_stay_while_others_play(
    starter: HomeStarter, make_bot: MakeBot
) -> None:
    quiet = "import time\n" + FIRST_FREE.replace("    return", "    time.sleep(0.05)\n    return")
    bots = make_bot(PONDERS + quiet), make_bot(quiet)
    with Seats(starter, LIMITS) as seats:
        players = seats.at(*bots)
        assert not play(key(*bots, limits=LIMITS), *players).verdict.is_fault
        seats.rest()
        assert [player._process is None for player in players] == [True, False]


def test_a_starter_ends_its_bots_and_its_folder(make_bot: MakeBot) -> None:
    starter = HomeStarter()
    player = BotPlayer(starter, make_bot(), LIMITS)
    assert player.sit(0, key(NOBODY, NOBODY).rules, (), 1) is None
    assert left(starter)
    starter.close()
    assert not Path(starter._folder).exists()
    assert not [each for each in psutil.Process().children() if "arena.host.home" in each.cmdline()]


def test_the_folder_of_a_killed_process_goes_with_the_next_start() -> None:
    dead = Path(tempfile.mkdtemp(prefix=f"{FOLDERS}{psutil.Process().pid}-1-"))  # began in 1970
    (dead / "file").touch()
    starter = HomeStarter()
    other = HomeStarter()
    try:
        assert not dead.exists()
        assert Path(starter._folder).exists()
    finally:
        starter.close()
        other.close()
