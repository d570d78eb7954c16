"""Results of the benchmark, and the comparison of two."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import median

from arena.common.errors import InputError
from arena_lab.bench.figure import Figure, Samples

SPREAD = "spread"  # JSON key beside the figures.
DIGITS = 4  # Decimals in results.


@dataclass(frozen=True, slots=True)
class BenchResult:
    medians: Mapping[str, float]

    spread: Mapping[str, tuple[float, float]]
    """(lowest, highest) value of each figure that was measured more than once."""

    @classmethod
    def of(cls, samples: Samples) -> BenchResult:
        return cls(
            {name: round(median(values), DIGITS) for name, values in samples.items()},
            {
                name: (round(min(values), DIGITS), round(max(values), DIGITS))
                for name, values in samples.items()
                if len(values) > 1
            },
        )

    def as_object(self) -> dict[str, object]:
        spread = {name: list(ends) for name, ends in self.spread.items()}
        return {**self.medians, SPREAD: spread}


def read_result(path: Path) -> BenchResult:
    """Read the output of `arena lab bench --json`. Raises InputError."""
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):  # not text, not JSON, or nested too deeply
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
    return InputError(f"{path}: not what `arena lab bench --json` prints; --compare needs that")


BETTER, WORSE, WITHIN, ONCE = "better", "worse", "within the spread", "measured once"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange:
    name: str
    old: float
    new: float

    verdict: str
    """`better` or `worse` if the runs' values do not overlap, else why there is no verdict."""

    @property
    def ratio(self) -> float | None:
        """New ÷ old; None if the old value is 0."""
        return self.new / self.old if self.old else None


def changes(
    figures: Iterable[Figure], old: BenchResult, new: BenchResult
) -> Iterator[FigureChange]:
    """Yield the change of each figure that both runs have."""
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
    name = figure.name
    if name not in old.spread or name not in new.spread:
        return ONCE
    (old_low, old_high), (new_low, new_high) = old.spread[name], new.spread[name]
    if new_low <= old_high and old_low <= new_high:
        return WITHIN
    return BETTER if (new_low > old_high) == figure.more_is_better else WORSE
