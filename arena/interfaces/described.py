"""An interface that is a description: makes bots and asks them for moves."""

from __future__ import annotations

import inspect
import operator
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral
from pprint import pformat
from textwrap import indent
from types import FunctionType, MappingProxyType
from typing import Any

from arena.common.errors import NoMoveError, UnsuitableError
from arena.interfaces.binding import Supply, call_by_name
from arena.interfaces.contract import Adapter, Setup
from arena.interfaces.description import CALL, IN_BOARD, IN_LIST, IN_PLAY, Argument, Move
from arena.interfaces.finder import Finder
from arena.interfaces.roles import Get, Roles, global_names

MAX_WRITTEN = 1000  # Characters of a value in an explanation.
NONE: Supply = MappingProxyType({})


class Described(Finder):
    def adapt(self, entry: Any, setup: Setup) -> Adapter:
        return DescribedAdapter(self, entry, setup)


class DescribedAdapter:
    """Plays a game of a bot; `see` and `pick` are as short as its description allows."""

    def __init__(self, described: Finder, entry: Any, setup: Setup, more: Supply = NONE) -> None:
        """Make the bot; `more` has arguments that the description does not."""
        description = self._described = described.description
        self._setup, self._entry = setup, entry
        self._supply = more
        self._synonyms, self._is_told = described.named, described.is_told
        self._roles = Roles(description, described.NAME, entry, setup)
        self._bot = self._made()
        if description.object is not None:
            self._roles.maker(description.object)
        for name in (*description.move.tell, *description.move.tell_own):
            if not callable(_part(self._bot, name)):
                raise UnsuitableError(f"has no {name}, which its interface calls after each disc")
        self._ask = self._question()
        self._arguments, self._named = self._given(description.move)
        self.see = self._see if described.follows else self._roles.board.see
        is_plain = described.is_plain and not inspect.iscoroutinefunction(self._ask)
        self.pick = self._plain_pick() if is_plain else self._pick

    def _made(self) -> Any:
        make, entry, get = self._described.make, self._entry, self._roles.getter
        bot = entry
        if isinstance(entry, type) and not self._described.entry.static:
            given = [get(each)() for each in make.arguments]
            named = {names: get(each) for names, each in self._synonyms}
            supply = {**named, **self._supply}
            self._explain("made with", given)
            bot = call_by_name(entry, supply, self._setup.options, leading=given)
        elif options := self._setup.options:
            raise UnsuitableError(f"is a function, which takes no options ({', '.join(options)})")
        self._set(bot, make.set)
        for name, arguments in make.calls.items():
            if callable(method := _part(bot, name)):
                given = [get(each)() for each in arguments]
                self._explain(f"called {name}", given)
                call_by_name(method, {}, leading=given)
        return bot

    def _set(self, bot: Any, values: Mapping[str, Argument]) -> None:
        names = global_names(bot)
        for name, argument in values.items():
            value = self._roles.getter(argument)()
            self._explain(f"set {name}", [value])
            if names is None:
                setattr(bot, name, value)
            else:
                names[name] = value

    def _question(self) -> Callable[..., object]:
        ask: Callable[..., object] | None = self._bot
        methods, entry = self._described.entry.method, self._entry
        is_method = isinstance(entry, type) or bool(self._described.entry.instance)
        if is_method and CALL not in methods:
            kinds = (entry if isinstance(entry, type) else type(entry)).__mro__
            own = (name for kind in kinds for name in methods if name in vars(kind))
            ask = getattr(self._bot, next(own, methods[0]), None)
        if not callable(ask):
            lack = f"has no method {' or '.join(methods)}" if is_method else "cannot be called"
            raise UnsuitableError(f"{lack} once it is made")
        return ask

    def _given(self, move: Move) -> tuple[list[Get], dict[str, Get]]:
        """Return functions that get the arguments of a move, by position and by name."""
        get = self._roles.getter
        has_more = self._ask is self._bot and bool(move.optional)
        if not has_more and not move.named:
            return [get(each) for each in move.arguments], {}
        parameters, room = _parameters(self._ask)
        arguments = move.arguments
        if has_more:
            arguments += move.optional[: max(0, room - len(arguments))]
        named = {
            name: get(each)
            for names, each in move.named.items()
            for name in names.split("|")
            if name in parameters[len(arguments) :]
        }
        return [get(each) for each in arguments], named

    def _plain_pick(self) -> Get:
        ask, getters = self._ask, self._arguments
        if len(getters) == 1:
            (get,) = getters
            return lambda: ask(get())
        return lambda: ask(*[get() for get in getters])

    def _see(self, player: int, column: int) -> None:
        self._roles.see(player, column)
        move, is_own = self._described.move, player == self._setup.player
        for name, arguments in (move.tell_own if is_own else move.tell).items():
            tell = partial(self._tell, name, arguments)
            self._roles.of_last_own(tell) if is_own else tell()

    def _tell(self, name: str, arguments: tuple[Argument, ...]) -> None:
        given = [self._roles.getter(each)() for each in arguments]
        self._explain(f"told {name}", given)
        _part(self._bot, name)(*given)

    def _pick(self) -> object:
        move, explains = self._described.move, self._described.explain
        self._roles.begin_move()
        if self._described.make.anew:
            self._bot = self._made()
            self._ask = self._question()
        self._set(self._bot, move.set)
        given = [get() for get in self._arguments]
        named = {name: get() for name, get in self._named.items()}
        if explains:
            self._explain_call(given, named)
        answer = _result(self._ask(*given, **named))
        while answer is None and move.ask_again:
            answer = _result(self._ask(*given, **named))
        if explains:
            print("answer:", _written(self._answer(answer)))
        if move.state and not isinstance(answer, Integral):
            self._roles.state = part_of(answer, move.state)
        column = self._column(answer)
        if explains:
            print("column from the left, counted from 0:", _written(column))
        return column

    def _answer(self, returned: object) -> object:
        place = self._described.move.answer_in
        if place in (IN_LIST, IN_PLAY):
            return self._roles.answers
        if place == IN_BOARD:
            return self._roles.given_board
        return _part(self._bot, place) if place else returned

    def _column(self, returned: object) -> object:
        move = self._described.move
        answer = self._answer(returned)
        if self._is_told:
            answer = self._roles.answers[-1]
            self._roles.has_played = move.answer_in == IN_PLAY
        answer = part_of(answer, move.answer)
        if move.new_board or move.answer_in == IN_BOARD:
            return self._roles.board.difference(answer)
        return column_of(answer, move, self._setup.rules.columns)

    def _explain(self, what: str, values: list[object]) -> None:
        if self._described.explain:
            print(f"{what}:", ", ".join(map(_written, values)))

    def _explain_call(self, given: list[object], named: Mapping[str, object]) -> None:
        print("position (X is this bot):")
        rules = self._setup.rules
        columns = [""] * rules.columns
        for player, column in self._roles.discs:
            columns[column] += "X" if player == self._setup.player else "O"
        for row in range(rules.rows - 1, -1, -1):
            print("  " + " ".join(column[row : row + 1] or "." for column in columns))
        print("call:", getattr(self._ask, "__name__", "bot"))
        for text in (*map(_written, given), *(f"{n} = {_written(v)}" for n, v in named.items())):
            print(indent(text, "  "))


