"""Bots of a course whose interface is a description."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import operator
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from pprint import pformat
from textwrap import indent
from typing import Any

from arena.common.errors import NoMoveError, UnsuitableError
from arena.interfaces.binding import Supply, call_by_name, plain, require_no_options
from arena.interfaces.contract import Profile, Setup, is_course_file
from arena.interfaces.description import (
    CALL,
    IN_LIST,
    Argument,
    CallOf,
    Description,
    Move,
    Named,
    Role,
    TupleOf,
    description,
)
from arena.interfaces.shown import shown_board
from arena.rules import Ruleset
from arena.source.classes import own_classes, own_methods

OWN = 100  # The fit of an instructor's own interface.
MAX_WRITTEN = 1000  # Characters of a value in an explanation.
CELLS = ("empty", "first", "second", "own", "other")
NUMBER = re.compile(r"-?\d{1,9}")
Get = Callable[[], object]


class Described:
    """An interface that is defined by a description."""

    PROFILE = Profile.MODULE
    HAS_BUDGET = False

    def __init__(self, name: str, source: Path | str) -> None:
        """Take a description: a shipped TOML file, read when needed, or an instructor's JSON."""
        self.NAME = name
        self._source = source

    @cached_property
    def text(self) -> str:
        """The description as JSON."""
        if isinstance(self._source, str):
            return self._source
        return json.dumps(tomllib.loads(self._source.read_text("utf-8")), sort_keys=True)

    @cached_property
    def description(self) -> Description:
        return description(json.loads(self.text))

    @property
    def MOVES(self) -> tuple[str, ...]:  # as the modules' constant
        method = self.description.entry.method
        return (method,) if method else ()

    @property
    def shape(self) -> str:
        """The function, class or object that a bot needs, in words."""
        entry = self.description.entry
        if entry.function:
            return f"function {' or '.join(entry.function)}"
        kind = "class" if entry.class_ else "object"
        return f"{kind} {' or '.join(entry.class_ or entry.instance)} with {entry.method}"

    def find(self, tree: ast.Module) -> str | None:
        """Return the best name, and among equals the last that is defined."""
        entry = self.description.entry
        if not set(entry.needs) <= _defined(tree):
            return None
        if entry.function:
            return _best(entry.function, self._functions(tree))
        classes = own_classes(tree)
        if entry.class_:
            return _best(entry.class_, (name for name in classes if self._fits(classes, name)))
        return _best(entry.instance, self._instances(tree, classes))

    def fit(self, name: str) -> int:
        """Return how exactly the description names an entry: more is more exact."""
        entry = self.description.entry
        if entry.fallback:
            return 0
        fit = OWN if isinstance(self._source, str) else 1
        fit += 3 * (name in (*entry.function, *entry.class_, *entry.instance))
        return fit + bool(entry.base) + bool(entry.method) + 2 * bool(entry.parameters)

    def refuses(self, rules: Ruleset) -> str | None:
        sizes = self.description.sizes
        if sizes and f"{rules.rows}x{rules.columns}" not in sizes:
            return f"bots of {self.NAME} know boards of {', '.join(sizes)} only"
        return None

    def adapt(self, entry: Any, setup: Setup) -> DescribedAdapter:
        return DescribedAdapter(self.description, entry, setup)

    def _functions(self, tree: ast.Module) -> Iterator[str]:
        known: set[str] = set()
        for node in tree.body:
            match node:
                case ast.FunctionDef(name, takes):
                    known.add(name)
                    if self._takes(takes, 0):
                        yield name
                case ast.Assign([ast.Name(name)], ast.Lambda(takes)):
                    if self._takes(takes, 0):
                        yield name
                case ast.Assign([ast.Name(name)], ast.Attribute()):
                    if not self.description.entry.parameters:  # nobody can see its parameters
                        yield name
                case ast.Assign([ast.Name(name)], ast.Name(other)) if other in known:
                    yield name

    def _fits(self, classes: Mapping[str, ast.ClassDef], name: str) -> bool:
        entry = self.description.entry
        move = own_methods(classes, name).get(entry.method)
        bases = {
            b.id if isinstance(b, ast.Name) else getattr(b, "attr", "") for b in classes[name].bases
        }
        is_one = not entry.base or any(fnmatchcase(b, p) for b in bases for p in entry.base)
        return is_one and move is not None and self._takes(move.args, 1)

    def _instances(self, tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
        for node in tree.body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name(kind))) if kind in classes:
                    if self._fits(classes, kind):
                        yield name

    def _takes(self, takes: ast.arguments, skipped: int) -> bool:
        """Return whether the move can be called, after `skipped` leading parameters."""
        plain = [arg.arg for arg in (*takes.posonlyargs, *takes.args)][skipped:]
        move, wanted = self.description.move, self.description.entry.parameters
        given = len(move.arguments)
        required = plain[: len(plain) - len(takes.defaults)][given:]
        required += [
            arg.arg
            for arg, value in zip(takes.kwonlyargs, takes.kw_defaults, strict=True)
            if not value
        ]
        return (
            (len(plain) >= given or takes.vararg is not None)
            and set(required) <= move.named.keys()
            and len(plain) >= len(wanted)
            and all(map(fnmatchcase, plain, wanted))
        )


