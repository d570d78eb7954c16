"""Speed of other installed runners of games on this machine; none has a sandbox."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from arena.common.errors import MachineError

GAMES = 40  # Games of each runner.
TIMEOUT = 300.0  # In seconds.

# A program that prints the number of moves, and seconds.
KAGGLE = """\
from kaggle_environments import make
from time import perf_counter
started, plies = perf_counter(), 0
for _ in range({games}):
    game = make("connectx")
    plies += len(game.run(["random", "random"])) - 1
print(plies, perf_counter() - started)
"""

# A chess engine that answers at once, moving its knights until the game is drawn.
SHUFFLER = """\
#!{python}
import sys
turns = {{0: "g1f3", 1: "g8f6", 2: "f3g1", 3: "f6g8"}}
ply = 0
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name shuffler\\nuciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        ply = len(words) - words.index("moves") - 1 if "moves" in words else 0
    elif words[:1] == ["go"]:
        print("bestmove", turns[ply % 4], flush=True)
    elif words[:1] == ["quit"]:
        break
"""

SHUFFLED = 8  # Plies until a position is repeated three times.


@dataclass(frozen=True, slots=True)
class PeerRun:
    moves: int
    """Moves of both players."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    name: str

    what: str
    """What the runner plays, and how this differs from Arena."""

    install: str
    is_there: Callable[[], bool]

    play: Callable[[int], PeerRun]
    """Takes a number of games and plays them. Raises MachineError."""


def _kaggle(games: int) -> PeerRun:
    moves, seconds = _output([sys.executable, "-c", KAGGLE.format(games=games)]).split()[-2:]
    return PeerRun(int(moves), float(seconds))


def _fastchess(games: int) -> PeerRun:
    return _shuffled(games, "fastchess", "cmd={engine}")


def _cutechess(games: int) -> PeerRun:
    return _shuffled(games, "cutechess-cli", "cmd={engine}", "proto=uci")


def _shuffled(games: int, program: str, *engine: str) -> PeerRun:
    """Play games between engines that move knights to and fro, in a chess runner."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shuffler"
        path.write_text(SHUFFLER.format(python=sys.executable))
        path.chmod(0o755)
        words = [word.format(engine=path) for word in engine]
        command = [program, "-engine", "name=a", *words, "-engine", "name=b", *words]
        command += ["-each", "tc=60+1", "-rounds", str(games)]
        command += ["-concurrency", str(len(os.sched_getaffinity(0)))]
        started = perf_counter()
        _output(command, folder)
        return PeerRun(games * SHUFFLED, perf_counter() - started)


def _output(command: list[str], folder: str | None = None) -> str:
    try:
        ended = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"{command[0]}: {error}") from None
    if ended.returncode:
        *_, why = f"exit status {ended.returncode}", *ended.stderr.strip().splitlines()
        raise MachineError(f"{command[0]}: {why}")
    return ended.stdout


PEERS = (
    Peer(
        name="kaggle-environments",
        what="ConnectX, random against random, both in one process",
        install="pip install kaggle-environments",
        is_there=lambda: find_spec("kaggle_environments") is not None,
        play=_kaggle,
    ),
    Peer(
        name="fastchess",
        what="chess, two engines in Python that answer at once, on all cores",
        install="https://github.com/Disservin/fastchess, and put it on the PATH",
        is_there=lambda: shutil.which("fastchess") is not None,
        play=_fastchess,
    ),
    Peer(
        name="cutechess-cli",
        what="the same by cutechess-cli",
        install="https://github.com/cutechess/cutechess, and put it on the PATH",
        is_there=lambda: shutil.which("cutechess-cli") is not None,
        play=_cutechess,
    ),
)