def _part(bot: Any, name: str) -> Any:
    """Return an attribute of a bot, or beside a function a global name of its file."""
    names = global_names(bot)
    return getattr(bot, name, None) if names is None else names.get(name)


def _result(answer: Any) -> object:
    """Return the result of a coroutine that waits for nothing; other answers as they are."""
    if not inspect.iscoroutine(answer):
        return answer
    try:
        answer.send(None)
    except StopIteration as ended:
        return ended.value
    raise NoMoveError("awaits something that a contest does not have")


def _written(value: object) -> str:
    """Return a value as text; of an object without `__repr__`, its attributes."""
    try:
        if inspect.isroutine(value):
            return f"a function {value.__name__}"
        if type(value).__repr__ is object.__repr__ and hasattr(value, "__dict__"):
            parts = [f"{name} = {pformat(part, width=60)}" for name, part in vars(value).items()]
            return "\n  ".join([f"{type(value).__name__} with", *parts])[:MAX_WRITTEN]
        return pformat(value, width=60, compact=True, sort_dicts=False)[:MAX_WRITTEN]
    except Exception:  # the class is a student's
        return kind_of(value)


def _parameters(function: Any) -> tuple[Sequence[str], int]:
    """Return the names of a function's parameters, and how many arguments it takes by position."""
    if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
        code = function.__code__  # every game asks, and a signature takes three times as long
        room = sys.maxsize if code.co_flags & inspect.CO_VARARGS else code.co_argcount
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], room
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [], 0
    kinds = [parameter.kind for parameter in found]
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    by_place = [kind for kind in kinds if kind in plain]
    is_open = inspect.Parameter.VAR_POSITIONAL in kinds
    return [parameter.name for parameter in found], sys.maxsize if is_open else len(by_place)


NUMBER = re.compile(r"-?\d{1,9}")
LETTER = re.compile(r"[A-Za-z]")


def part_of(answer: Any, way: Sequence[int | str]) -> Any:
    """Return where indices, keys and attributes lead; a whole number is the column.

    Raises NoMoveError if there is no such part.
    """
    if way and isinstance(answer, Integral):
        return answer
    part = answer
    try:
        for step in way:
            if isinstance(step, int) or isinstance(part, Mapping):
                part = part[step]
            else:
                part = getattr(part, step)
    except (TypeError, IndexError, KeyError, AttributeError):
        shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
        raise NoMoveError(f"answered {kind_of(answer)}, which has no {shown}") from None
    return part


def column_of(answer: object, move: Move, columns: int) -> object:
    """Return the column that an answer means, from 0. Raises NoMoveError."""
    answer = _number(answer, move)
    if move.none and isinstance(answer, (int, float, str)) and answer in move.none:
        raise NoMoveError(f"answered {answer!r}, which in its course means that it has no move")
    if not move.base or move.letters or move.scores:
        return answer
    try:
        column = operator.index(answer)  # type: ignore[arg-type]
    except TypeError:
        return answer
    if not move.base <= column < columns + move.base:
        raise NoMoveError(f"answered {str(column)[:20]}; its columns are {move.base} to {columns}")
    return column - move.base


def kind_of(answer: object) -> str:
    return "None" if answer is None else f"a value of type {type(answer).__name__[:60]}"


def _number(answer: object, move: Move) -> object:
    if move.scores:
        return _highest(answer, move.base)
    if isinstance(answer, str) and (move.text or move.letters):
        found = (LETTER if move.letters else NUMBER).search(answer)
        if found is None:
            what = "letter" if move.letters else "number"
            raise NoMoveError(f"answered a text without a {what} of a column")
        return ord(found[0].upper()) - ord("A") if move.letters else int(found[0])
    return answer


def _highest(answer: Any, base: int) -> int:
    """Return the column with the highest number, among equals the first."""
    try:
        pairs = answer.items() if isinstance(answer, Mapping) else enumerate(answer, base)
        return operator.index(max(pairs, key=lambda pair: float(pair[1]))[0]) - base
    except (TypeError, ValueError):
        raise NoMoveError(f"answered {kind_of(answer)}, not a number for each column") from None
