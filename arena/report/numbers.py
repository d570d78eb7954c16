"""How numbers are written where a person reads them."""

from __future__ import annotations

SECOND = 1_000_000_000


def duration(ns: float) -> str:
    """A time in nanoseconds as `8.2 s`, `15 ms` or `0.2 ms`; what is shorter as `under 0.1 ms`."""
    seconds = ns / SECOND
    if seconds >= 1:
        return f"{seconds:,.1f} s"
    if seconds >= 0.01:
        return f"{seconds * 1e3:.0f} ms"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 0.000_1 else "under 0.1 ms"


def mean(values: list[int]) -> float:
    """The mean of numbers, of which there is at least one."""
    return sum(values) / len(values)


def counted(number: int, thing: str) -> str:
    """`1 move`, `12 moves`, `1,000 moves`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
