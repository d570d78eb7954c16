"""Bots that stay loaded for several games: the same games as in separate processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import sleep

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot, GameRecord
from arena.game.seats import Seats
from arena.game.verdict import Verdict
from arena.host.protocol import UNKNOWN
from arena.machine.capacity import RESTING_BYTES
from arena.machine.proc import folder_bytes
from support.bots import FIRST_FREE, LAST_FREE, MakeBot, key

LIMITS = Limits(move_seconds=1.0, first_move_seconds=1.0)

AT_RANDOM = """
import random
print("seated")
games = 0
def pick_move(rack):
    global games
    games += 1
    free = [column for column, cells in enumerate(rack) if not cells[-1]]
    return free[0] if games == 0 else random.choice(free)
"""

LEAVES = """
import builtins, json, os, random, sys, tempfile
for module in (builtins, json, random, sys):
    module.left = "something"
os.environ["LEFT"] = "something"
def pick_move(rack):
    for folder in (".", "..", "/tmp", "/dev/shm", "/var/tmp", tempfile.gettempdir()):
        try:
            with open(f"{folder}/left", "w") as file:
                file.write("something")
            os.mkdir(f"{folder}/left.d")
        except OSError:
            pass
    return [column[-1] for column in rack].index(0)
"""

FINDS = """
import builtins, json, os, random, sys
def found():
    for module in (builtins, json, random, sys):
        if hasattr(module, "left"):
            return True
    if "LEFT" in os.environ:
        return True
    for folder in (".", "..", "/tmp", "/dev/shm", "/var/tmp"):
        for name in ("left", "left.d"):
            if os.access(f"{folder}/{name}", os.F_OK):
                return True
    for pid in range(2, 200):
        if pid != os.getpid() and os.access(f"/proc/{pid}/mem", os.R_OK):
            return True
    return False
def pick_move(rack):
    if found():
        return 77
    return [column[-1] for column in rack].index(0)
"""

THREAD = f"""
import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
{FIRST_FREE}"""

RINGS = """
import signal
def think(*_):
    sum(range(50_000))
signal.signal(signal.SIGALRM, think)
def pick_move(rack):
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.002)
    return [column[-1] for column in rack].index(0)
"""

HANGS = f"""
import sys
while hasattr(sys, "played"):
    pass
sys.played = True
{FIRST_FREE}
"""

KEEPS_FILES = f"""
import logging
for number in range(10):
    logging.getLogger().addHandler(logging.FileHandler(f"{{number}}.log"))
{FIRST_FREE}
"""

RAISES_IN_THE_MIDDLE = """
def pick_move(rack):
    if rack[3][0]:
        raise ValueError("a disc in the middle")
    return [column[-1] for column in rack].index(0)
"""

COUNTS_GAMES = """
import math
math.games = getattr(math, "games", 0) + 1
def pick_move(rack):
    free = [column for column, cells in enumerate(rack) if not cells[-1]]
    if math.games > 1 and sum(map(bool, rack[0])) >= 2:
        raise RuntimeError("I have played before")
    return free[ORDER]
"""

FILLS_MEMORY = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
moves = 0
def pick_move(rack):
    global moves
    moves += 1
    if moves == 4:  # the disc that wins
        frame = sys._getframe()
        while "nonce" not in frame.f_locals:
            frame = frame.f_back
        os.write(3, struct.pack("<8sBHqq", frame.f_locals["nonce"], 2, 0, 6, -1))
        libc.mmap(None, 380 << 20, 3, 0x22 | 0x8000, -1, 0)  # a stop does not break it off
    return 6
"""

NOTICES = """
import math
def pick_move(rack):
    seen = math.__dict__.setdefault("seen", [])
    seen.append(str(rack))
    free = [column for column, cells in enumerate(rack) if not cells[-1]]
    return free[-1 - (seen.count(str(rack)) > 1)]
"""

ALARM = """
import signal
def pick_move(rack):
    signal.setitimer(signal.ITIMER_REAL, 0.3)  # for a move that hangs; nobody cancels it
    return [column[-1] for column in rack].index(0)
"""


@pytest.fixture
def seats(zygote: Zygote) -> Iterator[Seats]:
    with Seats(zygote, LIMITS) as seated:
        yield seated


def process_of(player: BotPlayer) -> int | None:
    return None if player._process is None else player._process.pid


def played(seats: Seats, first: Bot, second: Bot, seed: int = 1) -> GameRecord:
    return play(key(first, second, limits=LIMITS, seed=seed), *seats.at(first, second))


