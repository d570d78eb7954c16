"""Reading and writing `contest.toml`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

import tomli_w

from arena.common.errors import InputError, SettingError
from arena.common.files import write_file
from arena.common.names import hint_for, one_of
from arena.common.plain import from_plain, plain_value, shown, to_plain
from arena.interfaces import INTERFACES, EntryPoint, Overrides
from arena.interfaces.description import NAME
from arena.interfaces.description_reader import description
from arena.openings.pool import ALL
from arena.scoring.grade_rules import GradeRule
from arena.settings.contest import (
    ALL_SHARED,
    PRESETS,
    BotEntry,
    Contest,
    Schedule,
    options_set,
    shared_openings_of,
    with_preset,
)

SECTIONS = ("rules", "limits", "schedule", "ranking", "grades", "publish", "packages")
TOP_LEVEL = (*SECTIONS, "interface", "bots", "preset")
NO_BUDGET = 0  # `nodes = None` in a contest file; TOML has no null.


def read_contest_file(path: Path, base: Contest) -> Contest:
    """Read an instructor's file; other settings are from `base` or the file's preset.

    Settings of bots override what Arena finds. Raises InputError with file, line and key.
    """
    return _TomlReader(path).contest(base, _set_by_instructor)


def read_recorded(path: Path) -> Contest:
    """Read what `write_contest_file` wrote, also long ago. Raises InputError."""
    older = Schedule(with_unloadable=True, shared_openings=ALL)
    return _TomlReader(path).contest(Contest(schedule=older), _recorded)


def read_interface(path: Path) -> tuple[str, dict[str, Any]]:
    """Return an interface's name (its file's) and its table. Raises InputError."""
    reader = _TomlReader(path)
    own = reader.document.get("interface")
    if "entry" not in reader.document and not reader.document.keys().isdisjoint(TOP_LEVEL):
        tables = own.items() if isinstance(own, dict) else ()
        name = next((name for name, table in tables if isinstance(table, dict)), "")
        copied = f", or copy the keys of [interface.{name}] into {name}.toml" if name else ""
        raise InputError(f"{path}: is a contest file; name it with --config{copied}")
    if problem := interface_name_problem(path.stem):
        raise InputError(f"{path}: the interface has this file's name: {problem}")
    return path.stem, reader.interface(path.stem, (), reader.document)


def interface_name_problem(name: str) -> str | None:
    """Return why an instructor's interface cannot have a name, as a clause."""
    like = re.sub(r"[^a-z0-9_-]", "-", name.lower()).lstrip("-_0123456789")[:30] or "mycourse"
    like = f"my-{like}" if like in INTERFACES else like
    if name in INTERFACES:
        return f"{name} is an interface of Arena; take another name, like {like}"
    if not NAME.fullmatch(name):
        rule = "begins with a small letter and has small letters, digits, - and _ only"
        return f"{shown(name)} is not allowed: a name {rule}, like {like}"
    return None


def write_contest_file(path: Path, contest: Contest) -> None:
    write_file(path, contest_text(contest), durable=True)


