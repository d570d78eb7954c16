"""The benchmark: what a move, a start, a contest and a command cost on this machine, in one run.

A figure is a row of `table.py`, and a function of `moves`, `starts`, `thinking`, `contests`,
`crowds` or `commands` that measures it. Figures that are compared are measured in turns, so that a
drift of the machine's speed hits both.
"""

from arena_lab.bench.compare import BenchResult, FigureChange, changes, read_result
from arena_lab.bench.effort import Effort
from arena_lab.bench.figure import Figure
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
