"""Two runs of the benchmark side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.measure.bench.figure import Figure
from arena.measure.bench.result import Result

BETTER, WORSE, WITHIN, ONCE = "better", "worse", "within the spread", "measured once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A figure of an earlier run and of this one."""

    name: str
    """The figure."""

    old: float
    """Its median in the earlier run."""

    new: float
    """Its median in this run."""

    verdict: str
    """`better` or `worse` where no value of one run is among those of the other."""

    @property
    def ratio(self) -> float | None:
        """New ÷ old; None for an old value of 0."""
        return self.new / self.old if self.old else None


def changes(figures: Iterable[Figure], old: Result, new: Result) -> Iterator[Change]:
    """Yield how each figure changed that both runs have."""
    for figure in figures:
        name = figure.name
        if name in old.medians and name in new.medians:
            yield Change(
                name=name,
                old=old.medians[name],
                new=new.medians[name],
                verdict=_verdict(figure, old, new),
            )


def _verdict(figure: Figure, old: Result, new: Result) -> str:
    """Say whether a change is more than chance, as far as two runs can tell."""
    name = figure.name
    if name not in old.spread or name not in new.spread:
        return ONCE
    (old_low, old_high), (new_low, new_high) = old.spread[name], new.spread[name]
    if new_low <= old_high and old_low <= new_high:
        return WITHIN
    return BETTER if (new_low > old_high) == figure.more_is_better else WORSE
