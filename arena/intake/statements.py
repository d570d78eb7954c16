"""The top-level statements of a notebook that only define something, and what each needs for it.

Kept out are loops that play or print, calls, input, `with`, `while`, `del`, and an `if` or a
`try` with any of these in it. What is left in counts only if a bot needs it (`choose`):

- imports, functions and classes;
- assignments whose value is an expression; it may call functions, so that a table is built
  as its author builds it, but none that asks for input or makes the bot's own move;
- statements that change such a value: `x += …`, `x[i] = …`, `x.append(…)`, and a `for` loop
  of nothing but those and assignments.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module

HARMLESS = frozenset(
    ("collections", "copy", "functools", "itertools", "math", "numpy", "numpy.random")
    + ("operator", "random", "sys", "time", "typing")
)
"""Modules whose names are looked up for a star import of them."""

MUTATORS = frozenset(
    ("add", "append", "appendleft", "clear", "extend", "fill", "insert", "pop", "remove")
    + ("reverse", "setdefault", "sort", "update")
)
"""Methods that change what they are called on."""

LOUD = frozenset({"input", "exit", "quit"})
"""Functions that no value of a bot may come from."""

DENIED = LOUD | {"print", "display", "exec", "get_ipython"}
"""Functions that no statement which only defines something calls."""

COMPREHENSIONS = frozenset({"listcomp", "setcomp", "dictcomp", "genexpr"})
"""Names of the scopes that run at once, unlike a function's."""

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__builtins__"}
"""Names that every module has."""


class Kind(Enum):
    """What a statement does."""

    FUTURE = "a future import"
    IMPORT = "an import"
    DEFINITION = "a function or a class"
    VALUE = "an assignment"
    CHANGE = "a change of a value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One top-level statement of a cell."""

    cell: int
    """Number of its cell."""

    lines: tuple[str, ...]
    """Its text."""

    first: int
    """Number of its first line in the cell, from 1."""

    kind: Kind

    binds: frozenset[str]
    """Global names that it defines or changes."""

    now: frozenset[str]
    """Global names that it reads when it runs."""

    later: frozenset[str]
    """Global names that its functions read or set when they run."""

    sets: frozenset[str]
    """Those of `later` that they set."""

    anything: bool = False
    """Whether it is a star import of who knows what."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The statements that a bot needs."""

    kept: tuple[Statement, ...]
    """In the order in which they are to run."""

    missing: tuple[str, ...]
    """Names that they read and nothing defines."""


def statements(tree: ast.Module, text: str, cell: int) -> list[Statement]:
    """The statements of a cell that only define something."""
    lines = [line.encode() for line in text.split("\n")]
    found: list[Statement] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [_import(alias, node.lineno, cell) for alias in node.names]
        elif (statement := _statement(node, lines, cell)) is not None:
            found.append(statement)
    return found


def choose(
    available: Sequence[Statement],
    entry: str,
    *,
    main: int | None = None,
    given: frozenset[str] = frozenset(),
    shadowed: frozenset[str] = frozenset(),
) -> Choice:
    """What the function or class `entry` needs of the available statements, which run in order.

    Of several definitions of a name the last counts. Of several values that of the cell `main`
    counts, else one in the cell of a function that reads it, there the last before the
    function, else the nearest before such a cell: what a test assigns does not reach the bot.
    `given` names are defined already; `shadowed` ones are not taken for builtins.
    """
    loud = _loud(available, entry)
    available = [s for s in available if not _is_loud(s, loud)]
    known = BUILTINS - shadowed
    chooser = _Chooser(available, main)
    kept = chooser.closure((entry, "NODE_FUNCTION"))
    missing = _missing([available[i] for i in sorted(kept)], entry, known, given)
    cells = {available[i].cell for i in kept}
    chosen = [
        statement
        for i, statement in enumerate(available)
        if i in kept
        or (statement.kind is Kind.FUTURE and statement.cell in cells)
        or (statement.anything and missing)  # it may bring what is missing
    ]
    return Choice(tuple(chosen), tuple(missing))


