"""A figure of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena_lab.bench.effort import Effort

# One or more values of each figure, in the order of measurement.
Samples = Mapping[str, Sequence[float]]
Measure = Callable[[Path, Effort], Samples]  # Measures figures; may write into the shared folder.


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A row of the table of `arena lab bench`."""

    name: str
    """Key in the JSON; ends with the unit."""

    unit: str
    """Empty for a ratio."""

    what: str
    """What is measured, in a few words."""

    limit: str
    """What limits it, in a few words."""

    measure: Measure
    """May measure other figures too."""

    more_is_better: bool = False

    whole: bool = False
    """Takes minutes; measured with `--whole` only."""