def contest_text(contest: Contest) -> str:
    document: dict[str, Any] = {name: _plain(getattr(contest, name)) for name in SECTIONS}
    document["interface"] = {name: json.loads(text) for name, text in contest.interfaces.items()}
    document["bots"] = {name: _plain(_table(bot)) for name, bot in contest.bots.items()}
    return tomli_w.dumps(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class _BotTable:
    file: str | None = None
    interface: str | None = None
    entry: str | None = None
    node_function: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    said: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    content_hash: str | None = None
    problem: str | None = None
    refused: str | None = None
    house: bool = False
    engine: str | None = None
    description: str | None = None
    likeness: str | None = None
    unloadable: bool | None = None


def _table(bot: BotEntry) -> _BotTable:
    point, overrides = bot.entry_point, bot.overrides
    places = {"file": overrides.file, "interface": overrides.interface, "entry": overrides.entry}
    found = {**to_plain(bot), **to_plain(point), "entry": point.name}
    known: dict[str, Any] = {each.name: found.get(each.name) for each in fields(_BotTable)}
    known["said"] = {key: value for key, value in places.items() if value is not None}
    for optional in ("description", "likeness", "unloadable"):
        known[optional] = known[optional] or None
    return _BotTable(**known)


def _recorded(name: str, table: _BotTable) -> BotEntry:
    known = to_plain(table)
    overrides = {"node_function": table.node_function, **table.said, "options": table.options}
    if table.house:
        overrides["options"] = options_set(name, table.options)
    if "interface" in table.said:
        overrides["interface"] = table.interface
    return replace(
        from_plain(BotEntry, known),
        overrides=Overrides(**overrides),
        entry_point=from_plain(EntryPoint, {**known, "name": table.entry or ""}),
    )


def _set_by_instructor(name: str, table: _BotTable) -> BotEntry:
    given = {key: value for key, value in to_plain(table).items() if value}
    return BotEntry(overrides=from_plain(Overrides, given))


def _plain(record: Any) -> dict[str, Any]:
    values = to_plain(record)
    if "move_seconds" in values:
        values.setdefault("nodes", NO_BUDGET)
    if values.get("shared_openings") == ALL:
        values["shared_openings"] = ALL_SHARED
    return values


class _TomlReader:
    def __init__(self, path: Path) -> None:
        try:
            text = path.read_text("utf-8")
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from None
        self._path, lines = path, text.splitlines()
        self._numbers = _line_numbers(lines)
        try:
            self.document = tomllib.loads(text)
        except RecursionError:
            raise InputError(f"{path}: its values are nested too deeply") from None
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"line (\d+)", str(error))
            line = at[1] if at else len(lines)  # without a line: the end of the document
            detail = str(error).split(" (at")[0]
            raise InputError(
                f"{path}:{line}: not valid TOML: {detail[:1].lower()}{detail[1:]}"
            ) from None

    def contest(self, base: Contest, entry: Callable[[str, _BotTable], BotEntry]) -> Contest:
        """Read the file; `entry` converts each bot's name and table. Raises InputError."""
        document = dict(self.document)
        preset = document.pop("preset", None)
        if preset is not None:
            if str(preset) not in PRESETS:
                raise self._error((), "preset", preset, one_of(str(preset), PRESETS))
            base = with_preset(preset, base)
        for key in document:
            self._known((), key, TOP_LEVEL)
        sections = {}
        for name in SECTIONS:
            if name in document:
                sections[name] = self._record(getattr(base, name), (name,), document[name])
        own = {**base.interfaces, **self._interfaces(document.get("interface", {}))}
        bots = document.get("bots", {})
        if not isinstance(bots, dict):
            raise self._error((), "bots", bots, 'expected tables, like [bots."alice"]')
        entries = {}
        for name, table in bots.items():
            found = entry(name, self._record(_BotTable(), ("bots", name), table, own))
            entries[name] = replace(found, place=self._place(("bots",), name))
        return replace(base, interfaces=own, bots=entries, **sections)

    def _interfaces(self, tables: object) -> dict[str, str]:
        found: dict[str, str] = {}
        if not isinstance(tables, dict):
            expected = "expected tables, like [interface.mycourse]"
            raise self._error((), "interface", tables, expected)
        for name, table in tables.items():
            table = self.interface(name, ("interface", name), table)
            found[name] = json.dumps(table, sort_keys=True)
        return found

    def interface(self, name: str, section: tuple[str, ...], table: Any) -> dict[str, Any]:
        """Return the table of an interface, checked. Raises InputError."""
        if section and (problem := interface_name_problem(name)):
            raise InputError(f"{self._at(section[:-1], name)}{problem}")
        try:
            description(table)
        except SettingError as error:
            within = (*section, *filter(None, [error.within]))
            raise InputError(f"{self._at(within, error.key)}{error}") from None
        return table  # type: ignore[no-any-return]

    def _record(
        self, base: Any, section: tuple[str, ...], table: object, own: Iterable[str] = ()
    ) -> Any:
        if not isinstance(table, dict):
            raise self._error(section[:-1], section[-1], table, "expected a table of keys")
        assert is_dataclass(base) and not isinstance(base, type)
        hints = get_type_hints(type(base))
        values: dict[str, Any] = {}
        try:
            for key, value in table.items():
                self._known(section, key, tuple(hints))
                is_none = key == "nodes" and value == NO_BUDGET and type(value) is int
                if key == "shared_openings":
                    value = shared_openings_of(value)
                values[key] = None if is_none else plain_value(key, value, hints[key])
            known = (*INTERFACES, *own)
            if (name := values.get("interface")) not in (None, "", *known):
                hint = hint_for(str(name), known, "")
                expected = f"one of {', '.join(map(shown, known))}{hint and f'; {hint}'}"
                raise SettingError("interface", shown(name), expected)
            if section == ("limits",) and values.get("nodes") is not None:
                values.setdefault("nodes_for_all", True)
            if section == ("grades",) and values.get("levels"):
                values.setdefault("rule", GradeRule.AUTO)  # not that of a preset
            return replace(base, **values)
        except SettingError as error:
            within = (*section, error.within) if error.within else section
            raise InputError(f"{self._at(within, error.key)}{error}") from None

    def _known(self, section: tuple[str, ...], key: str, known: tuple[str, ...]) -> None:
        if key not in known:
            hint = hint_for(key, known, f"known: {', '.join(known)}")
            raise InputError(f"{self._at(section, key)}{key}: no such key; {hint}")

    def _error(
        self, section: tuple[str, ...], key: str, value: object, expected: str
    ) -> InputError:
        return InputError(f"{self._at(section, key)}{key} = {shown(value)}: {expected}")

    def _at(self, section: tuple[str, ...], key: str) -> str:
        """Return `contest.toml:14: [limits] `, without the line if it is not found."""
        return self._place(section, key) + (f"[{'.'.join(section)}] " if section else "")

    def _place(self, section: tuple[str, ...], key: str) -> str:
        # the key may be in an inline table
        line = self._numbers.get((*section, key)) or self._numbers.get(section)
        return f"{self._path}:{line}: " if line else f"{self._path}: "


def _line_numbers(lines: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Return the first line of each table and key, by path; a key counts for tables around it."""
    found: dict[tuple[str, ...], int] = {}
    current: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            current = _dotted(header[1])
            found.setdefault(current, number)
        elif setting := re.match(r"\s*([^=#]+?)\s*=", line):
            path = current + _dotted(setting[1])
            for end in range(1, len(path) + 1):
                found.setdefault(path[:end], number)
    return found


def _dotted(name: str) -> tuple[str, ...]:
    return tuple(
        bare or quoted for quoted, bare in re.findall(r"""["']([^"']*)["']|([^.\s"']+)""", name)
    )
