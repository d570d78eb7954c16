"""What the engine does in a second: search, and exact values."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import perf_counter, process_time_ns

from arena.measure.bench.effort import Effort
from arena.measure.bench.figure import Samples
from arena.measure.bench.samples import on_one_core
from arena.rules import Position, Ruleset


@on_one_core()
def search(scratch: Path, effort: Effort) -> Samples:
    """Measure plain alpha-beta with a transposition table, by CPU time, from the empty board."""
    boards = Ruleset(), Ruleset(rows=8, columns=8)
    speeds = [_mnps(board, effort) for board in boards]
    return {"engine_mnps": min(speeds, key=max)}


def _mnps(rules: Ruleset, effort: Effort) -> list[float]:
    """Million positions a second of each round."""
    from arena.engine import Engine  # it loads numba, which takes half a second

    engine, position = Engine.plain(rules, table=True), Position(rules)
    engine.search(position, nodes=effort.nodes)
    speeds = []
    for _ in range(effort.rounds):
        started = process_time_ns()
        found = engine.search(position, nodes=effort.nodes)
        speeds.append(found.nodes * 1e3 / (process_time_ns() - started))
    return speeds


def solve(scratch: Path, effort: Effort) -> Samples:
    """Measure the mean over random positions of 12 to 36 plies, the solver's code being loaded."""
    from arena.engine import Solver  # as above

    source = Random(7)
    spread: list[Position] = []
    while len(spread) < effort.solved:
        position = Position(Ruleset())
        plies = 12 + len(spread) % 25
        while position.ply < plies and not position.is_over:
            position.play(source.choice(position.legal()))
        if not position.is_over:
            spread.append(position)
    Solver(Ruleset(4, 4)).value(Position(Ruleset(4, 4)))
    means = []
    for _ in range(effort.runs):
        solver = Solver(Ruleset())  # what one found out would help the next
        started = perf_counter()
        for position in spread:
            solver.value(position)
        means.append((perf_counter() - started) / effort.solved * 1e3)
    return {"solve_ms": means}


def opening_value(scratch: Path, effort: Effort) -> Samples:
    """Measure the exact value of the empty board, the hardest there is."""
    from arena.engine import Solver  # as above

    Solver(Ruleset(4, 4)).value(Position(Ruleset(4, 4)))
    board = Ruleset(*effort.empty_board)
    started = perf_counter()
    Solver(board).value(Position(board))
    return {"opening_value_s": [perf_counter() - started]}
