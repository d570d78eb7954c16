"""A notebook's top-level statements: their kinds, and the names they use."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import MappingProxyType

from arena.source.scopes import binds

# Modules that are imported here to resolve a star import.
HARMLESS = frozenset(
    ("collections", "copy", "functools", "itertools", "math", "numpy", "numpy.random")
    + ("operator", "random", "sys", "time", "typing")
)

# Methods that change their object.
MUTATORS = frozenset(
    ("add", "append", "appendleft", "clear", "extend", "fill", "insert", "pop", "remove")
    + ("reverse", "setdefault", "sort", "update")
)

# Functions that no statement may run, by reason.
LOUD: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "asks for input": ("input", "breakpoint"),
        "ends the program": ("exit", "quit", "sys.exit", "os._exit"),
        "needs a notebook": ("display", "get_ipython"),
    }
)


# Functions that the expressions of a definition must not call.
DENIED = frozenset({"print", "exec"}.union(*LOUD.values()))

# `symtable` names of scopes that run when their statement runs.
COMPREHENSIONS = frozenset({"listcomp", "setcomp", "dictcomp", "genexpr"})


class StatementKind(Enum):
    FUTURE = "a future import"
    IMPORT = "an import"
    DEFINITION = "a function or a class"
    VALUE = "an assignment"
    CHANGE = "a change of a value"
    ACTION = "anything else"


CODE = (StatementKind.FUTURE, StatementKind.IMPORT, StatementKind.DEFINITION)
# Kinds that define a name whatever its value was before.
NEW = (StatementKind.IMPORT, StatementKind.DEFINITION, StatementKind.VALUE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statement:
    cell: int
    lines: tuple[str, ...]

    first: int
    """The statement's first line in the cell, from 1."""

    kind: StatementKind

    binds: frozenset[str]
    """Global names that the statement defines or changes."""

    now: frozenset[str] = frozenset()
    """Global names that are read when the statement runs."""

    later: frozenset[str] = frozenset()
    """Global names that functions in the statement read or set when they are called."""

    sets_later: frozenset[str] = frozenset()
    """Names in `later` that are set."""

    called_now: frozenset[str] = frozenset()
    """What is called, or passed to a call, when the statement runs: names, and methods as `.name`.
    """

    calls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By function defined in the statement, what it calls; a class stands for its constructor."""

    is_unknown_star: bool = False
    """Whether the statement is a star import of a module not in HARMLESS."""


def statements(tree: ast.Module, text: str, cell: int) -> list[Statement]:
    lines = [line.encode() for line in text.split("\n")]
    found: list[Statement] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            # a statement for each module: the bot may not need all of a line
            found += [
                Statement(
                    cell=cell,
                    lines=(ast.unparse(ast.Import([alias])),),
                    first=node.lineno,
                    kind=StatementKind.IMPORT,
                    binds=frozenset(binds(alias)),
                )
                for alias in node.names
            ]
        elif (statement := _statement(node, lines, cell)) is not None:
            found.append(statement)
    return found


def _statement(node: ast.stmt, lines: list[bytes], cell: int) -> Statement | None:
    """Return the record of a statement; None if `symtable` cannot read it."""
    kind = _kind_of(node) or StatementKind.ACTION
    text, first = _text(node, lines)
    try:
        table = symtable.symtable(text, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported()
    }
    changed = _changed(node) if kind in (StatementKind.CHANGE, StatementKind.ACTION) else set[str]()
    changed &= set(table.get_identifiers())
    bound |= changed
    now, later, sets = set[str](), set[str](), set[str]()
    _read_scope(table, now, later, sets)
    called_now = frozenset(_called(_at_once([node]), now))
    if isinstance(node, ast.For | ast.If | ast.Try | ast.While | ast.With):
        now -= bound - changed
    now |= bound if isinstance(node, ast.Delete) else changed
    stars = [
        name.module or "."
        for name in ast.walk(node)
        if isinstance(name, ast.ImportFrom) and name.names[0].name == "*"
    ]
    for module in stars:
        bound |= _public_names(module)
    return Statement(
        cell=cell,
        lines=tuple(text.split("\n")),
        first=first,
        kind=kind,
        binds=frozenset(bound),
        now=frozenset(now),
        later=frozenset(later),
        sets_later=frozenset(sets),
        called_now=called_now,
        calls=_calls(node, later),
        is_unknown_star=not HARMLESS.issuperset(stars),
    )


def _text(node: ast.stmt, lines: list[bytes]) -> tuple[str, int]:
    assert node.end_lineno is not None
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    part = lines[first - 1 : node.end_lineno]
    part[-1] = part[-1][: node.end_col_offset]
    if not decorators:
        part[0] = part[0][node.col_offset :]
    return b"\n".join(part).decode(), first


def _read_scope(
    table: symtable.SymbolTable, now: set[str], later: set[str], sets: set[str]
) -> None:
    pending = [(table, True)]
    for scope, runs in pending:  # the list grows
        module = scope.get_type() == "module"
        for symbol in scope.get_symbols():
            name, declared = symbol.get_name(), symbol.is_declared_global()
            # symtable mistakes a function called `top` for a module, with local names global
            free = module or declared or (symbol.is_global() and not symbol.is_local())
            set_here = declared and symbol.is_assigned() and not module
            if (free and symbol.is_referenced()) or set_here:
                (now if runs else later).add(name)
            if set_here:
                sets.add(name)
        for child in scope.get_children():
            at_once = child.get_type() != "function" or child.get_name() in COMPREHENSIONS
            pending.append((child, runs and at_once))


def _kind_of(node: ast.stmt) -> StatementKind | None:
    """Return a statement's kind; None if it does more than define something."""
    match node:
        case ast.ImportFrom(module="__future__"):
            return StatementKind.FUTURE
        case ast.Import() | ast.ImportFrom():
            return StatementKind.IMPORT
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return StatementKind.DEFINITION
        case ast.Assign(targets=targets) if _is_quiet(node):
            plain = all(_is_plain(target) for target in targets)
            return StatementKind.VALUE if plain else StatementKind.CHANGE
        case ast.AnnAssign(target=target, value=ast.expr()) if _is_quiet(node):
            return StatementKind.VALUE if _is_plain(target) else StatementKind.CHANGE
        case ast.AugAssign() if _is_quiet(node):
            return StatementKind.CHANGE
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method))) if (
            method in MUTATORS and _is_quiet(node)
        ):
            return StatementKind.CHANGE
        case ast.For(iter=source, body=body, orelse=[]) if _is_quiet(source):
            changes = all(_is_step(part) for part in body)
            return StatementKind.CHANGE if changes else None
        case ast.If():
            branches = _branches(node)
            if all(_is_quiet(test) for test, _ in branches if test is not None):
                return _kind_of_all([part for _, body in branches for part in body])
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=final):
            caught = [part for handler in handlers for part in handler.body]
            return _kind_of_all(body + caught + other + final)
    return None