def _best(patterns: Sequence[str], names: Iterator[str]) -> str | None:
    found = list(names)
    for pattern in patterns:
        if fits := [name for name in found if fnmatchcase(name, pattern)]:
            return fits[-1]
    return None


def _defined(tree: ast.Module) -> set[str]:
    names = {getattr(node, "name", "") for node in tree.body}
    assigned = (node for node in tree.body if isinstance(node, ast.Assign))
    return names | {t.id for node in assigned for t in node.targets if isinstance(t, ast.Name)}


class DescribedAdapter:
    def __init__(self, description: Description, entry: Any, setup: Setup) -> None:
        self._described, self._setup = description, setup
        self._player = setup.player
        self._state: object = None
        self._list: list[object] = []
        form = description.board
        values: dict[str, Any] = {name: _resolved(getattr(form, name), setup) for name in CELLS}
        self._board = shown_board(replace(form, **values), setup.rules, setup.player)
        move = description.move
        self._is_coded = any(
            (move.answer, move.answer_in, move.new_board, move.text, move.base, move.none)
        )
        self._last: tuple[object, object] = (move.no_column, move.no_column)
        self._discs: list[tuple[int, int]] = []
        side = description.side
        self._sides = tuple(_resolved(each, setup) for each in (side.first, side.second))
        self._kept: Any = None
        if description.object is not None:
            self._type = _named(description.object.type, setup)
        self._bot = self._made(entry)
        method = description.entry.method
        ask = self._bot if method in ("", CALL) else getattr(self._bot, method, None)
        if not callable(ask):
            raise UnsuitableError(f"has no method {method!r} once it is made")
        self._ask: Callable[..., object] = ask
        self._arguments = [self._getter(each) for each in move.arguments]
        takes = _parameters(self._ask)
        named = {name: each for name, each in move.named.items() if name in takes}
        self._named = {name: self._getter(each) for name, each in named.items()}

    def see(self, player: int, column: int) -> None:
        self._board.see(player, column)
        self._discs.append((player, column))
        move = self._described.move
        last = column + move.base, self._board.row_at(self._board.heights[column] - 1)
        if player != self._player:
            self._last = last
        if self._kept is not None:
            self._drop(self._kept, player, column)
        if told := move.tell_own if player == self._player else move.tell:
            of_opponent, self._last = self._last, last
            for name, arguments in told.items():
                getattr(self._bot, name)(*[self._getter(each)() for each in arguments])
            self._last = of_opponent

    def pick(self) -> object:
        self._list = [None]
        given = [get() for get in self._arguments]
        named = {name: get() for name, get in self._named.items()}
        if self._described.explain:
            self._explain_call(given, named)
        answer = self._ask(*given, **named)
        if self._described.explain:
            print("answer:", _written(self._answer(answer)))
        if self._described.move.state:
            self._state = _part(answer, self._described.move.state)
        column = self._decode(answer) if self._is_coded else answer
        if self._described.explain:
            print("column from the left, counted from 0:", _written(column))
        return column

    def _answer(self, returned: object) -> object:
        place = self._described.move.answer_in
        if place == IN_LIST:
            return self._list
        return getattr(self._bot, place, None) if place else returned

    def _decode(self, answer: object) -> object:
        move = self._described.move
        answer = _part(self._answer(answer), move.answer)
        if move.new_board:
            return self._board.difference(answer)
        return _column(answer, move, self._setup.rules.columns)

    def _explain_call(self, given: list[object], named: Mapping[str, object]) -> None:
        print("position (X is this bot):")
        columns = [""] * self._setup.rules.columns
        for player, column in self._discs:
            columns[column] += "X" if player == self._player else "O"
        for row in range(self._setup.rules.rows - 1, -1, -1):
            print("  " + " ".join(column[row : row + 1] or "." for column in columns))
        print("call:", getattr(self._ask, "__name__", "bot"))
        for text in (*map(_written, given), *(f"{n} = {_written(v)}" for n, v in named.items())):
            print(indent(text, "  "))

    def _made(self, entry: Any) -> Any:
        make, options = self._described.make, self._setup.options
        bot = entry
        if self._described.entry.class_:
            given = [self._getter(each)() for each in make.arguments]
            named: Supply = {(plain(n),): self._getter(each) for n, each in make.named.items()}
            bot = call_by_name(entry, named, options, leading=given)
        else:
            require_no_options(options)
        for name, value in make.set.items():
            setattr(bot, name, self._getter(value)())
        for name, arguments in make.calls.items():
            if callable(method := getattr(bot, name, None)):
                call_by_name(method, {}, leading=[self._getter(each)() for each in arguments])
        return bot

    def _getter(self, argument: Argument) -> Get:
        """Return a function that returns the argument's value at the moment."""
        rules, sides = self._setup.rules, self._sides
        match argument:
            case CallOf(call, arguments):
                kind = _named(call, self._setup)
                getters = [self._getter(each) for each in arguments]
                return lambda: kind(*[get() for get in getters])
            case Named(name):
                value = _named(name, self._setup)
                return lambda: value
            case Role.BOARD:
                return self._board.show
            case Role.OBJECT:
                return self._object
            case Role.STATE:
                return lambda: self._state
            case Role.LIST:
                return lambda: self._list
            case Role.COLUMN:
                return lambda: self._last[0]
            case Role.ROW:
                return lambda: self._last[1]
            case TupleOf(items):
                parts = [self._getter(each) for each in items]
                return lambda: tuple(get() for get in parts)
            case Role.MOVES:
                return lambda: [column + self._described.move.base for _, column in self._discs]
            case Role.LEGAL:
                base = self._described.move.base
                return lambda: [c + base for c, has_room in enumerate(self._mask()) if has_room]
            case Role.MASK:
                return self._mask
            case Role():
                fixed = {
                    Role.SIDE: sides[self._player],
                    Role.OPPONENT: sides[1 - self._player],
                    Role.ROWS: rules.rows,
                    Role.COLUMNS: rules.columns,
                    Role.CONNECT: rules.connect,
                    Role.SECONDS: self._setup.move_seconds,
                    Role.NODES: self._setup.nodes,
                }[argument]
                return lambda: fixed
        return lambda: argument

    def _mask(self) -> list[bool]:
        return [height < self._setup.rules.rows for height in self._board.heights]

    def _object(self) -> object:
        if self._kept is not None:
            return self._kept
        shown = self._described.object
        assert shown is not None
        made = self._type(
            *[self._getter(each)() for each in shown.arguments],
            **{name: self._getter(each)() for name, each in shown.named.items()},
        )
        if shown.play:
            for player, column in self._discs:
                made = self._drop(made, player, column)
        for name, value in shown.set.items():
            setattr(made, name, self._getter(value)())
        if shown.kept:
            self._kept = made
        return made

    def _drop(self, made: Any, player: int, column: int) -> Any:
        shown = self._described.object
        assert shown is not None
        of_disc = {Role.COLUMN: column + self._described.move.base, Role.SIDE: self._sides[player]}
        given = [
            of_disc[each] if isinstance(each, Role) and each in of_disc else self._getter(each)()
            for each in shown.play_arguments
        ]
        answer = getattr(made, shown.play)(*given)
        return answer if isinstance(answer, type(made)) else made


