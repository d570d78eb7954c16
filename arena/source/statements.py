"""A notebook's top-level statements, and the choice of those that a bot needs.

From most cells only needed definitions are taken (`choose`): imports, functions, classes,
assignments and changes of assigned values, also in `for` loops. Their expressions may call
functions, for example to build a table, but not ask for input or make the bot's own move. The
contest cell is taken whole, except *loud* statements, which ask for input, end the program, play,
or test the search.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import MappingProxyType

from arena.source.scopes import binds, closure

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
            changes = _kind_of_all(body) in (StatementKind.VALUE, StatementKind.CHANGE)
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
    return next((kind for kind in order if kind in kinds), StatementKind.CHANGE)


def _is_idle(part: ast.stmt) -> bool:
    match part:
        case ast.Pass() | ast.Break() | ast.Continue() | ast.Expr(value=ast.Constant()):
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


PLAYS, SEARCHES = "plays", "searches"
BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__builtins__"}


@dataclass(frozen=True, slots=True)
class Selection:
    kept: tuple[Statement, ...]
    """The needed statements, in the order in which they run."""

    missing: tuple[str, ...]
    """Names that kept statements read but do not define."""

    left_out: tuple[tuple[Statement, tuple[str, ...], str], ...]
    """(statement, names in it that the bot needs, why it was left out, like "asks for input")."""


def choose(
    available: Sequence[Statement],
    entry: str,
    *,
    main: int | None = None,
    given: frozenset[str] = frozenset(),
    shadowed: frozenset[str] = frozenset(),
) -> Selection:
    """Choose the statements that the function or class `entry` needs, in order.

    The cell `main` is kept whole, except loud statements and unneeded imports. From other cells,
    the last of several definitions of a name is taken. Of several values, the value in the cell of
    a function that reads it is taken, the last before that function; without one, the nearest
    before such a cell. So values that a test assigns do not reach the bot. `given` names are
    already defined; `shadowed` names are not taken for builtins.
    """
    known = given | (BUILTINS - shadowed)
    roots = (entry, "NODE_FUNCTION")
    needed = _Chooser(available, main).reach(roots, whole=False)
    sieve = _Sieve(available, entry, main, known, needed)
    chooser = _Chooser([s for i, s in enumerate(available) if i not in sieve.left_out], main)
    chooser.reach(roots, whole=True)
    missing = _missing(chooser, entry, known)
    lacking = frozenset(missing)
    matters = (needed | lacking) - {name for s in available for name in s.sets_later} - {entry}
    left_out = []
    for index, why in sorted(sieve.left_out.items()):
        statement = available[index]
        names = statement.binds & (matters if statement.cell == main else lacking)
        if names:
            left_out.append((statement, tuple(sorted(names)), why))
    return Selection(tuple(chooser.chosen(bool(missing))), tuple(missing), tuple(left_out))


class _Sieve:
    def __init__(
        self,
        available: Sequence[Statement],
        entry: str,
        main: int | None,
        known: frozenset[str],
        needed: Set[str],
    ) -> None:
        self._available = available
        self._needed = needed
        self._own = [i for i, s in enumerate(available) if main is not None and s.cell == main]
        self._loud = _loud(available, entry)
        self.left_out: dict[int, str] = {}
        """Indices of the statements that must not run, and why."""

        for index, statement in enumerate(available):
            why = self._why_not(statement, entry, main)
            if why is not None:
                self.left_out[index] = why
        self._leave_out_settings()
        self._leave_out_what_cannot_run(known, main)

    def _why_not(self, statement: Statement, entry: str, main: int | None) -> str | None:
        if statement.kind in CODE:
            return None
        reasons = {self._loud[name] for name in statement.called_now if name in self._loud}
        why = next((why for why in (*LOUD, PLAYS, SEARCHES) if why in reasons), None)
        if statement.kind is StatementKind.ACTION:
            return why or (None if statement.cell == main else "does more than that")
        if why == SEARCHES and statement.binds & self._needed:
            return None  # such as a table of openings
        if why == PLAYS and statement.kind is StatementKind.VALUE and statement.binds == {entry}:
            return None  # `player = checked(player)`
        return why

    def _leave_out_settings(self) -> None:
        """Leave out values that functions read and that a test sets again after loud statements."""
        loud = min((i for i in self._own if i in self.left_out), default=None)
        if loud is None:
            return
        readers: dict[str, int] = {}
        for index, statement in enumerate(self._available):
            if statement.kind is StatementKind.DEFINITION:
                readers.update(dict.fromkeys(statement.later, index))
        setters: dict[str, list[int]] = {}
        for index in self._own:
            if self._available[index].kind in (StatementKind.VALUE, StatementKind.CHANGE):
                for name in self._available[index].binds & readers.keys():
                    setters.setdefault(name, []).append(index)
        for name, indices in setters.items():
            if indices[-1] > loud:
                late = [i for i in indices[1:] if i > readers[name]]
                self.left_out |= {i: "belongs to a test" for i in late if i not in self.left_out}

    def _leave_out_what_cannot_run(self, known: frozenset[str], main: int | None) -> None:
        """Leave out statements that read a name defined only by statements left out."""
        bound = set(known)
        for index, statement in enumerate(self._available):
            bound |= statement.sets_later
            if statement.cell != main and index not in self.left_out:
                bound |= statement.binds
        gone: dict[str, Statement] = {}
        for index in self._own:
            statement = self._available[index]
            lost = sorted(n for n in statement.now if n in gone and n not in bound)
            if lost and statement.kind not in CODE and index not in self.left_out:
                self.left_out[index] = f"needs line {gone[lost[0]].first}"
            if index in self.left_out:
                gone |= dict.fromkeys(statement.binds, statement)
            else:
                bound |= statement.binds


class _Chooser:
    def __init__(self, available: Sequence[Statement], main: int | None) -> None:
        self._available = available
        self._main = main
        self._binders: dict[str, list[int]] = {}
        self._users: dict[str, list[int]] = {}  # functions and classes that read a name
        for index, statement in enumerate(available):
            for name in statement.binds:
                self._binders.setdefault(name, []).append(index)
            for name in statement.later if statement.kind is StatementKind.DEFINITION else ():
                self._users.setdefault(name, []).append(index)
        self._kept: set[int] = set()
        self._entered: set[int] = set()

    def kept(self) -> Iterator[tuple[Statement, frozenset[str]]]:
        for index in sorted(self._kept):
            statement = self._available[index]
            yield statement, statement.later if index in self._entered else frozenset()

    def chosen(self, anything: bool) -> Iterator[Statement]:
        cells = {self._cell(i) for i in self._kept}
        for index, statement in enumerate(self._available):
            future = statement.kind is StatementKind.FUTURE and statement.cell in cells
            if index in self._kept or future or (statement.is_unknown_star and anything):
                yield statement

    def reach(self, roots: Sequence[str], *, whole: bool) -> set[str]:
        """Keep what roots need, and the cell `main` if `whole`; return names it may read."""
        chosen: dict[str, list[int]] = {}
        nearest: set[tuple[str, int]] = set()
        pending: list[tuple[str, int | None]] = [(root, None) for root in roots]

        def keep(index: int, *, enter: bool) -> None:
            statement = self._available[index]
            if index not in self._kept:
                self._kept.add(index)
                pending.extend((needed, index) for needed in statement.now)
            if enter and index not in self._entered:
                self._entered.add(index)
                pending.extend((needed, None) for needed in statement.later)

        for index, statement in enumerate(self._available if whole else ()):
            if statement.cell == self._main and statement.kind is not StatementKind.IMPORT:
                keep(index, enter=statement.kind is not StatementKind.DEFINITION)
        while pending:
            name, user = pending.pop()
            if name not in chosen:
                chosen[name] = self._choose(name)
                for index in chosen[name]:
                    keep(index, enter=True)
            if user is None or (chosen[name] and chosen[name][0] < user):
                continue
            binders = self._binders.get(name, [])
            at = bisect_left(binders, user)
            for index in binders[at - 1 : at]:  # the last one before its user
                keep(index, enter=True)
                if self._kind(index) not in NEW and (name, index) not in nearest:
                    nearest.add((name, index))
                    pending.append((name, index))
        return set(chosen)

    def _choose(self, name: str) -> list[int]:
        binders = self._binders.get(name, [])
        own = [i for i in binders if self._cell(i) == self._main]
        if any(self._kind(i) in NEW for i in own):
            return own
        code = [
            i for i in binders if self._kind(i) in (StatementKind.DEFINITION, StatementKind.IMPORT)
        ]
        if code and self._kind(code[-1]) is StatementKind.IMPORT:
            return [i for i in code if self._kind(i) is StatementKind.IMPORT]
        if code:
            return code[-1:]
        versions = list(self._versions(binders))
        if len(versions) < 2:
            return binders
        return self._version(versions, self._users.get(name, []))

    def _versions(self, binders: list[int]) -> Iterator[list[int]]:
        """Yield indices: of each assignment of a name, and of the changes that follow it."""
        version: list[int] = []
        for index in binders:
            if version and self._kind(index) is StatementKind.VALUE:
                yield version
                version = []
            version.append(index)
        if version:
            yield version

    def _version(self, versions: list[list[int]], users: list[int]) -> list[int]:
        beside: dict[int, list[list[int]]] = {}
        for version in versions:
            beside.setdefault(self._cell(version[0]), []).append(version)
        cells = (self._cell(user) for user in reversed(users))
        cell = next((cell for cell in cells if cell in beside), None)
        if cell is not None:
            last = max(user for user in users if self._cell(user) == cell)
            return next((v for v in reversed(beside[cell]) if v[0] < last), beside[cell][0])
        starts = [version[0] for version in versions]
        before = (bisect_left(starts, user) for user in users)
        return versions[next((at - 1 for at in before if at), 0)]

    def _kind(self, index: int) -> StatementKind:
        return self._available[index].kind

    def _cell(self, index: int) -> int:
        return self._available[index].cell


def _missing(chooser: _Chooser, entry: str, known: frozenset[str]) -> list[str]:
    kept = list(chooser.kept())
    bound = set(known).union(*(statement.sets_later for statement, _ in kept))
    missing: dict[str, None] = {}
    for statement, _ in kept:
        missing |= dict.fromkeys(sorted(statement.now - bound))
        bound |= statement.binds
    for _, later in kept:
        missing |= dict.fromkeys(sorted(later - bound))
    return list(missing | ({} if entry in bound else {entry: None}))


def _loud(available: Sequence[Statement], entry: str) -> dict[str, str]:
    """Return, by name, the functions that no statement may run, and the first reason why."""
    calls: dict[str, set[str]] = {}
    for statement in available:
        for function, called in statement.calls.items():
            calls.setdefault(function, set()).update(called)
    users: dict[str, list[str]] = {}
    for function, names in calls.items():
        for name in names:
            users.setdefault(name, []).append(function)
    reached = closure([entry], lambda name: calls.get(name, ()))
    # recursive, directly or through one other function
    searches = [
        function
        for function in reached
        if any(function in calls.get(name, ()) for name in (function, *calls.get(function, ())))
    ]
    loud: dict[str, str] = {}
    for why, doers in {**LOUD, PLAYS: [entry], SEARCHES: searches}.items():
        loud = dict.fromkeys(closure(doers, lambda name: users.get(name, ())), why) | loud
    return loud
