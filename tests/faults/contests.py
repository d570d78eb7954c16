"""Contests of quick, deterministic bots."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pandas as pd

# Arena seeds `random` from each game's key, so the same game has the same moves.
BOT = """# {name}
import random, time
def pick_move(rack):
    time.sleep({seconds})
    return random.choice([c for c in range(len(rack)) if rack[c][-1] == 0][{part}])
"""

# Free columns that a bot draws from, so that some bots are better.
PARTS = (":", ":4", "-4:", "1:", ":-1 or None", "::2")
TIMES = ["first_ms", "second_ms"]  # Columns of games.csv that differ in each run.


def write_bots(folder: Path, count: int = 3, seconds: float = 0.002) -> Path:
    """Write bots that draw their moves and take `seconds` for each."""
    folder.mkdir(parents=True)
    for number in range(count):
        part = PARTS[number % len(PARTS)]
        text = BOT.format(name=number, seconds=seconds, part=part)
        (folder / f"bot{number}.py").write_text(text)
    return folder


def command(bots: Path, out: Path, openings: int) -> list[str]:
    """Return the command line that plays or continues a contest."""
    contest = ("--no-house", "--openings", str(openings), "--seed", "7", "--out", str(out))
    return [sys.executable, "-m", "arena", "run", str(bots), *contest]


def play_calmly(bots: Path, out: Path, openings: int) -> pd.DataFrame:
    """Play a contest undisturbed; return its games, see `games_of`."""
    words = command(bots, out, openings)
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return games_of(out)


def games_of(folder: Path) -> pd.DataFrame:
    """Return the games of a contest's games.csv, without times."""
    return pd.read_csv(folder / "games.csv", keep_default_na=False).drop(columns=TIMES)


def played(folder: Path) -> int:
    """Return the number of games in the journal of a contest that may be running."""
    try:
        with sqlite3.connect(f"file:{folder}/journal.sqlite?mode=ro", uri=True) as journal:
            (count,) = journal.execute("SELECT count(*) FROM games").fetchone()
            return int(count)
    except sqlite3.Error:
        return 0
