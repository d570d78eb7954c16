"""The benchmark: what moves, games, starts and commands cost on this machine.

A figure is a row of `table.py`, with a measuring function in another module. Figures that are
compared are measured in turns, so that changes of the machine's speed affect both.
"""

from arena_lab.bench.compare import BenchResult, FigureChange, changes, read_result
from arena_lab.bench.figure import Effort, Figure
from arena_lab.bench.table import FIGURES, measure

__all__ = [
    "FIGURES",
    "BenchResult",
    "Effort",
    "Figure",
    "FigureChange",
    "changes",
    "measure",
    "read_result",
]
