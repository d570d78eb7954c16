"""What a run of the benchmark found: the median of each figure, its lowest and highest value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import median

from arena.errors import InputError
from arena.measure.bench.figure import Samples

SPREAD = "spread"
"""The key beside the figures' own."""

DIGITS = 4
"""Decimals that are kept."""


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of one run."""

    medians: Mapping[str, float]
    """The median of each figure by its name."""

    spread: Mapping[str, tuple[float, float]]
    """The lowest and the highest value of each that was measured more than once."""

    @classmethod
    def of(cls, samples: Samples) -> Result:
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


def read_result(path: Path) -> Result:
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
    return Result(medians, {name: (low, high) for name, (low, high) in spread.items()})


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]


def _other(path: Path) -> InputError:
    return InputError(f"{path}: not what `arena bench --json` prints; --compare needs that")
