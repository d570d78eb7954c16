"""Play one contest, disturbed hundreds of times, and the same undisturbed."""

from __future__ import annotations

import argparse
import random
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from .clusters import SHARES, DaskCluster
from .contests import command, games_of, play_calmly, write_bots
from .kills import Contest
from .networks import Network, play_with_cuts

BOTS = 10
PAIRS = BOTS * (BOTS - 1)  # Games of an opening, with the sides swapped.
GAMES_A_KILL = 15  # Games between two kills, on two lanes.
CUT_OPENINGS = 10


def main() -> int:
    """Return 0 if both contests have the same games."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="default: 200")
    parser.add_argument("--seed", type=int, help="repeats the draws of an earlier run")
    parser.add_argument("--cluster", action="store_true", help="play on a Dask cluster")
    parser.add_argument(
        "--cut",
        type=float,
        metavar="SECONDS",
        help="in place of kills, cut one of two workers in network namespaces off for so long, "
        "and then both",
    )
    parser.add_argument("--keep", type=Path, help="a new folder for all that is written")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nothing is left running
    openings = CUT_OPENINGS if asked.cut else max(1, asked.kills * GAMES_A_KILL // PAIRS)
    with ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(TemporaryDirectory(prefix="faults-")))
        bots, out = write_bots(folder / "bots", BOTS), folder / "shaken"
        words = command(bots, out, openings)
        if asked.cut:
            cuts = [((0,), asked.cut), ((0, 1), asked.cut)]
            with Network(2) as network, DaskCluster(folder / "dask", 2, network) as cluster:
                words += ["--cluster", cluster.address]
                print(play_with_cuts(network, words, out, cuts), flush=True)
        else:
            _kill(asked, words, folder)
        shaken, calm = games_of(out), play_calmly(bots, folder / "calm", openings)
    print(f"{len(shaken):,} games, {shaken['key'].nunique():,} keys;", end=" ")
    is_same = shaken.equals(calm)
    print("the same as undisturbed" if is_same else "NOT the same as undisturbed")
    return int(not is_same)


def _kill(asked: argparse.Namespace, words: list[str], folder: Path) -> None:
    """Play a contest whose processes are killed."""
    seed = random.randrange(10**6) if asked.seed is None else asked.seed
    print(f"seed {seed}; {asked.kills} kills", flush=True)
    with ExitStack() as stack:
        if asked.cluster:
            cluster = stack.enter_context(DaskCluster(folder / "dask"))
            words += ["--cluster", cluster.address]
            contest = Contest(words, seed, pause_seconds=1.2, look=cluster.living, shares=SHARES)
        else:
            contest = Contest(words, seed)
        contest.play(asked.kills, folder / "said.txt")
    print("killed:", ", ".join(f"{count} × {kind}" for kind, count in contest.killed.items()))
    print("ends of the command:", dict(contest.ends), flush=True)


if __name__ == "__main__":
    sys.exit(main())
