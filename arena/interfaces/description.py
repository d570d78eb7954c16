"""A course's interface as data: how its bots are found, made and asked for a move.

A description is a TOML table: a file in `arena/interfaces/courses/`, or `[interface.NAME]` in a
contest file. It is never executed. docs/reference/interfaces.md explains each key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from arena.common.errors import SettingError
from arena.common.names import hint_for
from arena.common.plain import plain_value, shown

NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")  # The name of an interface.
# Names in sources. Those with two leading underscores are Python's own.
IDENTIFIER = re.compile(r"_?[A-Za-z][A-Za-z0-9_]{0,79}", re.ASCII)
# As in a shell: * is any text, [12_] one of these characters; | is between alternatives.
PATTERN = re.compile(r"(?!__)[A-Za-z_*][A-Za-z0-9_*|\[\]-]{0,199}", re.ASCII)
WORDS = re.compile(rf"{IDENTIFIER.pattern}(\|{IDENTIFIER.pattern}){{0,19}}", re.ASCII)
DOTTED = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}(\.[A-Za-z][A-Za-z0-9_]{0,39}){1,5}", re.ASCII)
CALL = "__call__"
MOST = 20  # Entries of a list or table.
MAX_TEXT = 200  # Characters.
MAX_SIZE = 10_000  # Characters of a whole description.
DTYPES = ("int8", "int16", "int32", "int64", "uint8", "float32", "float64", "object", "str")
IN_LIST = "list"  # In `answer_in`.

# Patterns for the texts of some keys, in words too.
TEXTS: Mapping[str, tuple[re.Pattern[str], str]] = {
    **dict.fromkeys(
        ("function", "class", "instance", "base", "parameters", "needs", "without"),
        (PATTERN, "a name in a source, in which * stands for any text"),
    ),
    "method": (re.compile(f"{IDENTIFIER.pattern}|{CALL}", re.ASCII), "the name of a method"),
    **dict.fromkeys(("play", "answer_in", "answer", "state"), (IDENTIFIER, "a name")),
    "type": (DOTTED, 'a module and a class, like "board.Board"'),
    "sizes": (re.compile(r"[1-9]\d?x[1-9]\d?", re.ASCII), 'rows and columns, like "6x7"'),
}


class Role(StrEnum):
    """An argument that changes from game to game. Other texts are `{ text = "…" }`."""

    BOARD = "board"
    """The position, as the table `board` says."""
    OBJECT = "object"
    """The object that the table `object` describes."""
    SIDE = "side"
    """The bot's side, as the table `side` says."""
    OPPONENT = "opponent"
    """The other side."""
    COLUMN = "column"
    """The opponent's last column, `no_column` if there is none."""
    ROW = "row"
    """The row of that disc, counted as in the table `board`."""
    ROWS = "rows"
    COLUMNS = "columns"
    CONNECT = "connect"
    """The discs in a line."""
    SECONDS = "seconds"
    """The limit for a move."""
    NODES = "nodes"
    """The node budget; None without one."""
    STATE = "state"
    """The state that the last move returned; None before the first."""
    LIST = "list"
    """A list in which the bot writes its answer; at first its only item is None."""
    MOVES = "moves"
    """All columns played so far, a list."""
    LEGAL = "legal"
    """The columns with room, a list."""
    MASK = "mask"
    """For each column whether it has room, a list."""
    CELLS = "cells"
    """The number of cells of the board."""
    PLY = "ply"
    """The number of discs on the board."""


class BoardKind(StrEnum):
    ARRAY = "array"
    """A numpy array of two dimensions."""
    PLANES = "planes"
    """A numpy array [row, column, 2]: the own and the opponent's plane, 1 for a disc, else 0."""
    LISTS = "lists"
    TUPLES = "tuples"
    FLAT = "flat"
    """One list of all cells."""
    TEXT = "text"
    """One string of all cells; `separator` is between lines."""


Scalar = object  # A number, a text, true or false, or a Named.


@dataclass(frozen=True, slots=True)
class Named:
    """A value of a module, the hand-in's or course's: `{ name = "board.Color.RED" }`."""

    name: str


