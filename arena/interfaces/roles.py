"""Values of the roles of a description during a game."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import replace
from functools import cached_property, partial
from importlib.util import find_spec
from typing import Any

from arena.common.errors import UnsuitableError
from arena.interfaces.binding import always, course_class
from arena.interfaces.boards import board_maker
from arena.interfaces.contract import Setup, is_course_file
from arena.interfaces.description import (
    IN_BOARD,
    IN_LIST,
    IN_PLAY,
    Argument,
    ArrayOf,
    CallOf,
    Description,
    DictOf,
    EachLegal,
    Named,
    Role,
    Shown,
    TextOf,
    TupleOf,
    roles_in,
)
from arena.interfaces.shown import shown_board

Get = Callable[[], Any]
CELLS = ("empty", "first", "second", "own", "other")
DISC = frozenset((Role.COLUMN, Role.ROW, Role.OWN_COLUMN, Role.OWN_ROW))
# Roles that stay the same during a game.
STEADY = frozenset((Role.SIDE, Role.OPPONENT, Role.ROWS, Role.COLUMNS, Role.CONNECT, Role.CELLS))
STEADY |= {Role.SECONDS, Role.NODES}


class Roles:
    """The position and the last discs, in the values that a description gives them."""

    def __init__(self, described: Description, interface: str, entry: Any, setup: Setup) -> None:
        self._described, self._setup, self._entry = described, setup, entry
        self._interface = interface
        self._made: dict[str, object] = {}
        form = described.board
        cells = {name: getattr(form, name) for name in CELLS}
        if any(isinstance(cell, (Named, CallOf)) for cell in cells.values()):
            values: dict[str, Any] = {name: self._value(cell) for name, cell in cells.items()}
            form = replace(form, **values)
        self.board = shown_board(form, setup.rules, setup.player)
        self.discs: list[tuple[int, int]] = []
        self.state: object = None
        self.answers: list[object] = []
        """Answers that the bot wrote into the role `list` or passed to a callback."""
        self.given_board: object = None
        self._sides = self._value(described.side.first), self._value(described.side.second)
        self._base = described.move.base
        self._last: list[tuple[object, object] | None] = [None, None]  # The opponent's, the own.
        self._disc = 0, 0, 0  # Player, column and row of a disc that is dropped on the object.
        self._played: list[Get] = []  # Return the arguments of `object.play`.
        self.has_played = False
        """Whether the bot itself dropped its last disc on the object that it keeps."""
        self._kept: Any = None
        self._new_object: Get | None = None

    def see(self, player: int, column: int) -> None:
        self.board.see(player, column)
        self.discs.append((player, column))
        row = self._row_at(self.board.heights[column] - 1)
        is_own = player == self._setup.player
        self._last[is_own] = column + self._base, row
        if self._kept is not None and not (is_own and self.has_played):
            self._drop(self._kept, player, column, self.board.heights[column] - 1)
        self.has_played = self.has_played and not is_own

    def begin_move(self) -> None:
        way = self._described.move.answer
        is_first = self._described.move.answer_in == IN_LIST and way and isinstance(way[0], int)
        self.answers = [None] * (1 + (int(way[0]) if is_first else 0))

    def of_last_own(self, call: Callable[[], object]) -> None:
        """Call a function while `column` and `row` mean the bot's last disc."""
        last = self._last[:]
        self._last[0] = last[1]
        call()
        self._last = last

    def getter(self, argument: Argument, roles: Mapping[Role, Get] | None = None) -> Get:
        """Return a function that returns an argument's value; `roles` replace the bot's."""
        of = partial(self.getter, roles=roles)
        match argument:
            case CallOf(call, arguments, named):
                kind = self._maker_of(call, len(arguments), named)
                values = {name: of(each) for name, each in named.items()}
                make = partial(_called, kind, list(map(of, arguments)), values)
                is_steady = roles is None and roles_in(arguments, named) <= STEADY
                return always(make()) if is_steady else make  # a steady one is made once a game
            case TupleOf(items):
                return self._tuple(items, list(map(of, items)), roles)
            case DictOf(items):
                values = {name: of(each) for name, each in items.items()}
                return lambda: Record({name: get() for name, get in values.items()})
            case TextOf(value):
                get = of(value)
                return lambda: _text(get())
            case ArrayOf(value, dtype):
                return partial(_array, of(value), dtype)
            case EachLegal(item):
                return partial(self._each_legal, of(item))
            case Role.BOARD:  # many bots need no other
                is_changed = self._described.move.answer_in == IN_BOARD
                return self._shown if is_changed else self.board.show
            case Role():
                return (roles or self._by_role)[argument]
        return always(self._value(argument))

    def shown_object(self) -> Any:
        if self._kept is not None:
            return self._kept
        shown = self._described.object
        assert shown is not None
        made = self.maker(shown)()
        for name, value in shown.set.items():
            setattr(made, name, self.getter(value)())
        if self._described.move.answer_in == IN_PLAY:
            self._watch(made, shown)
        if shown.kept:
            self._kept = made
        return made

    def maker(self, shown: Shown) -> Get:
        if self._new_object is not None:
            return self._new_object
        kind: Any
        if shown.tried:
            kind = course_class(self._interface, *shown.type.split("."))
        else:
            kind = self._maker_of(shown.type, len(shown.arguments), shown.named)
        given = [self.getter(each) for each in shown.arguments]
        named = {name: self.getter(each) for name, each in shown.named.items()}
        make: Get = partial(self._filled, kind, shown, given, named)
        self._played = [self.getter(each, self._roles_of_disc()) for each in shown.play_arguments]
        if shown.tried:
            about = self._entry, self._setup, shown, kind, self._sides
            make = board_maker(*about, self.discs, make)
        self._new_object = make
        return make

    def _filled(self, kind: Any, shown: Shown, given: list[Get], named: Mapping[str, Get]) -> Any:
        made = _called(kind, given, named)
        heights = [0] * self._setup.rules.columns
        for player, column in self.discs if shown.play else ():
            made = self._drop(made, player, column, heights[column])
            heights[column] += 1
        return made

    def _drop(self, made: Any, player: int, column: int, height: int) -> Any:
        shown = self._described.object
        assert shown is not None
        self._disc = player, column + self._base, self._row_at(height)
        answer = getattr(made, shown.play)(*[get() for get in self._played])
        return answer if isinstance(answer, type(made)) else made

    def _roles_of_disc(self) -> Mapping[Role, Get]:
        return self._by_role | {
            Role.SIDE: lambda: self._sides[self._disc[0]],
            Role.OPPONENT: lambda: self._sides[1 - self._disc[0]],
            Role.COLUMN: lambda: self._disc[1],
            Role.ROW: lambda: self._disc[2],
        }

    def _watch(self, made: Any, shown: Shown) -> None:
        """Let the object note the column of each disc that the bot drops on it."""
        play, given = getattr(made, shown.play), list(shown.play_arguments)
        at = given.index(Role.COLUMN) if Role.COLUMN in given else 0

        def noted(*given: object, **named: object) -> object:
            found = [*given, *named.values()]
            if self.answers == [None] and at < len(found):
                self.answers = [found[at]]
            return play(*given, **named)

        setattr(made, shown.play, noted)

    @cached_property
    def _by_role(self) -> dict[Role, Get]:
        board, setup = self.board, self._setup
        rules, player = setup.rules, setup.player
        return {
            Role.BOARD: board.show,
            Role.OBJECT: self.shown_object,
            Role.SIDE: always(self._sides[player]),
            Role.OPPONENT: always(self._sides[1 - player]),
            Role.COLUMN: partial(self._of_last, False, 0),
            Role.ROW: partial(self._of_last, False, 1),
            Role.OWN_COLUMN: partial(self._of_last, True, 0),
            Role.OWN_ROW: partial(self._of_last, True, 1),
            Role.ROWS: always(rules.rows),
            Role.COLUMNS: always(rules.columns),
            Role.CONNECT: always(rules.connect),
            Role.SECONDS: always(setup.move_seconds),
            Role.NODES: always(setup.nodes),
            Role.STATE: lambda: self.state,
            Role.LIST: lambda: self.answers,
            Role.CALLBACK: always(self.callback),
            Role.MOVES: lambda: [column + self._base for _, column in self.discs],
            Role.LEGAL: lambda: self._each_legal(self._by_role[Role.COLUMN]),
            Role.MASK: lambda: [height < rules.rows for height in board.heights],
            Role.CELLS: always(rules.cells),
            Role.HEIGHTS: board.heights.copy,
            Role.PLY: lambda: sum(board.heights),
            Role.OWN_BITS: lambda: board.bits(player),
            Role.OPPONENT_BITS: lambda: board.bits(1 - player),
            Role.ALL_BITS: lambda: board.bits(0) | board.bits(1),
        }

    def _of_last(self, own: bool, part: int) -> object:
        if (last := self._last[own]) is None:
            return self.getter(self._described.move.no_column)()
        return last[part]

    def _shown(self) -> object:
        self.given_board = self.board.show()
        return self.given_board

    def callback(self, answer: object) -> None:
        self.answers = [answer]

    def _tuple(
        self, items: tuple[Argument, ...], getters: list[Get], roles: Mapping[Role, Get] | None
    ) -> Get:
        found = [each for each in items if isinstance(each, Role) and each in DISC]
        discs = {each.startswith("own") for each in found} if roles is None else set()
        none = self.getter(self._described.move.no_column)

        def get() -> object:
            if any(self._last[own] is None for own in discs):
                return none()
            return tuple(get() for get in getters)

        return get

    def _each_legal(self, item: Get) -> list[object]:
        last, found = self._last[0], []
        for column, height in enumerate(self.board.heights):
            if height < self._setup.rules.rows:
                self._last[0] = column + self._base, self._row_at(height)
                found.append(item())
        self._last[0] = last
        return found

    def _row_at(self, height: int) -> int:
        return self.board.row_at(height) + self._described.board.base

    def _value(self, value: object) -> Any:
        """Return what a value means; a call is made once for the whole game."""
        if isinstance(value, Named):
            return self._named(value.name)
        if isinstance(value, CallOf):
            if (text := repr(value)) not in self._made:
                self._made[text] = self.getter(value)()
            return self._made[text]
        return value

    def _maker_of(self, name: str, given: int, named: Iterable[str] = ()) -> Any:
        """Return a class or function that takes these arguments. Raises UnsuitableError."""
        kind = self._named(name)
        try:
            inspect.signature(kind).bind(*range(given), **dict.fromkeys(named))
        except TypeError as error:
            raise UnsuitableError(f"has a {name} that takes other arguments ({error})") from None
        except ValueError:  # it is not written in Python
            pass
        return kind

    def _named(self, name: str) -> Any:
        """Return a value of a module of the submission, or else of its course; never of another."""
        module, *parts = name.split(".")
        module = module or getattr(self._entry, "__module__", "")
        own = {each.partition(".")[0] for each in self._setup.sources()}
        is_own = module in own or module == getattr(self._entry, "__module__", "")
        if not is_own and not is_course_file(getattr(find_spec(module), "origin", None) or ""):
            raise UnsuitableError(f"has no module {module}, but its interface needs {name}")
        value: Any = importlib.import_module(module)
        for part in parts:
            module = f"{module}.{part}"
            if not hasattr(value, part) and hasattr(value, "__path__") and find_spec(module):
                importlib.import_module(module)
            if not hasattr(value, part):
                raise UnsuitableError(f"has no {name}, which its interface needs")
            value = getattr(value, part)
        return value


class Record(dict[str, object]):
    """A dict whose items are also attributes."""

    def __getattr__(self, name: str) -> object:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}, only {', '.join(self)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


def global_names(bot: Any) -> MutableMapping[str, Any] | None:
    found: MutableMapping[str, Any] | None = getattr(bot, "__globals__", None)
    return found


def _called(kind: Any, given: Iterable[Get], named: Mapping[str, Get]) -> Any:
    return kind(*[get() for get in given], **{name: get() for name, get in named.items()})


def _text(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _array(get: Get, dtype: str) -> object:
    import numpy  # slow to import, and not needed by most bots

    return numpy.array(get(), dtype=dtype)
