"""Bots, zygotes and machines that end through no fault of a bot."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from mmap import mmap
from pathlib import Path

import pytest

from arena.common.errors import StartError, ZygoteDiedError
from arena.common.system import available_cores
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import SCRATCHES, BotProcess, Zygote, remove_dead_scratches
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.verdict import Verdict
from arena.playing.batches import play_batch, with_starter
from arena.playing.driver import Batch
from arena.playing.lanes import Lanes
from arena.rules import Ruleset
from support.bots import FIRST_FREE, LAST_FREE, MakeBot, MakePlayer, MakeProgram, first_fault, key

THINKS = """
import time
def pick_move(rack):
    time.sleep(0.05)
    return [c[-1] for c in rack].index(0)
"""
KILLS_ITSELF = "import os\ndef pick_move(rack): os.kill(os.getpid(), 9)"
MEMORY = Path("/sys/fs/cgroup/memory")


@contextmanager
def meanwhile(step: Callable[[], object]) -> Iterator[None]:
    """Repeat a step in a thread until it returns something true, or until the block ends."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set() and not step():
            pass

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def kill_children(parent: int, killed: set[int]) -> None:
    """Kill a process's children; add them to `killed`."""
    with suppress(OSError):
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
            killed.add(int(child))


def test_a_bot_that_is_killed_from_outside_plays_its_game_once_more(
    make_player: MakePlayer, make_bot: MakeBot
) -> None:
    first, second = make_player(THINKS), make_player(LAST_FREE)
    one, other = make_bot(), make_bot()
    calm = play(key(one, other), first, second)

    def kill() -> bool:
        if first._process is None:
            return False
        os.kill(first._process.pid, signal.SIGKILL)
        return True

    with meanwhile(kill):
        shaken = play(key(one, other), first, second)
    assert shaken.columns == calm.columns
    assert shaken.verdict is calm.verdict


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_is_killed_in_both_tries_loses(
    seat: int, make_player: MakePlayer, make_bot: MakeBot
) -> None:
    players = [make_player(LAST_FREE), make_player(LAST_FREE)]
    players[seat] = victim = make_player(THINKS)
    killed: set[int] = set()

    def twice() -> bool:
        process = victim._process
        if process is not None and process.pid not in killed:
            os.kill(process.pid, signal.SIGKILL)
            killed.add(process.pid)
        return len(killed) == 2

    with meanwhile(twice):
        record = play(key(make_bot(), make_bot()), *players)
    assert (record.winner, record.verdict) == (1 - seat, Verdict.CRASH)
    assert record.reason.startswith("was killed (signal SIGKILL)")
    assert record.reason.endswith("in both tries of this game")


def test_no_bot_gets_a_second_try_by_killing_itself(
    make_player: MakePlayer, make_program: MakeProgram
) -> None:
    player = make_player(KILLS_ITSELF)
    fault = first_fault(player)
    assert (fault.verdict, fault.proof) == (Verdict.ERROR, None)
    assert fault.reason.startswith("raised PermissionError")
    program = make_program("lines", "import os\ninput()\ninput()\nos.kill(os.getpid(), 9)")
    fault = first_fault(program)
    assert (fault.verdict, fault.proof) == (Verdict.CRASH, None)
    assert fault.reason == "was killed (signal SIGKILL)"


def test_a_bot_that_is_killed_as_it_is_forked_is_forked_again(
    make_bot: MakeBot, zygote: Zygote
) -> None:
    killed: set[int] = set()

    def two() -> bool:
        kill_children(zygote.pid, killed)
        return len(killed) > 1

    one, other = make_bot(FIRST_FREE), make_bot(LAST_FREE)
    with (
        meanwhile(two),
        BotPlayer(zygote, one, Limits()) as first,
        BotPlayer(zygote, other, Limits()) as second,
    ):
        while len(killed) < 2:  # a game can be over before the thread gets a core
            record = play(key(one, other), first, second)
    assert not record.verdict.is_fault


