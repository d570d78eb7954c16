"""What every bot interface offers: how such a bot is recognised, and how it is seated at a game."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Protocol

from arena.errors import UnseatableError
from arena.rules import Ruleset

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Entry:
    """Where the host enters a bot's code."""

    interface: str
    """Name of the interface, a key of `INTERFACES`."""

    name: str
    """The class or function the host calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chair:
    """What a bot may know when it sits down to a game."""

    rules: Ruleset
    """The rules of the game."""

    player: int
    """1 if the bot has the first disc of the game, else 2."""

    nodes: int | None
    """The contest's node budget for one move; None for no budget."""

    options: Mapping[str, object]
    """The contest file's `options` of this bot, by parameter name."""

    move_seconds: float = 30.0
    """The contest's limit for one move, in charged seconds."""

    count: Callable[[int], None] | None = None
    """Of a house player with Arena's engine: what it tells the positions that it searched."""

    sources: Mapping[str, ast.Module] = field(default_factory=dict)
    """Syntax trees of the bot's own files, by the name that each can be imported by."""

    remark: Callable[..., None] = lambda text, instead=False: None
    """Is told how the bot is seated, a predicate about it: `remark("sees its own board")`.

    With `instead` that it gets the course's for something of its own, which faults then mention."""


class Seat(Protocol):
    """A bot in one game."""

    def see(self, player: int, column: int) -> None:
        """A disc of `player` falls in `column`: the opponent's or the bot's own."""

    def pick(self) -> object:
        """Ask the bot for its move; whatever it returns, unread."""


class Interface(Protocol):
    """One way in which students' bots are called. Implemented by a module of this package."""

    NAME: str
    """The interface's name in contest files and tables."""

    PROFILE: str
    """What its bots are: `module`, Python code in the bot's process, or `program`, run from there;
    see `sandbox.Profile`."""

    HAS_BUDGET: bool
    """Whether its courses limit the nodes of a move; if not, no budget holds unless one is asked
    for, see `Limits.nodes_for_all`."""

    MOVES: tuple[str, ...]
    """Names of the method that picks a move when the entry is a class."""

    STARTER: str
    """Source of a small bot of this kind, for `arena new`."""

    def find(self, tree: ast.Module) -> str | None:
        """The class or function of this source that the host should enter, if it has one."""

    def refuses(self, rules: Ruleset) -> str | None:
        """Why no bot of this kind can play by these rules, as a clause; None if it can."""

    def sit(self, entry: Any, chair: Chair) -> Seat:
        """Seat the bot at a game. Raises UnseatableError, and whatever the bot's own code raises.

        `entry` is the class or function to enter, as it was defined, whatever its name stands for
        by the end of the module; of a program the name of its file, relative to the working
        directory.
        """


def own_classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    """Classes that the source itself defines at its top level, in order."""
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def classes_with(tree: ast.Module, method: str) -> list[str]:
    """Own classes that define `method` or inherit it from an own class, in order."""
    classes = own_classes(tree)
    return [name for name in classes if own_methods(classes, name).get(method)]


def own_methods(classes: Mapping[str, ast.ClassDef], name: str) -> dict[str, Function]:
    """Methods that a class defines or inherits from one of `classes`, by name."""
    methods: dict[str, Function] = {}
    pending, seen = [name], set()
    while pending:
        node = classes.get(pending.pop())
        if node is not None and node.name not in seen:
            seen.add(node.name)
            for item in node.body:
                if isinstance(item, FUNCTIONS):
                    methods.setdefault(item.name, item)
            pending += [base.id for base in reversed(node.bases) if isinstance(base, ast.Name)]
    return methods


def players(tree: ast.Module, moves: Sequence[str], *, persons: bool = False) -> list[str]:
    """Own classes with a finished method in `moves`, shown a board, that asks no person, in order.

    With `persons` those whose method does ask one.
    """
    found = []
    for name, move, methods in _with_moves(tree, moves):
        if not _is_unfinished(move) and persons == _asks_a_person(move, methods):
            found.append(name)
    return found


def idle(tree: ast.Module, moves: Sequence[str]) -> str | None:
    """Why no own class plays by itself, said of the last with a method in `moves`, if any."""
    asking = players(tree, moves, persons=True)
    for name, move, _ in reversed(_with_moves(tree, moves)):
        return f"{name}.{move.name} {'asks a person' if name in asking else 'is not written yet'}"
    return None


