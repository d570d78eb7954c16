"""Records as plain dicts and lists for TOML, JSON and other processes.

`Table` reads untrusted JSON objects and checks each value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import date, datetime, time
from enum import StrEnum
from types import UnionType
from typing import Any, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from arena.common.errors import InputError, SettingError
from arena.common.names import hint_for

R = TypeVar("R")
SHOWN = 60  # Characters of a value in an error.


def to_plain(record: Any) -> dict[str, Any]:
    """Return a record's fields as a dict, without those that are None."""
    return {key: value for key, value in asdict(record).items() if value is not None}


def from_plain(kind: type[R], values: Mapping[str, Any]) -> R:
    """Return a record of the type `kind` with these fields; ignores unknown ones.

    Raises SettingError for a wrong type, TypeError for a missing field.
    """
    hints = get_type_hints(kind)
    return kind(
        **{key: plain_value(key, values[key], hints[key]) for key in hints if key in values}
    )


def plain_value(key: str, value: object, hint: Any) -> Any:
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    for kind in kinds:
        if kind is float and type(value) in (int, float):
            return float(str(value))  # a large int is inf and not an OverflowError
        if get_origin(kind) is Mapping and isinstance(value, dict):
            if (found := _date_in(value)) is not None:
                raise SettingError(key, shown(found), "no dates or times here")
            return value
        if isinstance(kind, type) and issubclass(kind, StrEnum) and value in [*kind]:
            return kind(str(value))
        if get_origin(kind) is tuple and isinstance(value, list):
            return tuple(plain_value(key, each, get_args(kind)[0]) for each in value)
        if type(value) is kind:
            return value
    kind = kinds[0]
    words = kind if isinstance(kind, type) and issubclass(kind, StrEnum) else ()
    hint = hint_for(str(value), map(str, words), "")
    raise SettingError(key, shown(value), _expected(key, kind) + (f"; {hint}" if hint else ""))


def shown(value: object) -> str:
    is_plain = isinstance(value, (bool, str, dict, list))
    return (json.dumps(value, ensure_ascii=False, default=str) if is_plain else str(value))[:SHOWN]


def _date_in(value: object) -> object | None:
    if isinstance(value, dict | list):
        inside = value.values() if isinstance(value, dict) else value
        return next((found for each in inside if (found := _date_in(each)) is not None), None)
    return value if isinstance(value, date | time) else None


def _expected(key: str, kind: Any) -> str:
    if get_origin(kind) is tuple:
        words = get_args(kind)[0]
        if words is str:
            return 'a list of texts, like ["torch"]'
        return "a list, like " + json.dumps([str(each) for each in words][:2])
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return "one of " + ", ".join(f'"{member}"' for member in kind if member)
    if key.endswith("_seconds"):
        return "a number of seconds, like 5 or 0.5"
    return {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "text in quotes",
        datetime: "a date and time without quotes, like 2026-12-01T07:30:00",
    }.get(kind, "a table, like { difficulty_level = 4 }")


MAX_TEXT = 1 << 16  # Characters.


class Table:
    """A JSON object whose values are checked when read. Methods raise InputError."""

    def __init__(self, place: str, values: object) -> None:
        """Check that `values`, from `place`, is a JSON object. Raises InputError."""
        if not isinstance(values, dict):
            raise InputError(f"{place}: not as Arena writes it: expected names with values")
        self.place = place
        self.values: Mapping[str, object] = values

    def refuse(self, name: str, expected: str) -> NoReturn:
        raise InputError(f"{self.place}: {name} is not as Arena writes it: expected {expected}")

    def number(self, name: str, low: int, high: int) -> int:
        value = self.values.get(name)
        if type(value) is not int or not low <= value <= high:
            self.refuse(name, f"a whole number from {low} to {high}")
        return value

    def numbers(self, name: str, low: int, high: int, most: int) -> tuple[int, ...]:
        values = self.values.get(name)
        if not (
            isinstance(values, list)
            and len(values) <= most
            and all(type(value) is int and low <= value <= high for value in values)
        ):
            self.refuse(name, f"at most {most} whole numbers from {low} to {high}")
        return tuple(values)

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            self.refuse(name, f"a text of at most {MAX_TEXT} characters")
        return value

    def table(self, name: str) -> Table:
        return Table(f"{self.place}: {name}", self.values.get(name))

    def tables(self, name: str) -> Iterator[Table]:
        values = self.values.get(name)
        if not isinstance(values, list):
            self.refuse(name, "a list")
        for place, value in enumerate(values, 1):
            yield Table(f"{self.place}: {name}, number {place}", value)
