"""Values of a JSON file that may come from anywhere, each asked for with what it must be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from arena.errors import InputError

MAX_TEXT = 1 << 16
"""Characters of the longest text in it."""


class Table:
    """A JSON object whose values are asked for by name, each with what it must be."""

    def __init__(self, place: str, values: object) -> None:
        """`place` is where it stands, for people. Raises InputError if it is no object."""
        if not isinstance(values, dict):
            raise InputError(f"{place}: not as Arena writes it: expected names with values")
        self.place = place
        self.values: Mapping[str, object] = values

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise InputError about a value."""
        raise InputError(f"{self.place}: {name} is not as Arena writes it: expected {expected}")

    def number(self, name: str, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`. Raises InputError."""
        value = self.values.get(name)
        if type(value) is not int or not low <= value <= high:
            self.refuse(name, f"a whole number from {low} to {high}")
        return value

    def numbers(self, name: str, low: int, high: int, most: int) -> tuple[int, ...]:
        """Return at most so many whole numbers from `low` to `high`. Raises InputError."""
        values = self.values.get(name)
        if not (
            isinstance(values, list)
            and len(values) <= most
            and all(type(value) is int and low <= value <= high for value in values)
        ):
            self.refuse(name, f"at most {most} whole numbers from {low} to {high}")
        return tuple(values)

    def text(self, name: str) -> str:
        """Return a text. Raises InputError."""
        value = self.values.get(name)
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            self.refuse(name, f"a text of at most {MAX_TEXT} characters")
        return value

    def table(self, name: str) -> Table:
        """Return an object. Raises InputError."""
        return Table(f"{self.place}: {name}", self.values.get(name))

    def tables(self, name: str) -> Iterator[Table]:
        """Yield the objects of a list. Raises InputError."""
        values = self.values.get(name)
        if not isinstance(values, list):
            self.refuse(name, "a list")
        for place, value in enumerate(values, 1):
            yield Table(f"{self.place}: {name}, number {place}", value)

    def seconds(self, name: str) -> float:
        """Return a number of seconds. Raises InputError."""
        value = self.values.get(name)
        if type(value) not in (int, float):
            self.refuse(name, "a number of seconds")
        return float(str(value))

    def truth(self, name: str) -> bool:
        """Return true or false. Raises InputError."""
        value = self.values.get(name)
        if type(value) is not bool:
            self.refuse(name, "true or false")
        return value is True
