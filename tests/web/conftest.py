"""A small contest, and a server of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import run_contest
from support.bots import FIRST_FREE, LAST_FREE
from support.served import Served, served
from support.shared import made_once

# Fails after column 6 as first move, hangs after column 5, and raises in a long game.
TRAP = """
def pick_move(rack):
    discs = [(c, d) for c, column in enumerate(rack) for d in column if d]
    if len(discs) == 1 and rack[6][0]:
        raise ValueError("column 6 is <b>mine</b>")
    while len(discs) == 1 and rack[5][0]:
        pass
    if len(discs) > 12:
        raise RuntimeError("too late")
    return [c[-1] for c in rack].index(0)
"""


@pytest.fixture(scope="session")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def play(folder: Path) -> None:
        bots = folder / "bots"
        bots.mkdir()
        (bots / "alice.py").write_text(FIRST_FREE)
        (bots / "robert.py").write_text(LAST_FREE)
        (bots / "trap.py").write_text(TRAP)
        run_contest([bots], folder / "contest", openings=1, house=False)

    return made_once(tmp_path_factory, "web", play) / "contest"


@pytest.fixture(scope="session")
def server(contest: Path) -> Iterator[Served]:
    with served(contest, "--games", "2", "--proxy", "127.0.0.3") as server:
        yield server
