"""Cutting workers off a cluster during a contest."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from .contests import command, games_of, played
from .networks import Network

START_SECONDS, END_SECONDS = 120, 600  # Limits for the first games of a contest, and for all.


def play_with_cuts(
    network: Network,
    scheduler: str,
    bots: Path,
    out: Path,
    openings: int,
    cuts: Sequence[tuple[Sequence[int], float]],
) -> str:
    """Play a contest from the network's hub with cuts; return its output.

    Each cut has its workers and its seconds.
    """
    words = [*network.hub, *command(bots, out, openings), "--cluster", scheduler]
    said = out.with_suffix(".txt")
    with said.open("w") as file:
        main = subprocess.Popen(words, stdout=file, stderr=file)
    try:
        for workers, seconds in cuts:
            _wait_for_more_games(out, main)
            for worker in workers:
                network.cut(worker)
            time.sleep(seconds)
            for worker in workers:
                network.mend(worker)
        code = main.wait(END_SECONDS)
    finally:
        main.kill()
        main.wait()
    text = said.read_text()
    assert code == 0, text
    assert "Traceback" not in text, text
    assert len(games_of(out)) > 0
    return text


def _wait_for_more_games(out: Path, main: subprocess.Popen[bytes]) -> None:
    before = played(out)
    give_up_at = time.monotonic() + START_SECONDS
    while played(out) <= before:
        assert main.poll() is None, f"the contest ended before it was cut off: {main.returncode}"
        assert time.monotonic() < give_up_at, "no game ended"
        time.sleep(0.1)