def _branches(node: ast.If) -> list[tuple[ast.expr | None, list[ast.stmt]]]:
    """Return (condition, body) of each branch; the condition of `else` is None."""
    found: list[tuple[ast.expr | None, list[ast.stmt]]] = [(node.test, node.body)]
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        found.append((node.test, node.body))
    return [*found, (None, node.orelse)]


def _kind_of_all(body: Sequence[ast.stmt]) -> StatementKind | None:
    kinds = [_kind_of(part) for part in body if not _is_idle(part)]
    order = (
        StatementKind.DEFINITION,
        StatementKind.IMPORT,
        StatementKind.VALUE,
        StatementKind.CHANGE,
    )
    if None in kinds or StatementKind.FUTURE in kinds:
        return None
    return next((kind for kind in order if kind in kinds), None)


def _is_step(part: ast.stmt) -> bool:
    if isinstance(part, ast.If):
        branches = _branches(part)
        is_quiet = all(_is_quiet(test) for test, _ in branches if test is not None)
        return is_quiet and all(_is_step(p) for _, body in branches for p in body)
    if isinstance(part, ast.Break | ast.Continue) or _is_idle(part):
        return True
    return _kind_of(part) in (StatementKind.VALUE, StatementKind.CHANGE)


def _is_idle(part: ast.stmt) -> bool:
    match part:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=values, keywords=[])):
            return all(isinstance(value, ast.Constant | ast.JoinedStr) for value in values)
    return False


def _is_plain(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_plain(part) for part in target.elts)
    if isinstance(target, ast.Starred):
        return _is_plain(target.value)
    return isinstance(target, ast.Name)


def _is_quiet(node: ast.AST) -> bool:
    calls = (part.func for part in _at_once([node]) if isinstance(part, ast.Call))
    return not any(isinstance(called, ast.Name) and called.id in DENIED for called in calls)


def _at_once(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.Lambda):
            pending.append(node.args)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [node.args, *node.decorator_list]
        else:
            pending.extend(ast.iter_child_nodes(node))


def _called(parts: Iterable[ast.AST], names: Set[str]) -> Iterator[str]:
    """Yield what is called or passed to a call: names in `names`, and methods as `.name`."""
    for call in parts:
        if isinstance(call, ast.Call):
            for part in (call.func, *call.args, *(word.value for word in call.keywords)):
                if isinstance(part, ast.Name) and part.id in names:
                    yield part.id
                elif isinstance(part, ast.Attribute):
                    yield f".{part.attr}"
                    if isinstance(part.value, ast.Name):
                        yield f"{part.value.id}.{part.attr}"


def _calls(node: ast.stmt, names: Set[str]) -> dict[str, frozenset[str]]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {name: frozenset(_called(ast.walk(node), names))}
        case ast.Assign(targets=[ast.Name(name)], value=ast.Lambda() as value):
            return {name: frozenset(_called(ast.walk(value), names))}
        case ast.ClassDef(name=name, body=body):
            found = {
                f".{key}": called for part in body for key, called in _calls(part, names).items()
            }
            return found | {name: found.get(".__init__", frozenset())}
        case ast.If():
            parts = (part for _, body in _branches(node) for part in body)
        case ast.Try():
            parts = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt))
        case _:
            return {}
    return {key: called for part in parts for key, called in _calls(part, names).items()}


def _changed(node: ast.AST) -> set[str]:
    changed = set[str]()
    for part in ast.walk(node):
        target: ast.AST | None = None
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            target = part.func.value if part.func.attr in MUTATORS else None
        elif isinstance(part, ast.AugAssign):
            target = part.target
        elif isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
            target = part.value
        while isinstance(target, ast.Subscript | ast.Attribute):
            target = target.value
        if isinstance(target, ast.Name):
            changed.add(target.id)
    return changed


def _public_names(module: str) -> frozenset[str]:
    if module not in HARMLESS:
        return frozenset()
    found = import_module(module)
    public = [name for name in vars(found) if not name.startswith("_")]
    return frozenset(getattr(found, "__all__", public))
