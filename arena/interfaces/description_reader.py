"""Reads the description of an interface; each fault is an error of one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from arena.common.errors import SettingError
from arena.common.names import hint_for
from arena.common.plain import plain_value, shown
from arena.interfaces.description import (
    CALL,
    IN_BOARD,
    IN_PLAY,
    Argument,
    ArrayOf,
    BoardForm,
    BoardKind,
    CallOf,
    Description,
    DictOf,
    EachLegal,
    Named,
    Role,
    TextOf,
    TupleOf,
    roles_in,
)

# Names in sources. Those with two leading underscores are Python's own.
IDENTIFIER = re.compile(r"_?[A-Za-z][A-Za-z0-9_]{0,79}", re.ASCII)
# As in a shell: * is any text, [12_] one of these characters; | is between alternatives.
PATTERN = re.compile(r"(?!__)[A-Za-z_*][A-Za-z0-9_*|\[\]-]{0,199}", re.ASCII)
WORDS = re.compile(rf"{IDENTIFIER.pattern}(\|{IDENTIFIER.pattern}){{0,19}}", re.ASCII)
DOTTED = re.compile(r"([A-Za-z][A-Za-z0-9_]{0,39})?(\.[A-Za-z][A-Za-z0-9_]{0,39}){1,5}", re.ASCII)
MOST = 20  # Entries of a list or table.
MAX_TEXT = 200  # Characters.
MOST_CELLS = 1000  # Largest number that counts cells or items.
MAX_SIZE = 10_000  # Characters of a whole description.
DTYPES = ("int8", "int16", "int32", "int64", "uint8", "float32", "float64", "object", "str", "list")

# Patterns for the texts of some keys, in words too.
TEXTS: Mapping[str, tuple[re.Pattern[str], str]] = {
    **dict.fromkeys(
        ("function", "class", "instance", "base", "parameters", "needs", "without"),
        (PATTERN, "a name in a source, in which * stands for any text"),
    ),
    "method": (re.compile(f"{IDENTIFIER.pattern}|{CALL}", re.ASCII), "the name of a method"),
    **dict.fromkeys(("play", "answer_in", "answer", "state"), (IDENTIFIER, "a name")),
    "type": (DOTTED, 'a module and a class, like "board.Board"'),
    "sizes": (re.compile(r"[1-9]\d?x[1-9]\d?", re.ASCII), 'rows and columns up to 99, like "6x7"'),
}
OF_BITS = frozenset((Role.OWN_BITS, Role.OPPONENT_BITS, Role.ALL_BITS))
# Forms in which the disc that a bot added can be found.
COMPARED = (BoardKind.ARRAY, BoardKind.LISTS, BoardKind.TUPLES, BoardKind.FLAT)


def description(table: object) -> Description:
    """Read a description from a TOML table. Raises SettingError."""
    if len(repr(table)) > MAX_SIZE:
        raise SettingError("entry", "…", f"at most {MAX_SIZE} characters in a description")
    read: Description = _record(Description, "interface", table)
    entry, board = read.entry, read.board
    owners = entry.class_ or entry.instance
    if not (entry.function or owners) or (entry.class_ and entry.instance):
        found = "class and instance" if owners else "none of them"
        expected = "a function, a class or an instance, and not both a class and an instance"
        raise SettingError("entry", found, expected)
    if bool(owners) != bool(entry.method):
        expected = "the method that moves" if owners else "no method of a function"
        raise SettingError("method", shown(" ".join(entry.method)), expected, within="entry")
    if (board.own is None) != (board.other is None):
        raise SettingError("own", shown(board.own), "both own and other", within="board")
    _dtype(board.dtype, within="board")
    _check_cells(board)
    if (made := read.object) is None:
        if Role.OBJECT in roles_in(read.make, read.move):
            raise SettingError("object", "nothing", "a table [object], as the role object is used")
    elif Role.OBJECT in roles_in(made):
        raise SettingError("arguments", '"object"', "other roles", within="object")
    elif Role.OBJECT in roles_in(read.make) and not (read.make.anew or made.kept):
        expected = "kept = true, or anew = true in [make]; else the bot has the empty board"
        raise SettingError("kept", "false", expected, within="object")
    elif made.kept and not made.play:
        raise SettingError("kept", "true", "the method play, which adds discs", within="object")
    is_compared = read.move.new_board or read.move.answer_in == IN_BOARD
    if is_compared and board.form not in COMPARED:
        expected = f"a form other than {board.form} for a new board"
        raise SettingError("form", shown(str(board.form)), expected, within="board")
    if OF_BITS & roles_in(read) and board.form is not BoardKind.BITS:
        raise SettingError("form", shown(str(board.form)), '"bits", as a role is', within="board")
    if read.move.answer_in == IN_PLAY and (read.object is None or not read.object.play):
        raise SettingError("answer_in", '"play"', "the method play of [object]", within="move")
    for within, base in (("move", read.move.base), ("board", board.base)):
        if base not in (0, 1):
            raise SettingError("base", shown(base), "0 or 1", within=within)
    return read


def _dtype(name: object, within: str = "") -> str:
    if not isinstance(name, str) or name not in DTYPES:
        raise SettingError("dtype", shown(name), _one_of(DTYPES), within=within)
    return name


def _check_cells(board: BoardForm) -> None:
    discs = (board.first, board.second) if board.own is None else (board.own, board.other)
    cells = (board.empty, *discs)
    if any(cells.index(cell) < at for at, cell in enumerate(cells)):
        raise SettingError("empty", shown(board.empty), "three different cells", within="board")
    is_number = board.form is BoardKind.ARRAY and board.dtype not in ("object", "str")
    for cell in cells:
        if is_number and not isinstance(cell, (int, float, Named, CallOf)):
            expected = 'numbers as cells of this dtype; or dtype = "object"'
            raise SettingError("dtype", shown(board.dtype), expected, within="board")


@cache
def _hints(kind: type[Any]) -> Mapping[str, Any]:
    """Return the types of a record's values by key; to find them takes longer than to read one."""
    return {name.rstrip("_"): hint for name, hint in get_type_hints(kind).items()}


