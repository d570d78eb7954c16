"""The speed of the engine: search, and exact values."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import perf_counter, process_time_ns

from arena.rules import Position, Ruleset
from arena_lab.bench.figure import Effort, Samples
from arena_lab.bench.samples import on_one_core

CLASSIC = Ruleset()


@on_one_core()
def search(scratch: Path, effort: Effort) -> Samples:
    """Measure the speed of plain alpha-beta with a transposition table, in CPU time."""
    boards = Ruleset(), Ruleset(rows=8, columns=8)
    speeds = [_mnps(board, effort) for board in boards]
    return {"engine_mnps": min(speeds, key=max)}


def _mnps(rules: Ruleset, effort: Effort) -> list[float]:
    """Return the speed in each round, in million positions per second."""
    from arena.engine import Engine  # loads numba, which takes half a second

    engine, position = Engine.plain(rules, table=True), Position(rules)
    engine.search(position, nodes=effort.nodes)
    speeds = []
    for _ in range(effort.rounds):
        started = process_time_ns()
        found = engine.search(position, nodes=effort.nodes)
        speeds.append(found.nodes * 1e3 / (process_time_ns() - started))
    return speeds


def solve(scratch: Path, effort: Effort) -> Samples:
    """Measure the solver's mean time for random positions of 12 to 36 plies."""
    from arena.engine import Solver  # as above

    source = Random(7)
    spread = [_at_random(source, 12 + number % 25) for number in range(effort.solved)]
    Solver(Ruleset(4, 4)).value(Position(Ruleset(4, 4)))
    means = []
    for _ in range(effort.runs):
        solver = Solver(Ruleset())  # with an empty table
        started = perf_counter()
        for position in spread:
            solver.value(position)
        means.append((perf_counter() - started) / effort.solved * 1e3)
    return {"solve_ms": means}


def opening_value(scratch: Path, effort: Effort) -> Samples:
    """Measure the time for random openings' exact values, as in `arena lab solve`.

    Openings one ply longer than those in the table need the most search.
    """
    return {"opening_value_s": _values(Ruleset(), effort.opening_plies, effort)}


def large_value(scratch: Path, effort: Effort) -> Samples:
    """Measure the time for exact values of random positions of 8×8."""
    return {"large_value_s": _values(Ruleset(8, 8), effort.large_plies, effort)}


def _values(rules: Ruleset, plies: int, effort: Effort) -> list[float]:
    from arena.engine import Solver  # as above
    from arena.engine.opening_values import opening_values

    source, taken = Random(7), []
    Solver(Ruleset(4, 4)).value(Position(Ruleset(4, 4)))
    for _ in range(effort.openings):
        solver = Solver(rules, table_bits=24, known=opening_values(rules))
        position = _at_random(source, plies, rules)
        started = perf_counter()
        solver.value(position)
        taken.append(perf_counter() - started)
    return taken


def _at_random(source: Random, plies: int, rules: Ruleset = CLASSIC) -> Position:
    """Return an unfinished position after `plies` random moves."""
    position = Position(rules)
    while position.ply < plies or position.is_over:
        if position.is_over:
            position = Position(rules)
        else:
            position.play(source.choice(position.legal()))
    return position
