"""Contests of quick bots that repeat: what the disturbed ones are compared with."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pandas as pd

BOT = """# {name}
import random, time
def pick_move(rack):
    time.sleep({seconds})
    return random.choice([c for c in range(len(rack)) if rack[c][-1] == 0][{part}])
"""
"""Arena seeds `random` from each game's key, so that the same game has the same moves again."""

PARTS = (":", ":4", "-4:", "1:", ":-1 or None", "::2")
"""Which of the free columns a bot draws from, so that some bots are better than others."""

TIMES = ["first_ms", "second_ms"]
"""Columns of games.csv that no two runs share."""


def write_bots(folder: Path, count: int = 3, seconds: float = 0.002) -> Path:
    """Write bots that draw their moves and take so long for each, into a new folder."""
    folder.mkdir(parents=True)
    for number in range(count):
        part = PARTS[number % len(PARTS)]
        text = BOT.format(name=number, seconds=seconds, part=part)
        (folder / f"bot{number}.py").write_text(text)
    return folder


def command(bots: Path, out: Path, openings: int) -> list[str]:
    """Return the words of the command line that plays a contest, or what is missing of it."""
    contest = ("--no-house", "--openings", str(openings), "--seed", "7", "--out", str(out))
    return [sys.executable, "-m", "arena", "run", str(bots), *contest]


def play_calmly(bots: Path, out: Path, openings: int) -> pd.DataFrame:
    """Play a contest that nobody disturbs; returns its games, see `games_of`."""
    words = command(bots, out, openings)
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return games_of(out)


def games_of(folder: Path) -> pd.DataFrame:
    """Return the games of a contest as its games.csv has them, times left out."""
    return pd.read_csv(folder / "games.csv", keep_default_na=False).drop(columns=TIMES)


def played(folder: Path) -> int:
    """Return the number of games in the journal of a contest, which may be under way."""
    try:
        with sqlite3.connect(f"file:{folder}/journal.sqlite?mode=ro", uri=True) as journal:
            (count,) = journal.execute("SELECT count(*) FROM games").fetchone()
            return int(count)
    except sqlite3.Error:
        return 0