class _Chooser:
    """Finds which statements define a name."""

    def __init__(self, available: Sequence[Statement], main: int | None) -> None:
        self._available = available
        self._main = main
        self._binders: dict[str, list[int]] = {}
        for index, statement in enumerate(available):
            for name in statement.binds:
                self._binders.setdefault(name, []).append(index)
        self._users: Mapping[str, list[int]] | None = None
        self._chosen: dict[str, list[int]] = {}

    def closure(self, roots: Sequence[str]) -> set[int]:
        """Indices of all statements that the roots need.

        Gone through twice: only once it is known what may be needed can be said who uses it.
        """
        kept, names = self._reach(roots)
        users: dict[str, list[int]] = {}
        for index, statement in enumerate(self._available):
            if statement.kind is Kind.DEFINITION and statement.binds & names:
                for name in statement.later:
                    users.setdefault(name, []).append(index)
        for index in sorted(kept):
            for name in self._available[index].now - users.keys():
                users.setdefault(name, []).append(index)
        self._users = users
        self._chosen = {}
        return self._reach(roots)[0]

    def _reach(self, roots: Sequence[str]) -> tuple[set[int], set[str]]:
        kept: set[int] = set()
        pending: list[tuple[str, int | None]] = [(root, None) for root in roots]
        names: set[str] = set()
        while pending:
            name, user = pending.pop()
            if user is None and name in names:
                continue
            names.add(name)
            for index in self._definers(name, user):
                if index not in kept:
                    kept.add(index)
                    statement = self._available[index]
                    pending.extend((needed, index) for needed in statement.now)
                    pending.extend((needed, None) for needed in statement.later)
        return kept, names

    def _definers(self, name: str, user: int | None) -> list[int]:
        """The statements that define a name, also for one who reads it while the text runs."""
        if name not in self._chosen:
            self._chosen[name] = self._choose(name)
        chosen = self._chosen[name]
        if user is None or (chosen and chosen[0] < user):
            return chosen
        return chosen + self._nearest(name, user)

    def _choose(self, name: str) -> list[int]:
        """The statements that define a name for good."""
        binders = self._binders.get(name, [])
        code = [i for i in binders if self._kind(i) in (Kind.DEFINITION, Kind.IMPORT)]
        if code and self._kind(code[-1]) is Kind.IMPORT:
            return [i for i in code if self._kind(i) is Kind.IMPORT]
        if code:
            return code[-1:]
        versions = list(self._versions(binders))
        if self._users is None or len(versions) < 2:
            return binders
        return self._version(versions, self._users.get(name, []))

    def _nearest(self, name: str, user: int) -> list[int]:
        """The last definition of a name before a statement, with the changes of its value."""
        found: list[int] = []
        binders = self._binders.get(name, [])
        for index in reversed(binders[: bisect_left(binders, user)]):
            found.append(index)
            if self._kind(index) is not Kind.CHANGE:
                break
        return found

    def _versions(self, binders: list[int]) -> Iterator[list[int]]:
        """Every assignment of a name with the changes of that value that follow it."""
        version: list[int] = []
        for index in binders:
            if version and self._kind(index) is Kind.VALUE:
                yield version
                version = []
            version.append(index)
        if version:
            yield version

    def _version(self, versions: list[list[int]], users: list[int]) -> list[int]:
        """The value that a bot is meant to have; see `choose`."""
        cells = [self._cell(user) for user in reversed(users)]
        for cell in cells if self._main is None else [self._main, *cells]:
            beside = [v for v in versions if self._cell(v[0]) == cell]
            if beside:
                readers = [user for user in users if self._cell(user) == cell]
                return next(
                    (v for v in reversed(beside) if v[0] < max(readers, default=0)), beside[0]
                )
        before = (v for user in users for v in reversed(versions) if v[0] < user)
        return next(before, versions[0])

    def _kind(self, index: int) -> Kind:
        return self._available[index].kind

    def _cell(self, index: int) -> int:
        return self._available[index].cell


