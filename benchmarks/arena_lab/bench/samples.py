"""Bots for the benchmark."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.game.limits import Limits
from arena.game.record import Bot, GameKey
from arena.intake.submission import read_submission
from arena.rules import Ruleset

FIRST_FREE_COLUMN = """\
def pick_move(rack):
    for column in range(len(rack)):
        if rack[column][-1] == 0:
            return column
"""

# The same for the interface pcp.
WITH_STATE = """\
def generate_move(board, player, saved_state):
    for column in range(7):
        if board[-1, column] == 0:
            return column, saved_state
"""

RANDOM = """\
import random
def pick_move(rack):
    return random.choice([column for column in range(len(rack)) if rack[column][-1] == 0])
"""

ENDLESS = """\
def pick_move(rack):
    while True:
        pass
"""

# Uses `seconds` of CPU time in every move.
THINKER = """\
from time import process_time
def pick_move(rack):
    end = process_time() + {seconds}
    while process_time() < end:
        pass
    return next(column for column in range(len(rack)) if rack[column][-1] == 0)
"""


def bot_at(path: Path, scratch: Path) -> Bot:
    """Return a bot, from a copy of its files in `scratch`, as contests do."""
    found = read_submission(path)
    root = scratch / found.content_hash
    found.copy_to(root)
    return Bot(
        content_hash=found.content_hash,
        root=str(root.absolute()),
        entry_point=found.entry_point,
    )


def bot_of(text: str, scratch: Path) -> Bot:
    path = scratch / "bot.py"
    path.write_text(text)
    return bot_at(path, scratch)


def key_of(one: Bot, other: Bot, rules: Ruleset, seed: int, limits: Limits) -> GameKey:
    """Return the key of a game that starts from the empty board."""
    return GameKey(rules=rules, limits=limits, opening=(), first=one, second=other, seed=seed)


def alike(text: str, number: int, folder: Path) -> list[Path]:
    """Write bots that differ only by a comment into a new folder; return their paths."""
    folder.mkdir()
    paths = [folder / f"bot_{index}.py" for index in range(1, number + 1)]
    for index, path in enumerate(paths):
        path.write_text(f"{text}# {index}\n")
    return paths


@contextmanager
def on_one_core() -> Iterator[None]:
    """Behave like a lane: use one core, and freeze the garbage collector."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        os.sched_setaffinity(0, before)