def test_a_bot_keeps_its_process_against_every_opponent(zygote: Zygote, make_bot: MakeBot) -> None:
    one, other, third = make_bot(FIRST_FREE), make_bot(LAST_FREE), make_bot(AT_RANDOM)
    with Seats(zygote, LIMITS) as seats:
        played(seats, one, other)
        before = process_of(seats.at(one, other)[0])
        played(seats, third, one)
        assert process_of(seats.at(third, one)[1]) == before
        players = [*seats.at(one, other), *seats.at(one, third)]
    assert [process_of(player) for player in players] == [None] * 4


def test_games_are_the_same_as_in_processes_of_their_own(zygote: Zygote, make_bot: MakeBot) -> None:
    bots = [make_bot(AT_RANDOM), make_bot(FIRST_FREE), make_bot(f"# another\n{AT_RANDOM}")]
    pairs = [(one, other) for one in bots for other in bots if one is not other]
    with Seats(zygote, LIMITS) as seats:
        together = [played(seats, *pair) for pair in pairs * 2]
    alone = []
    for pair in pairs:
        with Seats(zygote, LIMITS) as seats:
            alone.append(played(seats, *pair))
    assert [(game.columns, game.verdict, game.winner) for game in together] == [
        (game.columns, game.verdict, game.winner) for game in alone * 2
    ]


def test_a_bot_that_meets_itself_has_two_processes(seats: Seats, make_bot: MakeBot) -> None:
    bot = make_bot(AT_RANDOM)
    assert not played(seats, bot, bot).verdict.is_fault
    one, other = map(process_of, seats.at(bot, bot))
    assert one != other


def test_nothing_is_left_for_an_accomplice_who_plays_next(seats: Seats, make_bot: MakeBot) -> None:
    leaves, finds, honest = make_bot(LEAVES), make_bot(FINDS), make_bot(LAST_FREE)
    played(seats, leaves, honest)
    games = [played(seats, finds, honest), played(seats, finds, leaves)]
    games += [played(seats, leaves, honest), played(seats, honest, finds)]
    assert not any(game.verdict.is_fault for game in games)


KEEPS = """
import os, socket
kept = []
def pick_move(rack):
    if not kept:
        {what}
    return [column[-1] for column in rack].index(0)
"""
OUSTED = {
    "a thread": THREAD,
    "memory": f"held = bytearray(b'x') * (200 << 20)\n{FIRST_FREE}",
    "files": KEEPS.format(
        what="kept.extend(open(str(n), 'wb').write(bytes(12 << 20)) for n in range(3))"
    ),
    "deleted files": KEEPS.format(
        what="kept.extend(open(str(n), 'wb', 0) for n in range(3))\n"
        "        for n, file in enumerate(kept): file.write(bytes(12 << 20)); os.unlink(str(n))"
    ),
    "memory and sockets": KEEPS.format(
        what="kept.append(bytearray(b'x') * (25 << 20))\n"
        "        for _ in range(13): kept.append(socket.socketpair())"
    ),
    "output": "import os\nos.write(1, bytes(12 << 20))\n"
    f"held = bytearray(b'x') * (24 << 20)\n{FIRST_FREE}",
    "memory that it takes on the way out": FILLS_MEMORY,
}


@pytest.mark.parametrize("what", OUSTED)
def test_a_bot_that_uses_much_gets_a_new_process(
    what: str, seats: Seats, make_bot: MakeBot
) -> None:
    bot, one, other = make_bot(OUSTED[what]), make_bot(FIRST_FREE), make_bot(f"# 2\n{FIRST_FREE}")
    assert not played(seats, bot, one).verdict.is_fault
    player = seats.at(bot, one)[0]
    assert process_of(player) is not None
    seats.at(one, other)
    assert process_of(player) is None


def test_resting_bots_use_what_is_planned_for_them(seats: Seats, make_bot: MakeBot) -> None:
    fills = KEEPS.format(
        what="[open('kept', 'ab', 0).write(bytes(1 << 20)) for _ in range(15)]; kept.append(1)"
    )
    bots = [make_bot(f"# {number}\n{fills}") for number in range(10)]
    one, other = make_bot(FIRST_FREE), make_bot(LAST_FREE)
    players = [seats.at(bot, one)[0] for bot in bots for _ in [played(seats, bot, one)]]
    seats.at(one, other)
    stayed = [player for player in players if process_of(player) is not None]
    files = sum(folder_bytes(player._process.folder) for player in stayed if player._process)
    assert 3 <= len(stayed) < 10
    assert files <= RESTING_BYTES