def _with_moves(
    tree: ast.Module, moves: Sequence[str]
) -> list[tuple[str, Function, dict[str, Function]]]:
    """Own classes with a method in `moves` that is shown a board: its name, that, and all methods.

    A class that is the game itself has such methods too, which are told a column.
    """
    classes = own_classes(tree)
    found = []
    for name in classes:
        methods = own_methods(classes, name)
        shown = [methods[move] for move in moves if move in methods]
        found += [(name, move, methods) for move in shown[:1] if _is_shown_a_board(move)]
    return found


def _is_shown_a_board(method: Function) -> bool:
    """Whether a method's one argument is a board, by its name or its annotation."""
    takes = [*method.args.posonlyargs, *method.args.args][1:]
    required = takes[: len(takes) - len(method.args.defaults)] or takes[:1]
    if len(required) != 1:
        return False
    said = required[0].annotation
    words = [required[0].arg, ast.unparse(said) if said is not None else ""]
    return required[0].arg == "b" or any("board" in word.lower() for word in words)


def _is_unfinished(function: Function) -> bool:
    """Whether a method is abstract, or was left as its course handed it out."""
    if any(
        name.startswith("abstract") for mark in function.decorator_list for name in _names(mark)
    ):
        return True
    return all(
        isinstance(node, (ast.Pass, ast.Raise))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Return) and _is_nothing(node.value))
        for node in function.body
    )


def _is_nothing(value: ast.expr | None) -> bool:
    """Whether what is returned is nothing, None or 0."""
    return value is None or (isinstance(value, ast.Constant) and value.value in (None, 0))


def _asks_a_person(function: Function, methods: Mapping[str, Function]) -> bool:
    """Whether a method, or another of its class that it calls, reads the person's input."""
    called, pending = {function.name}, [function]
    while pending:
        for node in ast.walk(pending.pop()):
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Name) and node.func.id == "input":
                    return True
                for name in set(_names(node.func)) & methods.keys() - called:
                    called.add(name)
                    pending.append(methods[name])
    return False


def _names(node: ast.expr) -> Iterator[str]:
    """The name that an expression ends in: `c` of `a.b.c`."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def own_functions(tree: ast.Module) -> list[str]:
    """Functions that the source itself defines at its top level, in order."""
    return [node.name for node in tree.body if isinstance(node, FUNCTIONS)]


def assigned_value(node: ast.stmt, name: str) -> ast.expr | None:
    """What a statement `name = value` assigns to that name; None of any other statement."""
    match node:
        case ast.Assign([ast.Name(target)], value) | ast.AnnAssign(ast.Name(target), _, value):
            return value if target == name else None
    return None


def no_option(option: str, takes: Sequence[str]) -> str:
    """The clause about a bot that takes options by these names, and not this one."""
    if not takes:
        return f"takes no option {option!r}, nor any other"
    near = get_close_matches(option, takes, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"takes no option {option!r}; it takes {', '.join(takes)}{meant}"


def call_with(
    function: Callable[..., object],
    positional: Sequence[object],
    named: Mapping[str, object],
    options: Mapping[str, object],
) -> object:
    """Call a bot's constructor with what its parameters ask for.

    The leading parameters get `positional` in order, as many as there are; a later one gets
    the value of its name in `options` or `named`, or keeps its default. An option also
    overrides a leading parameter of its name. Raises UnseatableError for an option that no
    parameter takes and for a parameter that nothing fills.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return function(*positional)
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    anything = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    leading = list(positional) if anything else list(positional[: len(plain)])
    keywords: dict[str, object] = {}
    takes = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for option in options:
        if option not in takes and not takes_any:
            raise UnseatableError(no_option(option, sorted(takes)))
    for index, parameter in enumerate(plain[: len(leading)]):
        leading[index] = options.get(parameter.name, leading[index])
    filled = {p.name for p in plain[: len(leading)]}
    for parameter in parameters:
        if parameter.name in filled or parameter.name not in takes:
            continue
        if parameter.name in options:
            keywords[parameter.name] = options[parameter.name]
        elif parameter.name in named:
            keywords[parameter.name] = named[parameter.name]
        elif parameter.default is parameter.empty:
            raise UnseatableError(f"wants an argument {parameter.name!r} that no contest gives it")
    if takes_any:
        keywords |= {k: v for k, v in options.items() if k not in filled | keywords.keys()}
    return function(*leading, **keywords)