def _missing(
    chosen: Sequence[Statement], entry: str, known: frozenset[str], given: frozenset[str]
) -> list[str]:
    """Names that the statements read, when they run or later, and nothing has defined by then."""
    bound = set(given | known)
    missing: dict[str, None] = {}
    for statement in chosen:
        missing |= dict.fromkeys(sorted(statement.now - bound))
        bound |= statement.binds
    for statement in chosen:
        bound |= statement.sets
    for statement in chosen:
        missing |= dict.fromkeys(sorted(statement.later - bound))
    return list(missing | ({} if entry in bound else {entry: None}))


def _loud(available: Sequence[Statement], entry: str) -> frozenset[str]:
    """Functions that ask for input or make the bot's move, themselves or by what they call."""
    users: dict[str, list[str]] = {}
    for statement in available:
        if statement.kind is Kind.DEFINITION:
            for name in statement.now | statement.later:
                users.setdefault(name, []).extend(statement.binds)
    loud: set[str] = set()
    pending = [entry, *LOUD]
    while pending:
        name = pending.pop()
        if name not in loud:
            loud.add(name)
            pending.extend(users.get(name, ()))
    return frozenset(loud)


def _is_loud(statement: Statement, loud: frozenset[str]) -> bool:
    return statement.kind in (Kind.VALUE, Kind.CHANGE) and bool(statement.now & loud)


def _import(alias: ast.alias, line: int, cell: int) -> Statement:
    """The import of one module, as of several in a line some may not be needed."""
    return Statement(
        cell=cell,
        lines=(ast.unparse(ast.Import([alias])),),
        first=line,
        kind=Kind.IMPORT,
        binds=frozenset({alias.asname or alias.name.split(".")[0]}),
        now=frozenset(),
        later=frozenset(),
        sets=frozenset(),
    )