def _keys(hint: Any) -> list[str]:
    kind = next((each for each in (*get_args(hint), hint) if is_dataclass(each)), None)
    return [each.name.rstrip("_") for each in fields(kind)] if kind else []


def _record(kind: type[Any], key: str, table: object) -> Any:
    if not isinstance(table, dict):
        raise SettingError(key, shown(table), "a table of keys")
    within = "" if kind is Description else key
    hints: Mapping[str, Any] = _hints(kind)  # type: ignore[arg-type]
    names = {each.name.rstrip("_"): each for each in fields(kind)}
    values = {}
    for name, value in table.items():
        if name not in names:
            homes = [home for home, each in hints.items() if name in _keys(each)]
            hint = f"it belongs in [{homes[0]}]" if homes else _one_of(names)
            hint = hint_for(str(name), names, hint)
            raise SettingError(
                str(name), shown(value), f"a key that there is; {hint}", within=within
            )
        try:
            values[names[name].name] = _value(name, value, hints[name])
        except SettingError as error:
            error.within = error.within or within
            raise
    for name, each in names.items():
        if each.default is MISSING and each.default_factory is MISSING and name not in table:
            raise SettingError(name, "nothing", "a value: it has no default", within=within)
    return kind(**values)


def _value(key: str, value: object, hint: Any) -> Any:
    if hint == Argument:
        return _argument(key, value)
    if hint is object:
        found = _text_or_named(key, value)
        if roles_in(found):
            raise SettingError(key, shown(value), "no role in a value that is made once a game")
        return found
    if get_origin(hint) is tuple:
        values = _few(key, value) if isinstance(value, list) else [value]
        return tuple(_value(key, each, get_args(hint)[0]) for each in values)
    if get_origin(hint) is Mapping and isinstance(value, dict):
        return {
            _checked(name, name, WORDS, "a name"): _value(name, each, get_args(hint)[1])
            for name, each in _few(key, value).items()
        }
    kinds = get_args(hint) or (hint,)
    if any(is_dataclass(kind) for kind in kinds):
        return _record(kinds[0], key, value)
    found = plain_value(key, value, hint)
    if type(found) is int and abs(found) > MOST_CELLS:
        raise SettingError(key, shown(found), f"at most {MOST_CELLS}")
    if type(found) is str:
        return _checked(key, found, *TEXTS[key]) if key in TEXTS else _literal(key, found)
    return found


def _text_or_named(key: str, value: object) -> object:
    match value:
        case {"name": name, **more} if not more:
            return _named(key, name)
        case {"none": True, **more} if not more:
            return None
        case {"call": name, **more} if more.keys() <= {"arguments", "named"}:
            given = _value(key, more.get("arguments", []), tuple[Argument, ...])
            named = _value(key, more.get("named", {}), Mapping[str, Argument])
            return CallOf(_named(key, name).name, given, named)
    return _literal(key, value)


def _argument(key: str, value: object) -> Argument:
    match value:
        case str(role):
            if role not in [*Role]:
                expected = f'{_one_of(Role)}; or {{ text = "{role[:20]}" }}'
                raise SettingError(key, shown(role), expected)
            return Role(role)
        case {"text": str(text), **more} if not more:
            return _literal(key, text)
        case {"tuple": items, **more} if not more:
            return TupleOf(_value(key, items, tuple[Argument, ...]))
        case {"dict": items, **more} if not more:
            return DictOf(_value(key, items, Mapping[str, Argument]))
        case {"text_of": value, **more} if not more:
            return TextOf(_argument(key, value))
        case {"array_of": value, **more} if more.keys() <= {"dtype"}:
            return ArrayOf(_argument(key, value), _dtype(more.get("dtype", "int64")))
        case {"each_legal": item, **more} if not more:
            return EachLegal(_argument(key, item))
    return _text_or_named(key, value)


def _literal(key: str, value: object) -> object:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise SettingError(key, shown(value), f"at most {MAX_TEXT} characters")
    if type(value) not in (bool, int, float, str):
        expected = "a number, a text, true or false, { name = … }, { call = … } or { none = true }"
        raise SettingError(key, shown(value), expected)
    return value


def _named(key: str, name: object) -> Named:
    return Named(_checked(key, name, DOTTED, 'a module and a name in it, like "board.EMPTY"'))


def _checked(key: str, text: object, form: re.Pattern[str], expected: str) -> str:
    if not isinstance(text, str) or not form.fullmatch(text):
        if isinstance(text, str) and re.search(r"(^|\.)__", text):
            expected += "; names that begin with __ are Python's own"
        raise SettingError(key, shown(text), expected)
    return text


def _one_of(names: Iterable[str]) -> str:
    return f"one of {', '.join(names)}"


def _few(key: str, values: Any) -> Any:
    if len(values) > MOST:
        raise SettingError(key, f"{len(values)} entries", f"at most {MOST}")
    return values
