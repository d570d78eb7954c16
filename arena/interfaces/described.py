"""Bots of a course whose interface is a description."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import operator
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from pprint import pformat
from textwrap import indent
from types import MappingProxyType
from typing import Any

from arena.common.errors import NoMoveError, UnsuitableError
from arena.interfaces.binding import Supply, call_by_name, plain, require_no_options
from arena.interfaces.boards import tried_board
from arena.interfaces.contract import Adapter, Profile, Setup, is_course_file
from arena.interfaces.description import (
    CALL,
    IN_LIST,
    Argument,
    CallOf,
    Description,
    Move,
    Named,
    RecordOf,
    Role,
    TupleOf,
    description,
    roles_in,
)
from arena.interfaces.shown import shown_board
from arena.rules import Ruleset
from arena.source.classes import (
    asks_a_person,
    is_unfinished,
    note_words,
    own_classes,
    own_methods,
)

OWN = 100  # The fit of an instructor's own interface.
MAX_WRITTEN = 1000  # Characters of a value in an explanation.
CELLS = ("empty", "first", "second", "own", "other")
NUMBER = re.compile(r"-?\d{1,9}")
NONE: Supply = MappingProxyType({})
Get = Callable[[], object]


# Roles whose values come from the discs in their order.
OF_DISCS = frozenset((Role.COLUMN, Role.ROW, Role.MOVES, Role.OBJECT))


class Described:
    """An interface that is defined by a description."""

    PROFILE = Profile.MODULE

    def __init__(self, name: str, source: Path | str, fit: int = 0) -> None:
        """Take a description: a shipped TOML file, read when needed, or an instructor's JSON.

        `fit` is how exactly it describes its bots; 0 to count what it says of them.
        """
        self.NAME = name
        self._source, self._fit = source, fit

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
    def HAS_BUDGET(self) -> bool:  # as the modules' constant
        return self.description.node_budget

    @property
    def MOVES(self) -> tuple[str, ...]:  # as the modules' constant
        return self.description.entry.method

    @cached_property
    def follows(self) -> bool:
        """Whether its adapters must remember the discs of a game."""
        move, made = self.description.move, (self.description.make, self.description.object)
        is_told = move.tell or move.tell_own or self.description.explain
        return bool(is_told) or not OF_DISCS.isdisjoint(roles_in(move, *made))

    @cached_property
    def is_plain(self) -> bool:
        """Whether the answer is the column itself, and nothing else is to be done."""
        move = self.description.move
        is_plain = move == Move(arguments=move.arguments, optional=move.optional)
        return is_plain and not self.description.explain

    @property
    def shape(self) -> str:
        """The function, class or object that a bot needs, in words."""
        entry = self.description.entry
        if entry.function:
            return f"function {' or '.join(entry.function)}"
        kind = "class" if entry.class_ else "object"
        names, methods = " or ".join(entry.class_ or entry.instance), " or ".join(entry.method)
        return f"{kind} {names} with {methods}"

    def find(self, tree: ast.Module) -> str | None:
        """Return the best class or instance, else function; among equals the last one."""
        entry, defined = self.description.entry, _defined(tree)
        if not defined.issuperset(entry.needs):
            return None
        if entry.without and defined.issuperset(entry.without):
            return None
        classes = own_classes(tree)
        return (
            _best(entry.class_, (name for name in classes if self._fits(classes, name)))
            or _best(entry.instance, self._instances(tree, classes))
            or _best(entry.function, self._functions(tree))
        )

    def fit(self, tree: ast.Module, name: str) -> int:
        """Return how exactly the description names an entry: more is more exact."""
        entry = self.description.entry
        if self._fit or entry.fallback:
            return self._fit
        fit = OWN if isinstance(self._source, str) else 1
        fit += 3 * (name in (*entry.function, *entry.class_, *entry.instance))
        return fit + bool(entry.base) + bool(entry.method) + 2 * bool(entry.parameters)

    def fixed_values(self, parameters: Sequence[str]) -> dict[str, object]:
        """Return the values that a constructor with these parameters gets in every game."""
        make = self.description.make
        by_place = dict(zip(parameters, make.arguments, strict=False))
        by_name = {name: value for names, value in self.named for name in names}
        found = {name: by_place.get(name, by_name.get(plain(name))) for name in parameters}
        kinds = (bool, int, float, str)
        return {name: value for name, value in found.items() if type(value) in kinds}

    @property
    def named(self) -> list[tuple[tuple[str, ...], Argument]]:
        """Arguments of the constructor, each with its names, as `plain` has them."""
        named = self.description.make.named
        return [(tuple(map(plain, names.split("|"))), each) for names, each in named.items()]

    def refuses(self, rules: Ruleset) -> str | None:
        sizes = self.description.sizes
        if sizes and f"{rules.rows}x{rules.columns}" not in sizes:
            return f"bots of {self.NAME} know boards of {', '.join(sizes)} only"
        return None

    def adapt(self, entry: Any, setup: Setup) -> Adapter:
        return DescribedAdapter(self, entry, setup)

    def _functions(self, tree: ast.Module) -> Iterator[str]:
        known: set[str] = set()
        for node in tree.body:
            match node:
                case ast.FunctionDef(name, takes) | ast.AsyncFunctionDef(name, takes):
                    known.add(name)
                    if self._takes(takes, 0):
                        yield name
                case ast.Assign([ast.Name(name)], value):
                    if self._is_callable(value, known):
                        yield name

    def _is_callable(self, value: ast.expr, functions: Set[str]) -> bool:
        """Return whether a value is a function, or made of one, that can be the move."""
        match value:
            case ast.Lambda(takes):
                return self._takes(takes, 0)
            case ast.Name(name):
                return name in functions
            case ast.Attribute():  # nobody can see its parameters
                return not self.description.entry.parameters
            case ast.Call(args=given):
                return any(isinstance(part, ast.Name) and part.id in functions for part in given)
        return False

    def _fits(self, classes: Mapping[str, ast.ClassDef], name: str) -> bool:
        entry, methods = self.description.entry, own_methods(classes, name)
        move = next((methods[method] for method in entry.method if method in methods), None)
        bases = {
            b.id if isinstance(b, ast.Name) else getattr(b, "attr", "") for b in classes[name].bases
        }
        is_one = not entry.base or any(_named_as(b, p) for b in bases for p in entry.base)
        if move is None or not is_one or not self._takes(move.args, 1):
            return False
        return not entry.finished or not (is_unfinished(move) or asks_a_person(move, methods))

    def _instances(self, tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
        for node in tree.body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name(kind))) if kind in classes:
                    if self._fits(classes, kind):
                        yield name

    def _takes(self, takes: ast.arguments, skipped: int) -> bool:
        """Return whether the move can be called, after `skipped` leading parameters."""
        plain = [*takes.posonlyargs, *takes.args][skipped:]
        move, wanted = self.description.move, self.description.entry.parameters
        given = len(move.arguments)
        most = given if skipped else given + len(move.optional)
        required = [arg.arg for arg in plain[: len(plain) - len(takes.defaults)]][most:]
        required += [
            arg.arg
            for arg, value in zip(takes.kwonlyargs, takes.kw_defaults, strict=True)
            if not value
        ]
        return (
            (len(plain) >= given or takes.vararg is not None)
            and set(required) <= {name for names in move.named for name in names.split("|")}
            and len(plain) >= len(wanted)
            and all(map(_parameter_as, plain, wanted))
        )


def _best(patterns: Sequence[str], names: Iterator[str]) -> str | None:
    found = list(names) if patterns else []
    for pattern in patterns:
        if fits := [name for name in found if _named_as(name, pattern)]:
            return fits[-1]
    return None


def _named_as(name: str, pattern: str) -> bool:
    return any(fnmatchcase(name, each) for each in pattern.split("|"))


def _parameter_as(parameter: ast.arg, pattern: str) -> bool:
    note = parameter.annotation
    words = {parameter.arg, *(note_words(note) if note is not None else ())}
    return any(_named_as(word, pattern) or _named_as(word.lower(), pattern) for word in words)


def _defined(tree: ast.Module) -> set[str]:
    names = {getattr(node, "name", "") for node in tree.body}
    assigned = (node for node in tree.body if isinstance(node, ast.Assign))
    return names | {t.id for node in assigned for t in node.targets if isinstance(t, ast.Name)}


class DescribedAdapter:
    """Plays a bot of a described interface in one game.

    `see` and `pick` are chosen in `__init__`, as short as the description allows: every move of a
    contest calls them.
    """

    def __init__(self, described: Described, entry: Any, setup: Setup, more: Supply = NONE) -> None:
        """Make the bot; `more` has arguments that the description does not."""
        description = self._described = described.description
        self._setup = setup
        self._player = setup.player
        self._state: object = None
        self._list: list[object] = []
        form = description.board
        cells = {name: getattr(form, name) for name in CELLS}
        if any(isinstance(cell, Named) for cell in cells.values()):
            values: dict[str, Any] = {n: _resolved(cell, setup) for n, cell in cells.items()}
            form = replace(form, **values)
        self._board = shown_board(form, setup.rules, setup.player)
        move = description.move
        self._last: tuple[object, object] = (move.no_column, move.no_column)
        self._discs: list[tuple[int, int]] = []
        side = description.side
        self._sides = _resolved(side.first, setup), _resolved(side.second, setup)
        self._fixed = _fixed_roles(setup, self._sides)
        self._kept: Any = None
        self._new_object: Get | None = None
        self._make_maker = partial(self._maker, described.NAME, entry)
        self._bot = self._made(described, entry, more)
        if description.object is not None and self._new_object is None:
            self._new_object = self._make_maker()
        self._ask = self._question(entry)
        self._arguments, self._named = self._given(move)
        self.see = self._see if described.follows else self._board.see
        self.pick = self._plain_pick() if described.is_plain else self._pick

    def _given(self, move: Move) -> tuple[list[Get], dict[str, Get]]:
        """Return what gets the arguments of a move, by position and by name."""
        if not move.optional and not move.named:
            return [self._getter(each) for each in move.arguments], {}
        parameters, is_open = _parameters(self._ask)
        arguments = move.arguments
        if self._ask is self._bot:
            room = len(arguments + move.optional) if is_open else len(parameters)
            arguments += move.optional[: max(0, room - len(arguments))]
        named = {
            name: self._getter(each)
            for names, each in move.named.items()
            for name in names.split("|")
            if name in parameters[len(arguments) :]
        }
        return [self._getter(each) for each in arguments], named

    def _plain_pick(self) -> Get:
        """Return a quick function for moves whose answer is the column itself."""
        ask, getters = self._ask, self._arguments
        if len(getters) == 1:
            (get,) = getters
            return lambda: ask(get())
        return lambda: ask(*[get() for get in getters])

    def _question(self, entry: Any) -> Callable[..., object]:
        """Return the function, instance or method that is asked for a move."""
        ask: Callable[..., object] | None
        methods = self._described.entry.method
        if CALL in methods or not (isinstance(entry, type) or self._described.entry.instance):
            ask = self._bot
        else:
            kinds = type(self._bot).__mro__
            own = (name for kind in kinds for name in methods if name in vars(kind))
            ask = getattr(self._bot, next(own, methods[0]), None)
        if not callable(ask):
            raise UnsuitableError(f"has no method {' or '.join(methods)} once it is made")
        return ask

    def _see(self, player: int, column: int) -> None:
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

    def _pick(self) -> object:
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
        column = self._decode(answer)
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

    def _made(self, described: Described, entry: Any, more: Supply) -> Any:
        make, options = self._described.make, self._setup.options
        bot = entry
        if self._described.entry.class_ and isinstance(entry, type):
            given = [self._getter(each)() for each in make.arguments]
            named = {names: self._getter(each) for names, each in described.named}
            bot = call_by_name(entry, {**named, **more}, options, leading=given)
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
            case RecordOf(items):
                values = {name: self._getter(each) for name, each in items.items()}
                return lambda: Record({name: get() for name, get in values.items()})
            case Role.PLY:
                return lambda: sum(self._board.heights)
            case Role.MOVES:
                return lambda: [column + self._described.move.base for _, column in self._discs]
            case Role.LEGAL:
                base = self._described.move.base
                return lambda: [c + base for c, has_room in enumerate(self._mask()) if has_room]
            case Role.MASK:
                return self._mask
            case Role():
                value = self._fixed[argument]
                return lambda: value
        return lambda: argument

    def _mask(self) -> list[bool]:
        return [height < self._setup.rules.rows for height in self._board.heights]

    def _object(self) -> object:
        if self._kept is not None:
            return self._kept
        shown = self._described.object
        assert shown is not None
        if self._new_object is None:  # the constructor of the bot gets it
            self._new_object = self._make_maker()
        made = self._new_object()
        for name, value in shown.set.items():
            setattr(made, name, self._getter(value)())
        if shown.kept:
            self._kept = made
        return made

    def _maker(self, interface: str, entry: Any) -> Get:
        """Return a function that returns a new object with the position."""
        shown = self._described.object
        assert shown is not None
        if shown.tried:
            board = tried_board(entry, self._setup, shown, self._sides, interface)
            return lambda: board.filled(self._discs)
        kind = _named(shown.type, self._setup)

        def make() -> object:
            made = kind(
                *[self._getter(each)() for each in shown.arguments],
                **{name: self._getter(each)() for name, each in shown.named.items()},
            )
            if shown.play:
                for player, column in self._discs:
                    made = self._drop(made, player, column)
            return made

        return make

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


def _fixed_roles(setup: Setup, sides: tuple[object, object]) -> dict[Role, object]:
    """Return the values of roles that stay the same during a game."""
    rules, player = setup.rules, setup.player
    return {
        Role.SIDE: sides[player],
        Role.OPPONENT: sides[1 - player],
        Role.ROWS: rules.rows,
        Role.COLUMNS: rules.columns,
        Role.CONNECT: rules.connect,
        Role.CELLS: rules.cells,
        Role.SECONDS: setup.move_seconds,
        Role.NODES: setup.nodes,
    }


class Record(dict[str, object]):
    """A dict whose items are also attributes."""

    def __getattr__(self, name: str) -> object:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}, only {', '.join(self)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


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


def _parameters(function: Any) -> tuple[list[str], bool]:
    """Return the names of a function's parameters, and whether it takes any number."""
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return [], False
    kinds = inspect.Parameter
    names = [n for n, p in found.items() if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
    return names, any(p.kind is kinds.VAR_POSITIONAL for p in found.values())