@dataclass(frozen=True, slots=True)
class CallOf:
    """An argument made by a call: `{ call = "board.Move", arguments = ["column"] }`."""

    call: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple of arguments: `{ tuple = ["rows", "columns"] }`."""

    items: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class RecordOf:
    """A dict whose items are attributes too: `{ record = { mark = "side" } }`."""

    items: Mapping[str, Argument]


Argument = Role | Named | CallOf | TupleOf | RecordOf | Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The function, class or instance at module level that plays."""

    function: tuple[str, ...] = ()
    """Names of functions, lambdas or other callables at module level, the best first."""
    class_: tuple[str, ...] = ()
    """Names of classes."""
    instance: tuple[str, ...] = ()
    """Names of instances at module level."""
    base: tuple[str, ...] = ()
    """Names of base classes; a class must have one of them."""
    method: tuple[str, ...] = ()
    """Names of the method that moves; `__call__` for an instance that is called."""
    parameters: tuple[str, ...] = ()
    """Names, or words of the annotations, of the move's first parameters; none: any."""
    needs: tuple[str, ...] = ()
    """Names that the file must define too."""
    without: tuple[str, ...] = ()
    """Names that are defined together only in files of another kind."""
    finished: bool = False
    """Leave out classes whose method is a stub or asks a person."""
    fallback: bool = False
    """Whether every other interface that fits a file is preferred."""
    definitions_only: bool = False
    """Execute only imports, definitions and constants of the file, as with a notebook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Make:
    """How a bot's instance is made, once a game."""

    arguments: tuple[Argument, ...] = ()
    """Arguments by position, as many as the constructor takes."""
    named: Mapping[str, Argument] = field(default_factory=dict)
    """Arguments by name, for parameters that the constructor has; `|` is between names."""
    set: Mapping[str, Argument] = field(default_factory=dict)
    """Attributes that are set afterwards."""
    calls: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    """Methods that are called next, if the bot has them, each with a list of its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardForm:
    form: BoardKind = BoardKind.ARRAY
    """The kind of value that holds the position."""
    dtype: str = "int64"
    """The type of an array's values."""
    read_only: bool = False
    """Only arrays: the bot cannot change its copy."""
    top: bool = True
    """Whether row 0 is the top row."""
    by_columns: bool = False
    """Whether the first index is the column."""
    separator: str = ""
    """Characters between the lines of a text."""
    empty: Scalar = 0
    """An empty cell."""
    first: Scalar = 1
    """A disc of the player who moves first."""
    second: Scalar = 2
    """A disc of the other player."""
    own: Scalar = None
    """The bot's disc, if its discs look the same on both sides; then `other` too."""
    other: Scalar = None
    """The opponent's disc."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An object that shows the position, of a class of the hand-in or the course."""

    type: str
    """Module and class: `board.Board`."""
    arguments: tuple[Argument, ...] = ()
    """Arguments by position."""
    named: Mapping[str, Argument] = field(default_factory=dict)
    """Arguments by name."""
    set: Mapping[str, Argument] = field(default_factory=dict)
    """Attributes that are set afterwards."""
    tried: bool = False
    """Whether trials find out how the hand-in's own class is made and played on."""
    play: str = ""
    """The method that drops a disc; none: the position is in the arguments."""
    play_arguments: tuple[Argument, ...] = (Role.COLUMN,)
    """Its arguments; `column` and `side` are those of the disc."""
    kept: bool = False
    """Whether the bot gets the same object at each move, not a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    first: Scalar = 1
    """The side of the player who moves first."""
    second: Scalar = 2
    """The other side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    arguments: tuple[Argument, ...] = (Role.BOARD,)
    """Arguments by position."""
    optional: tuple[Argument, ...] = ()
    """Further arguments by position, as many as a function or a called instance takes."""
    named: Mapping[str, Argument] = field(default_factory=dict)
    """Arguments by name, for parameters that the move has; `|` is between names."""
    answer: tuple[int | str, ...] = ()
    """The way from the answer to the column: indices, names of attributes or keys, like `[0]`."""
    answer_in: str = ""
    """Where the answer is: `list` for the role of that name, or an attribute of the bot; else it is
    what the move returns."""
    new_board: bool = False
    """Whether the answer is the board with one more disc, in the form of `board`."""
    text: bool = False
    """Whether the answer is a text; the first number in it is the column."""
    base: int = 0
    """The number of the first column, 0 or 1, in answers and in arguments."""
    none: tuple[Scalar, ...] = ()
    """Answers that mean that the bot has no move."""
    no_column: Scalar = None
    """The value of `column` and `row` before the opponent's first move."""
    state: tuple[int | str, ...] = ()
    """The way from the answer to the state for the next move."""
    tell: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    """Methods that are called after each disc of the opponent, with their arguments."""
    tell_own: Mapping[str, tuple[Argument, ...]] = field(default_factory=dict)
    """Methods that are called after each disc of the bot; there `column` is the bot's."""
    only_opponent: bool = False
    """Whether the bot learns only its opponent's moves: it cannot play from an opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    about: str = ""
    """The function as its course writes it, for documents and messages."""
    entry: Entry
    """The function, class or instance that plays."""
    make: Make = field(default_factory=Make)
    """How a bot of a class is made; functions and instances need nothing."""
    side: Side = field(default_factory=Side)
    """The role `side`."""
    board: BoardForm = field(default_factory=BoardForm)
    """The role `board`."""
    object: Shown | None = None
    """The role `object`."""
    move: Move = field(default_factory=Move)
    """How the bot is asked, and what its answer is."""
    sizes: tuple[str, ...] = ()
    """Boards that its bots can play, like "6x7"; none: any."""
    node_budget: bool = False
    """Whether the contest's node budget holds for its bots, also without `nodes_for_all`."""
    explain: bool = False
    """Print each position, call and answer to the bot's output, to try a description."""
    refuses: str = ""
    """Why bots of this course cannot play here, as a clause; empty if they can."""