@pytest.mark.slow
def test_a_bot_that_is_never_confined_costs_its_game_and_not_the_contest(
    make_bot: MakeBot, zygote: Zygote
) -> None:
    killed: set[int] = set()

    def all_of_them() -> None:
        kill_children(zygote.pid, killed)

    with (
        meanwhile(all_of_them),
        BotPlayer(zygote, make_bot(), Limits()) as player,
        pytest.raises(StartError),
    ):
        while True:  # on a busy machine it is confined before it is killed, now and then
            player.sit(0, Ruleset(), (), 5)
    with BotPlayer(zygote, make_bot(), Limits()) as player:  # the zygote is as good as new
        assert player.sit(0, Ruleset(), (), 5) is None


def end_it(zygote: Zygote) -> None:
    """Kill a lane's zygote, then send it an order."""
    os.kill(zygote.pid, signal.SIGKILL)
    zygote.end(
        BotProcess(0, 1, socket.socket(), os.memfd_create("output"), mmap(-1, 1), "/", -1, 0)
    )


@pytest.mark.slow
def test_a_zygote_that_is_killed_leaves_no_folder_behind(
    make_bot: MakeBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir(0o711)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    one, other = make_bot(FIRST_FREE), make_bot(LAST_FREE)
    with Lanes(available_cores()[:1]) as lanes:
        with pytest.raises(ZygoteDiedError):
            lanes.submit(with_starter, end_it).result()
        (record,) = lanes.submit(play_batch, Batch("one – other", (key(one, other),))).result()
        assert not record.verdict.is_fault
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


def test_folders_of_the_dead_are_removed_and_those_of_the_living_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead, new, other = (tmp_path / f"{SCRATCHES}{name}" for name in ("dead", "new", "other"))
    for each in (dead, new):
        each.mkdir()
    (dead / "1").mkdir()
    other.symlink_to(tmp_path)
    zygote = Zygote()  # removes what is left of others
    try:
        assert not dead.exists()
        remove_dead_scratches()
        left = set(tmp_path.iterdir())
        assert {new, other} < left and len(left) == 3
    finally:
        zygote.close()


@pytest.fixture
def small_group() -> Iterator[Path]:
    """A control group of version 1 with 200 MB of memory, room for one of two bots."""
    group = MEMORY / f"arena-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        pytest.skip("no control group can be made here")
    (group / "memory.limit_in_bytes").write_text(str(200 << 20))
    yield group
    group.rmdir()


IN_A_GROUP = """
import os, sys
open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
from arena.common.errors import OutOfMemoryError
from arena.interfaces import EntryPoint
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot, GameKey
from arena.game.bot_player import BotPlayer
from arena.machine.capacity import free_bytes, room_in_memory
from arena.game.bot_process import Zygote
from arena.rules import Ruleset
assert free_bytes() <= 200 << 20, free_bytes()
assert room_in_memory(192).games == 0
limits, zygote = Limits(memory_mb=192), Zygote()
entry = EntryPoint(file="bot.py", interface="pick_move", name="pick_move")
bots = [Bot(content_hash=root, root=root, entry_point=entry) for root in sys.argv[2:]]
key = GameKey(rules=Ruleset(), limits=limits, opening=(), first=bots[0], second=bots[1], seed=1)
with BotPlayer(zygote, bots[0], limits) as one, BotPlayer(zygote, bots[1], limits) as other:
    try:
        print(play(key, one, other))
    except OutOfMemoryError as error:
        print("nobody's loss:", error)
zygote.close()
"""


@pytest.mark.slow
def test_a_bot_that_the_machine_has_no_memory_for_is_not_at_fault(
    small_group: Path, make_bot: MakeBot
) -> None:
    large = f"X = bytearray(b'x') * (100 << 20)\n{FIRST_FREE}"
    roots = [make_bot(large).root, make_bot(large).root]
    command = [sys.executable, "-c", IN_A_GROUP, str(small_group), *roots]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "nobody's loss: the machine ran out of memory" in done.stdout, done.stderr
