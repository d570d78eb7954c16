"""Two runs of the benchmark side by side.

What a run of the benchmark found: the median of each figure, its lowest and highest value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import median

from arena.common.errors import InputError
from arena_lab.bench.figure import Figure, Samples

SPREAD = "spread"
"""The key beside the figures' own."""

DIGITS = 4
"""Decimals that are kept."""


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The figures of one run."""

    medians: Mapping[str, float]
    """The median of each figure by its name."""

    spread: Mapping[str, tuple[float, float]]
    """The lowest and the highest value of each that was measured more than once."""

    @classmethod
    def of(cls, samples: Samples) -> BenchResult:
        """Return what was measured."""
        return cls(
            {name: round(median(values), DIGITS) for name, values in samples.items()},
            {
                name: (round(min(values), DIGITS), round(max(values), DIGITS))
                for name, values in samples.items()
                if len(values) > 1
            },
        )

    def as_object(self) -> dict[str, object]:
        """Return it as JSON has it: the medians by name, and the spread under a name of its own."""
        spread = {name: list(ends) for name, ends in self.spread.items()}
        return {**self.medians, SPREAD: spread}


def read_result(path: Path) -> BenchResult:
    """Read what `arena bench --json` printed into a file. Raises InputError."""
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):  # no text, no JSON, or very deep
        found = None
    if not isinstance(found, dict):
        raise _other(path)
    spread = found.pop(SPREAD, {})  # earlier versions wrote none
    medians = {name: value for name, value in found.items() if _is_number(value)}
    if not medians or not isinstance(spread, dict):
        raise _other(path)
    for ends in spread.values():
        if not (isinstance(ends, list) and len(ends) == 2 and all(map(_is_number, ends))):
            raise _other(path)
    return BenchResult(medians, {name: (low, high) for name, (low, high) in spread.items()})


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]


def _other(path: Path) -> InputError:
    return InputError(f"{path}: not what `arena bench --json` prints; --compare needs that")


BETTER, WORSE, WITHIN, ONCE = "better", "worse", "within the spread", "measured once"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange:
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


def changes(
    figures: Iterable[Figure], old: BenchResult, new: BenchResult
) -> Iterator[FigureChange]:
    """Yield how each figure changed that both runs have."""
    for figure in figures:
        name = figure.name
        if name in old.medians and name in new.medians:
            yield FigureChange(
                name=name,
                old=old.medians[name],
                new=new.medians[name],
                verdict=_verdict(figure, old, new),
            )


def _verdict(figure: Figure, old: BenchResult, new: BenchResult) -> str:
    """Say whether a change is more than chance, as far as two runs can tell."""
    name = figure.name
    if name not in old.spread or name not in new.spread:
        return ONCE
    (old_low, old_high), (new_low, new_high) = old.spread[name], new.spread[name]
    if new_low <= old_high and old_low <= new_high:
        return WITHIN
    return BETTER if (new_low > old_high) == figure.more_is_better else WORSE