def _statement(node: ast.stmt, lines: list[bytes], cell: int) -> Statement | None:
    """What is to be known of a statement; None for one that does more than define something."""
    kind = _kind_of(node)
    if kind is None:
        return None
    text, first = _text(node, lines)
    try:
        table = symtable.symtable(text, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    binds = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    binds |= {s.get_name() for s in table.get_symbols() if s.is_namespace()}
    changed = _changed(node) & set(table.get_identifiers()) if kind is Kind.CHANGE else set()
    binds |= changed
    now, later, sets = set[str](), set[str](), set[str]()
    _read_scope(table, now, later, sets, runs=True)
    if isinstance(node, ast.For | ast.If | ast.Try):
        now -= binds - changed
    now |= changed
    stars = [
        name.module or "."
        for name in ast.walk(node)
        if isinstance(name, ast.ImportFrom) and name.names[0].name == "*"
    ]
    for module in stars:
        binds |= _public_names(module)
    return Statement(
        cell=cell,
        lines=tuple(text.split("\n")),
        first=first,
        kind=kind,
        binds=frozenset(binds),
        now=frozenset(now),
        later=frozenset(later),
        sets=frozenset(sets),
        anything=not HARMLESS.issuperset(stars),
    )


def _text(node: ast.stmt, lines: list[bytes]) -> tuple[str, int]:
    """The text of a statement and the number of its first line, decorators included."""
    assert node.end_lineno is not None
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    part = lines[first - 1 : node.end_lineno]
    part[-1] = part[-1][: node.end_col_offset]
    if not decorators:
        part[0] = part[0][node.col_offset :]
    return b"\n".join(part).decode(), first


def _read_scope(
    table: symtable.SymbolTable, now: set[str], later: set[str], sets: set[str], *, runs: bool
) -> None:
    """Collect the global names that a scope and those in it read; `runs` if it runs at once."""
    module = table.get_type() == "module"
    for symbol in table.get_symbols():
        name, declared = symbol.get_name(), symbol.is_declared_global()
        # symtable takes a function called `top` for a module: what is local there is global too
        free = module or declared or (symbol.is_global() and not symbol.is_local())
        set_here = declared and symbol.is_assigned() and not module
        if (free and symbol.is_referenced()) or set_here:
            (now if runs else later).add(name)
        if set_here:
            sets.add(name)
    for child in table.get_children():
        at_once = child.get_type() != "function" or child.get_name() in COMPREHENSIONS
        _read_scope(child, now, later, sets, runs=runs and at_once)


def _kind_of(node: ast.stmt) -> Kind | None:
    """What a statement does; None if it does more than define something."""
    match node:
        case ast.ImportFrom(module="__future__"):
            return Kind.FUTURE
        case ast.Import() | ast.ImportFrom():
            return Kind.IMPORT
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return Kind.DEFINITION
        case ast.Assign(targets=targets) if _is_quiet(node):
            plain = all(_is_plain(target) for target in targets)
            return Kind.VALUE if plain else Kind.CHANGE
        case ast.AnnAssign(target=target, value=ast.expr()) if _is_quiet(node):
            return Kind.VALUE if _is_plain(target) else Kind.CHANGE
        case ast.AugAssign() if _is_quiet(node):
            return Kind.CHANGE
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method))) if (
            method in MUTATORS and _is_quiet(node)
        ):
            return Kind.CHANGE
        case ast.For(iter=source, body=body, orelse=[]) if _is_quiet(source):
            changes = all(_is_step(part) for part in body)
            return Kind.CHANGE if changes else None
        case ast.If(test=test, body=body, orelse=other) if _is_quiet(test):
            return None if "__name__" in _names(test) else _kind_of_all(body + other)
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=final):
            caught = [part for handler in handlers for part in handler.body]
            return _kind_of_all(body + caught + other + final)
    return None


def _kind_of_all(body: Sequence[ast.stmt]) -> Kind | None:
    """What statements do together: the most that one of them does."""
    kinds = [_kind_of(part) for part in body if not _is_idle(part)]
    order = (Kind.DEFINITION, Kind.IMPORT, Kind.VALUE, Kind.CHANGE)
    if None in kinds or Kind.FUTURE in kinds:
        return None
    return next((kind for kind in order if kind in kinds), None)


def _is_step(part: ast.stmt) -> bool:
    """Whether a statement may stand in a loop that fills a table."""
    if isinstance(part, ast.If):
        return _is_quiet(part.test) and all(_is_step(p) for p in part.body + part.orelse)
    if isinstance(part, ast.Break | ast.Continue) or _is_idle(part):
        return True
    return _kind_of(part) in (Kind.VALUE, Kind.CHANGE)


def _is_idle(part: ast.stmt) -> bool:
    """Whether a statement does nothing, or nothing but print a text."""
    match part:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=values, keywords=[])):
            return all(isinstance(value, ast.Constant | ast.JoinedStr) for value in values)
    return False


def _is_plain(target: ast.expr) -> bool:
    """Whether an assignment gives names a new value and changes nothing."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_plain(part) for part in target.elts)
    if isinstance(target, ast.Starred):
        return _is_plain(target.value)
    return isinstance(target, ast.Name)


def _is_quiet(node: ast.AST) -> bool:
    """Whether nothing in it talks to a person."""
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return not any(isinstance(called, ast.Name) and called.id in DENIED for called in calls)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _changed(node: ast.AST) -> set[str]:
    """The names whose values a statement changes in place."""
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
    """What a star import of a harmless module defines."""
    if module not in HARMLESS:
        return frozenset()
    found = import_module(module)
    public = [name for name in vars(found) if not name.startswith("_")]
    return frozenset(getattr(found, "__all__", public))
