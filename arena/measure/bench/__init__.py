"""The benchmark: what a move, a start, a contest and a command cost on this machine, in one run.

A figure is a row of `table.py`, and a function of `moves`, `starts`, `thinking`, `contests`,
`crowds` or `commands` that measures it. Figures that are compared are measured in turns, so that a
drift of the machine's speed hits both.
"""

from arena.measure.bench.compare import Change, changes
from arena.measure.bench.effort import Effort
from arena.measure.bench.figure import Figure
from arena.measure.bench.result import Result, read_result
from arena.measure.bench.table import FIGURES, measure

__all__ = [
    "FIGURES",
    "Change",
    "Effort",
    "Figure",
    "Result",
    "changes",
    "measure",
    "read_result",
]