def _part(answer: Any, way: Sequence[int | str]) -> Any:
    part = answer
    try:
        for step in way:
            if isinstance(step, int) or isinstance(part, Mapping):
                part = part[step]
            else:
                part = getattr(part, step)
    except (TypeError, IndexError, KeyError, AttributeError):
        shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
        raise NoMoveError(f"answered {_what(answer)}, which has no {shown}") from None
    return part


def _column(answer: object, move: Move, columns: int) -> object:
    if move.text and isinstance(answer, str):
        found = NUMBER.search(answer)
        if found is None:
            raise NoMoveError("answered a text without a number of a column")
        answer = int(found[0])
    if move.none and isinstance(answer, (int, float, str)) and answer in move.none:
        raise NoMoveError(f"answered {answer!r}, which in its course means that it has no move")
    if not move.base:
        return answer
    try:
        column = operator.index(answer)  # type: ignore[arg-type]
    except TypeError:
        return answer
    if not move.base <= column < columns + move.base:
        raise NoMoveError(f"answered {str(column)[:20]}; its columns are {move.base} to {columns}")
    return column - move.base


def _what(answer: object) -> str:
    return "None" if answer is None else f"a value of type {type(answer).__name__[:60]}"


def _written(value: object) -> str:
    try:
        return pformat(value, width=60, compact=True, sort_dicts=False)[:MAX_WRITTEN]
    except Exception:  # the class is a student's
        return _what(value)


def _resolved(value: object, setup: Setup) -> object:
    return _named(value.name, setup) if isinstance(value, Named) else value


def _named(name: str, setup: Setup) -> Any:
    """Return a value of a module of the hand-in, or else of its course; never of another."""
    module, *parts = name.split(".")
    origin = getattr(find_spec(module), "origin", None) or ""
    own = {each.partition(".")[0] for each in setup.sources()}
    if origin and module not in own and not is_course_file(origin):
        raise UnsuitableError(f"has no module {module}, but its interface needs {name}")
    value: Any = importlib.import_module(module)
    for part in parts:
        module = f"{module}.{part}"
        if not hasattr(value, part):
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:
                    raise
                raise UnsuitableError(f"has no {name}, which its interface needs") from None
        value = getattr(value, part)
    return value


def _parameters(function: Any) -> set[str]:
    try:
        return {*inspect.signature(function).parameters}
    except (TypeError, ValueError):
        return set()
