"""Home mode as it is chosen, said and recorded."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.common.home import NOT_CONFINED
from arena.game import home_process
from arena.game.home_process import FRESH_NS, PONDERING_NS, HomeClock
from arena.host.stream import MessageStream
from arena.intake.home_reader import HomeReader
from arena.intake.reading import ReadRequest
from support.bots import FIRST_FREE
from support.command_line import PATIENCE_SECONDS, arena

ARENA = (sys.executable, "-m", "arena")
SLOW = "import time\ndef pick_move(rack):\n    time.sleep(0.3)\n" + (
    "    return [column[-1] for column in rack].index(0)\n"
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux confines bots")
def test_games_at_home_count_only_at_home(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"# {name}\n{FIRST_FREE}")
    words = ("run", "one.py", "two.py", "--openings", 1, "--no-house", "--out", "results")
    at_home = arena(*words, "--home", cwd=tmp_path)
    assert at_home.returncode == 0
    assert at_home.stderr.count(NOT_CONFINED) == 1
    assert "home = true" in (tmp_path / "results" / "contest.toml").read_text()
    assert "home mode: bots were not confined" in arena("rank", "results", cwd=tmp_path).stdout
    again = arena(*words, "--home", cwd=tmp_path)
    assert "2 games, 0 to play" in again.stderr
    confined = arena(*words, cwd=tmp_path)
    assert "2 games, 2 to play" in confined.stderr
    assert "home mode" not in arena("rank", "results", cwd=tmp_path).stdout
    resumed = arena("resume", "results", "--home", cwd=tmp_path)
    assert (resumed.returncode, "not confined; not for grading" in resumed.stdout) == (0, True)
    cluster = arena(*words, "--home", "--cluster", "local:1", cwd=tmp_path)
    assert (cluster.returncode, cluster.stderr.splitlines()[-1]) == (
        2,
        "arena: home mode plays on this machine; leave out --cluster",
    )


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows sends no such signals")
def test_an_interrupted_contest_at_home_goes_on(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"# {name}\n{SLOW}")
    words = ("run", "one.py", "two.py", "--openings", 2, "--no-house", "--out", "results", "--home")
    run = subprocess.Popen(
        [*ARENA, *map(str, words)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    known = psutil.Process(run.pid)
    deadline = time.monotonic() + PATIENCE_SECONDS
    games = tmp_path / "results" / "arena.log"
    while not (games.exists() and "playing" in games.read_text() and len(bots_of(known)) > 1):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    bots = bots_of(known)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 130
    assert "arena resume --home results" in said
    assert not psutil.wait_procs(bots, timeout=PATIENCE_SECONDS)[1]
    (tmp_path / "one.py").write_text(f"# one\n{FIRST_FREE}")
    log = (tmp_path / "results" / "arena.log").read_text()
    assert "lost by" not in log  # no bot is blamed for its end


def bots_of(process: psutil.Process) -> list[psutil.Process]:
    return [each for each in process.children() if "arena.host.home" in each.cmdline()]


@pytest.fixture
def ends() -> Iterator[tuple[MessageStream, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        other = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    with ours, other:
        yield MessageStream(ours), other


def test_a_message_may_come_in_pieces(ends: tuple[MessageStream, socket.socket]) -> None:
    stream, other = ends
    stream.wait_at_most(0.05)
    buffer = bytearray(4)
    MessageStream(other).send(b"abc")
    assert (stream.recv_into(buffer), buffer[:3]) == (3, b"abc")
    other.sendall(b"\xe4\xa7\x02")
    with pytest.raises(BlockingIOError):
        stream.recv_into(buffer)
    other.sendall(b"\x00de" + b"\xe4\xa7\x05\x00fghij")
    assert (stream.receive_now(buffer), buffer[:2]) == (2, b"de")
    assert (stream.recv_into(buffer), buffer) == (4, b"fghi")  # cut
    other.sendall(b"my move is 3\n")
    assert stream.recv_into(buffer) == 4  # no message of ours
    other.close()


def test_what_trickles_in_does_not_hold_the_referee_up(
    ends: tuple[MessageStream, socket.socket],
) -> None:
    stream, other = ends
    other.sendall(b"\xe4\xa7\xff\x7f")
    stream.wait_at_most(0.2)
    is_over = threading.Event()

    def trickle() -> None:
        while not is_over.wait(0.01):
            other.send(b"x")

    sending = threading.Thread(target=trickle)
    sending.start()
    try:
        with pytest.raises(BlockingIOError):
            stream.recv_into(bytearray(4))
        assert sending.is_alive()
    finally:
        is_over.set()
        sending.join()


class Computing:
    """A process whose processor time a test sets, in seconds."""

    seconds = 0.0

    def cpu_times(self) -> Computing:
        return self

    @property
    def user(self) -> float:
        return self.seconds

    system = 0.0


def test_the_clock_charges_processor_time_of_the_opponents_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readings = itertools.count(step=2 * FRESH_NS)
    monkeypatch.setattr(home_process, "perf_counter_ns", lambda: next(readings))
    process = Computing()
    clock = HomeClock(process)  # type: ignore[arg-type]
    assert clock.charge(clock.refresh()) < PONDERING_NS
    assert not clock.ponders
    process.seconds = 3.0
    asked_at = clock.refresh()
    assert clock.ponders
    assert clock.charge(asked_at) == 3_000_000_000
    assert clock.charge(clock.refresh()) < PONDERING_NS  # charged once


def test_a_file_that_vanished_is_no_fault_of_the_reader(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.zip")
    request = ReadRequest("arena.intake.folders", "read_archive", [path], [path], 60, 512 << 20)
    reader = HomeReader()
    with pytest.raises(FileNotFoundError):
        list(reader.answers(request, (), 1 << 20))
    reader.end()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_of_a_bot_ends_with_the_referee(tmp_path: Path) -> None:
    forks = "import os, time\nos.fork()\n" + FIRST_FREE.replace("return", "time.sleep(40); return")
    (tmp_path / "forks.py").write_text(forks)
    words = ("match", "forks.py", "random", "--openings", "1", "--home")
    match = subprocess.Popen([*ARENA, *words], cwd=tmp_path, stderr=subprocess.DEVNULL)
    known, deadline = psutil.Process(match.pid), time.monotonic() + PATIENCE_SECONDS
    while not (forked := [fork for each in bots_of(known) for fork in each.children()]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    match.kill()
    match.wait()
    for each in psutil.wait_procs(forked, timeout=20)[1]:
        assert each.status() == psutil.STATUS_ZOMBIE