def test_the_bot_that_has_rested_longest_ends_when_too_many_rest(
    seats: Seats, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.game.seats.MOST_RESTING", 2)
    bots = [make_bot(f"# {number}\n{FIRST_FREE}") for number in range(4)]
    other = make_bot(LAST_FREE)
    players = [seats.at(bot, other)[0] for bot in bots for _ in [played(seats, bot, other)]]
    played(seats, bots[0], other)
    seats.rest()
    assert [process_of(player) is not None for player in players] == [True, False, False, False]
    assert process_of(seats.at(bots[3], other)[1]) is not None


def test_a_resting_bot_does_nothing(seats: Seats, make_bot: MakeBot) -> None:
    rings = make_bot(RINGS)
    one, other = make_bot(FIRST_FREE), make_bot(LAST_FREE)
    played(seats, rings, one)
    player = seats.at(rings, one)[0]
    played(seats, one, other)
    sleep(0.1)  # what it was at when it was stopped
    before = player._clock.used()
    sleep(0.2)
    assert player._clock.used() == before
    assert not played(seats, rings, other).verdict.is_fault
    assert player._clock.used() > before


def test_a_bot_that_could_continue_itself_does_not_rest(seats: Seats, make_bot: MakeBot) -> None:
    bots = make_bot(FIRST_FREE), make_bot(LAST_FREE)
    players = seats.at(*bots)
    played(seats, *bots)
    players[0]._shared = bytes([UNKNOWN])  # as on a machine without seccomp
    seats.rest()
    assert [process_of(player) is None for player in players] == [True, False]


@pytest.mark.slow
def test_a_bot_that_hangs_in_its_next_game_is_at_fault(zygote: Zygote, make_bot: MakeBot) -> None:
    hangs, one, other = make_bot(HANGS), make_bot(FIRST_FREE), make_bot(LAST_FREE)
    with Seats(zygote, replace(LIMITS, load_seconds=0.4)) as seats:
        assert not played(seats, hangs, one).verdict.is_fault
        assert played(seats, hangs, other).verdict is Verdict.TIMEOUT


def test_a_bot_that_dies_while_others_play_is_started_again(
    seats: Seats, make_bot: MakeBot
) -> None:
    alarmed, one, other = make_bot(ALARM), make_bot(FIRST_FREE), make_bot(LAST_FREE)
    assert not played(seats, alarmed, one).verdict.is_fault
    player = seats.at(alarmed, one)[0]
    before = process_of(player)
    played(seats, one, other)
    sleep(0.5)
    assert not played(seats, alarmed, other).verdict.is_fault
    assert process_of(player) not in (None, before)


def test_no_fault_of_a_load_is_due_to_files_of_earlier_games(
    seats: Seats, make_bot: MakeBot
) -> None:
    keeps, other = make_bot(KEEPS_FILES), make_bot(LAST_FREE)
    games = [played(seats, keeps, other, seed) for seed in range(6)]
    assert not any(game.verdict.is_fault for game in games)


def test_no_fault_of_a_move_is_due_to_earlier_games(seats: Seats, make_bot: MakeBot) -> None:
    counts, other = make_bot(COUNTS_GAMES.replace("ORDER", "0")), make_bot(LAST_FREE)
    games = [played(seats, counts, other, seed) for seed in range(3)]
    assert [game.verdict for game in games] == [Verdict.LINE] * 3
    assert len({game.columns for game in games}) == 1
    noticed = [played(seats, counts, make_bot(NOTICES)) for _ in range(3)]
    assert not any(game.verdict.is_fault for game in noticed), "an opponent made such a fault stand"


def test_a_bot_that_plays_differently_each_time_cannot_take_a_fault_back(
    seats: Seats, make_bot: MakeBot
) -> None:
    counts = make_bot(COUNTS_GAMES.replace("ORDER", "0 if math.games > 1 else -1"))
    other = make_bot(FIRST_FREE)
    verdicts = [played(seats, counts, other, seed).verdict for seed in range(2)]
    assert verdicts == [Verdict.LINE, Verdict.ERROR]


def test_a_fault_in_a_new_process_too_is_the_bots(seats: Seats, make_bot: MakeBot) -> None:
    raises, other = make_bot(RAISES_IN_THE_MIDDLE), make_bot(FIRST_FREE)
    middle = key(raises, other, limits=LIMITS, opening=(3, 3))
    assert played(seats, raises, other).verdict is Verdict.LINE
    before = process_of(seats.at(raises, other)[0])
    assert before is not None
    assert play(middle, *seats.at(raises, other)).verdict is Verdict.ERROR