def description(table: object) -> Description:
    """Read a description from a TOML table. Raises SettingError."""
    if len(repr(table)) > MAX_SIZE:
        raise SettingError("entry", "…", f"at most {MAX_SIZE} characters in a description")
    read: Description = _record(Description, "interface", table)
    entry, board = read.entry, read.board
    owners = entry.class_ or entry.instance
    if not (entry.function or owners) or (entry.class_ and entry.instance):
        found = "class and instance" if owners else "none of them"
        raise SettingError("entry", found, "a function, and a class or an instance, or one of them")
    if bool(owners) != bool(entry.method):
        expected = "the method that moves" if owners else "no method of a function"
        raise SettingError("method", shown(" ".join(entry.method)), expected, within="entry")
    if (board.own is None) != (board.other is None):
        raise SettingError("own", shown(board.own), "both own and other", within="board")
    if board.dtype not in DTYPES:
        raise SettingError("dtype", shown(board.dtype), _one_of(DTYPES), within="board")
    _check_cells(board)
    if read.object is None and Role.OBJECT in roles_in(read.make, read.move):
        raise SettingError("object", "nothing", "a table [object], as the role object is used")
    if read.object is not None and Role.OBJECT in roles_in(read.object):
        raise SettingError("arguments", '"object"', "other roles", within="object")
    if read.object is not None and read.object.kept and not read.object.play:
        raise SettingError("kept", "true", "the method play, which adds discs", within="object")
    if read.move.new_board and board.form in (BoardKind.TEXT, BoardKind.PLANES):
        expected = f"a form other than {board.form} for a new board"
        raise SettingError("form", shown(str(board.form)), expected, within="board")
    if read.move.base not in (0, 1):
        raise SettingError("base", shown(read.move.base), "0 or 1", within="move")
    return read


def _check_cells(board: BoardForm) -> None:
    discs = (board.first, board.second) if board.own is None else (board.own, board.other)
    cells = (board.empty, *discs)
    if any(cells.index(cell) < at for at, cell in enumerate(cells)):
        raise SettingError("empty", shown(board.empty), "three different cells", within="board")
    is_number = board.form is BoardKind.ARRAY and board.dtype not in ("object", "str")
    for cell in cells:
        if is_number and not isinstance(cell, (int, float, Named)):
            expected = 'numbers as cells of this dtype; or dtype = "object"'
            raise SettingError("dtype", shown(board.dtype), expected, within="board")


def roles_in(*tables: object) -> set[Role]:
    """Return the roles of all arguments in parts of a description."""
    found = list(tables)
    for each in found:  # the list grows
        if is_dataclass(each):
            found += [getattr(each, part.name) for part in fields(each)]
        elif isinstance(each, (tuple, Mapping)):
            found += each.values() if isinstance(each, Mapping) else each
    return {each for each in found if isinstance(each, Role)}


@cache
def _hints(kind: type[Any]) -> Mapping[str, Any]:
    """Return the types of a record's values by key; to find them takes longer than to read one."""
    return {name.rstrip("_"): hint for name, hint in get_type_hints(kind).items()}


def _keys(hint: Any) -> list[str]:
    """Return the keys of a type that is a table."""
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
        return _text_or_named(key, value)
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
    if isinstance(found, str) and key in TEXTS:
        return _checked(key, found, *TEXTS[key])
    if isinstance(found, str) and len(found) > MAX_TEXT:
        raise SettingError(key, shown(found), f"at most {MAX_TEXT} characters")
    return found


def _text_or_named(key: str, value: object) -> object:
    match value:
        case {"name": name, **more} if not more:
            return _named(key, name)
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
        case {"call": name, **more} if more.keys() <= {"arguments"}:
            given = _value(key, more.get("arguments", []), tuple[Argument, ...])
            return CallOf(_named(key, name).name, given)
        case {"tuple": items, **more} if not more:
            return TupleOf(_value(key, items, tuple[Argument, ...]))
        case {"record": items, **more} if not more:
            return RecordOf(_value(key, items, Mapping[str, Argument]))
    return _text_or_named(key, value)


def _literal(key: str, value: object) -> object:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise SettingError(key, shown(value), f"at most {MAX_TEXT} characters")
    if type(value) not in (bool, int, float, str):
        raise SettingError(key, shown(value), "a number, a text, true or false")
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
