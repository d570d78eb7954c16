"""Compile the engine: `python -m arena.engine.compile`, once after installing.

Then every process loads machine code from disk. It prints a line for each piece as it begins.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from arena.engine.cache import COMPLETE, cache_folder
from arena.engine.search import Engine
from arena.engine.solver import Solver
from arena.rules import Position, Ruleset


def compile_search() -> None:
    """Compile the search, which is one function whatever the rules."""
    Engine(Ruleset()).search(Position(Ruleset()), nodes=1)


def compile_solver() -> None:
    """So is the solver; a small board needs all of it."""
    small = Ruleset(4, 4)
    Solver(small, table_bits=1).solve(Position(small))


PIECES: tuple[tuple[str, Callable[[], None]], ...] = (
    ("search", compile_search),
    ("solver", compile_solver),
)
"""What there is to compile, each with a call that needs all of it."""


def main() -> int:
    """Compile what is not compiled yet. Exit code 0 also where it cannot be kept on disk."""
    for name, compile_piece in PIECES:
        print(f"compiling the engine's {name}, once", flush=True)
        compile_piece()
    folder = cache_folder()
    if folder is None:
        print("not kept: no cache folder can be written; set NUMBA_CACHE_DIR to one", flush=True)
        return 0
    try:
        (folder / COMPLETE).touch()
        _remove_outdated(folder)
    except OSError:
        print(f"not kept: {folder} cannot be written", flush=True)
    return 0


def _remove_outdated(folder: Path) -> None:
    """Remove what earlier versions of the engine left beside its sources."""
    if folder.parent.parent == Path(__file__).parent:
        for other in folder.parent.glob("arena-engine-*"):
            if other != folder:
                shutil.rmtree(other)


if __name__ == "__main__":
    sys.exit(main())
