"""Costs of the engine without preparation: first use, and an opening's value."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from time import perf_counter

from arena.rules import Position, Ruleset

# The empty board, and the hardest openings known.
HARD_OPENINGS = ((), (3, 3, 3, 3, 3), (0, 1, 4, 4, 4, 5), (0, 0, 1, 2, 1, 1))


def first_use_s() -> float:
    """Return the wall seconds of `arena lab solve 3333` with nothing compiled."""
    with tempfile.TemporaryDirectory() as folder:
        # machine code depends on the processor's name
        empty = {"NUMBA_CACHE_DIR": folder, "NUMBA_CPU_NAME": "host"}
        command = [sys.executable, "-m", "arena", "solve", "3333"]
        started = perf_counter()
        subprocess.run(command, env=os.environ | empty, capture_output=True, check=True)
        return perf_counter() - started


def opening_value_s(openings: tuple[tuple[int, ...], ...] = HARD_OPENINGS) -> float:
    """Return the seconds for the exact value of the slowest opening."""
    # numba takes half a second to import, which must not count here
    from arena.engine import Solver
    from arena.engine.opening_values import opening_values

    rules = Ruleset()
    Solver(Ruleset(4, 4)).value(Position(Ruleset(4, 4)))
    spent = []
    for columns in openings:
        solver = Solver(rules, table_bits=24, known=opening_values(rules))
        started = perf_counter()
        solver.value(Position(rules, columns))
        spent.append(perf_counter() - started)
    return max(spent)
