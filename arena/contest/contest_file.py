"""Reading and writing `contest.toml`, with errors that name the line and the key."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import tomli_w

from arena.contest.config import BotEntry, Contest
from arena.contest.presets import PRESETS, on_top
from arena.errors import InputError

SECTIONS = ("rules", "limits", "schedule")
NO_BUDGET = 0
"""How a contest file says `nodes = None`, for which TOML has no word."""


def read_contest_file(path: Path, base: Contest) -> Contest:
    """The contest of a file, on top of `base` or of the preset that the file names.

    Raises InputError: `contest.toml:14: [limits] move_seconds = "fast": expected a number …`.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from None
    return _Reader(str(path), text).contest(base)


def write_contest_file(path: Path, contest: Contest) -> None:
    """Write the effective configuration, complete."""
    document: dict[str, Any] = {name: _plain(getattr(contest, name)) for name in SECTIONS}
    document["bots"] = {name: _plain(bot) for name, bot in contest.bots.items()}
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(tomli_w.dumps(document).encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())  # or a machine that crashes may leave an empty file
    partial.replace(path)


def _plain(record: Any) -> dict[str, Any]:
    """A record as TOML values: what is None is left out, no node budget is NO_BUDGET."""
    values = {key: value for key, value in asdict(record).items() if value is not None}
    if "move_seconds" in values:
        values.setdefault("nodes", NO_BUDGET)
    return values


class _Reader:
    """One contest file being read."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()
        try:
            self._document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"line (\d+)", str(error))
            line = at[1] if at else len(self._lines)  # else it is the end of the document
            said = str(error).split(" (at")[0]
            raise InputError(
                f"{path}:{line}: not valid TOML: {said[:1].lower()}{said[1:]}"
            ) from None

    def contest(self, base: Contest) -> Contest:
        """The whole file. Raises InputError."""
        document = dict(self._document)
        preset = document.pop("preset", None)
        if preset is not None:
            if preset not in PRESETS:
                known = ", ".join(PRESETS)
                raise self._error((), "preset", preset, f"expected one of {known}")
            base = on_top(preset, base)
        for key in document:
            self._known((), key, (*SECTIONS, "bots", "preset"))
        sections = {}
        for name in SECTIONS:
            if name in document:
                sections[name] = self._record(getattr(base, name), (name,), document[name])
        bots = document.get("bots", {})
        if not isinstance(bots, dict):
            raise self._error((), "bots", bots, 'expected tables, like [bots."alice"]')
        entries = {
            name: self._record(BotEntry(), ("bots", name), table) for name, table in bots.items()
        }
        return replace(base, bots=entries, **sections)

    def _record(self, base: Any, section: tuple[str, ...], table: object) -> Any:
        """One section as a record of the same class as `base`."""
        if not isinstance(table, dict):
            raise self._error(section[:-1], section[-1], table, "expected a table of keys")
        assert is_dataclass(base) and not isinstance(base, type)
        hints = get_type_hints(type(base))
        values = {}
        for key, value in table.items():
            self._known(section, key, tuple(hints))
            values[key] = self._value(section, key, value, hints[key])
        if section == ("limits",) and values.get("nodes") is not None:
            values.setdefault("nodes_for_all", True)
        try:
            return replace(base, **values)
        except ValueError as error:
            key = str(error).split(" ", 1)[0]
            raise InputError(f"{self._at(section, key)}{error}") from None

    def _value(self, section: tuple[str, ...], key: str, value: object, hint: Any) -> Any:
        """A value as its field wants it. Raises InputError."""
        kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        if key == "nodes" and value == NO_BUDGET and type(value) is int:
            return None
        for kind in kinds:
            if kind is float and type(value) in (int, float):
                return float(value)  # type: ignore[arg-type]
            if get_origin(kind) is Mapping and isinstance(value, dict):
                return value
            if isinstance(kind, type) and issubclass(kind, StrEnum) and value in [*kind]:
                return kind(str(value))
            if type(value) is kind:
                return value
        raise self._error(section, key, value, f"expected {_expected(key, kinds[0])}")

    def _known(self, section: tuple[str, ...], key: str, known: tuple[str, ...]) -> None:
        if key not in known:
            close = get_close_matches(key, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
            raise InputError(f"{self._at(section, key)}{key}: no such key; {hint}")

    def _error(
        self, section: tuple[str, ...], key: str, value: object, expected: str
    ) -> InputError:
        shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
        return InputError(f"{self._at(section, key)}{key} = {shown[:60]}: {expected}")

    def _at(self, section: tuple[str, ...], key: str) -> str:
        """`contest.toml:14: [limits] `, with the line if it can be found."""
        line = _line_of(self._lines, section, key)
        where = f"{self._path}:{line}: " if line else f"{self._path}: "
        return where + (f"[{'.'.join(section)}] " if section else "")


def _line_of(lines: list[str], section: tuple[str, ...], key: str) -> int | None:
    """The line, from 1, that sets a key or opens a table of that name."""
    current: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            current = _dotted(header[1])
            if current == (*section, key):
                return number
        elif setting := re.match(r"\s*([^=#]+?)\s*=", line):
            path = current + _dotted(setting[1])
            if path[: len(section) + 1] == (*section, key):
                return number
    return None


def _dotted(name: str) -> tuple[str, ...]:
    """The parts of a dotted key, without their quotes."""
    return tuple(
        bare or quoted for quoted, bare in re.findall(r"""["']([^"']*)["']|([^.\s"']+)""", name)
    )


def _expected(key: str, kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return "one of " + ", ".join(f'"{member}"' for member in kind)
    if key.endswith("_seconds"):
        return "a number of seconds, like 5 or 0.5"
    return {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "text in quotes",
    }.get(kind, "a table, like { difficulty_level = 4 }")
