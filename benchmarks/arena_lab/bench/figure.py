"""A figure of the benchmark, and the effort of its measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Repetitions and sizes. Only results of the default can be compared."""

    rounds: int = 9
    """Rounds of measurements in turns."""

    round_trips: int = 5000
    starts: int = 15

    program_games: int = 3
    """Games between two copies of a program."""

    nodes: int = 400_000

    games: int = 4000
    """Games between two random bots."""

    runs: int = 3
    """Runs of contests inside this process, and of commands that take seconds."""

    crowd: int = 200
    """Bots in a large class of quick bots."""

    crowd_games: int = 8000
    """Games that this class plays."""

    thinkers: int = 40
    """Bots in contests that measure utilisation."""

    many_bots: int = 300
    """Bots in the large contest, which has ten openings."""

    many_games: int = 100_000
    """Games of the long contest, between five bots."""

    few_games: int = 1000
    """Games of the short contest to which it is compared."""

    few: int = 10
    """Bots in a small class."""

    many: int = 50
    """Bots in a usual class."""

    solved: int = 75
    openings: int = 21

    opening_plies: int = 9
    """Plies of these openings, one more than in the table."""

    large_plies: int = 26
    """Plies of positions of 8×8 that are solved."""


USUAL = Effort()


# One or more values of each figure, in the order of measurement.
Samples = Mapping[str, Sequence[float]]
Measure = Callable[[Path, Effort], Samples]  # Measures figures; may write into the shared folder.


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A row of the table of `arena lab bench`."""

    name: str
    """Key in the JSON output; ends with the unit."""

    unit: str
    """The unit; empty for a ratio."""

    what: str

    limit: str
    """What limits it, in a few words."""

    measure: Measure
    """The function that measures the figure, and perhaps others too."""

    more_is_better: bool = False

    whole: bool = False
    """Whether measuring takes minutes, and so needs `--whole`."""
