"""A figure of the benchmark: what it is, and what keeps it from being better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena_lab.bench.effort import Effort

Samples = Mapping[str, Sequence[float]]
"""What was measured, in the order in which it was: for each figure a value or several."""

Measure = Callable[[Path, Effort], Samples]
"""Measures some figures; it may write into the folder, which others use too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A row of the table that `arena bench` prints."""

    name: str
    """The key in the JSON; it ends with the unit."""

    unit: str
    """Empty for a ratio."""

    what: str
    """What is measured, in a few words."""

    limit: str
    """What limits it, in a few words."""

    measure: Measure
    """Measures it, and perhaps others at the same time."""

    more_is_better: bool = False
    """True of a speed."""

    whole: bool = False
    """True if it takes a whole contest or command, too long for every day."""
