"""The top-level statements of a notebook, what each needs, and which of them a bot needs.

Of most cells only those count that define something, and of them only what is needed (`choose`):

- imports, functions and classes;
- assignments whose value is an expression; it may call functions, so that a table is built
  as its author builds it, but none that asks for input or makes the bot's own move;
- statements that change such a value: `x += …`, `x[i] = …`, `x.append(…)`, and a `for` loop
  of nothing but those and assignments.

Of the contest cell everything counts, calls and loops and all, but what is loud: what asks for
input, ends the program, plays, or tests the search.
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

LOUD: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "asks for input": ("input", "breakpoint"),
        "ends the program": ("exit", "quit", "sys.exit", "os._exit"),
        "needs a notebook": ("display", "get_ipython"),
    }
)
"""Functions that nothing calls which runs, by why."""

PLAYS, SEARCHES = "plays", "searches"

DENIED = frozenset({"print", "exec"}.union(*LOUD.values()))
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
    ACTION = "anything else"


CODE = (Kind.FUTURE, Kind.IMPORT, Kind.DEFINITION)
NEW = (Kind.IMPORT, Kind.DEFINITION, Kind.VALUE)
"""Kinds of the statements that define a name, whatever it was."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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

    runs: frozenset[str] = frozenset()
    """What it calls or hands on when it runs: global names, and methods as `.name`."""

    calls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What its functions do; a class stands for its constructor."""

    anything: bool = False
    """Whether it is a star import of who knows what."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The statements that a bot needs."""

    kept: tuple[Statement, ...]
    """In the order in which they are to run."""

    missing: tuple[str, ...]
    """Names that they read and nothing that is kept defines."""

    left_out: tuple[tuple[Statement, tuple[str, ...], str], ...]
    """Statements that are not kept, the names of theirs that matter, and why, as a verb."""


def statements(tree: ast.Module, text: str, cell: int) -> list[Statement]:
    """The statements of a cell."""
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

    The cell `main` is kept whole but for what is loud and imports that nothing needs. Of other
    cells what is needed: of several definitions of a name the last, of several values one in the
    cell of a function that reads it, there the last before the function, else the nearest before
    such a cell: what a test assigns does not reach the bot. `given` names are defined already;
    `shadowed` ones are not taken for builtins.
    """
    known = given | (BUILTINS - shadowed)
    roots = (entry, "NODE_FUNCTION")
    needed = _Chooser(available, main).needed(roots)
    sieve = _Sieve(available, entry, main, known, needed)
    chooser = _Chooser([s for i, s in enumerate(available) if i not in sieve.left_out], main)
    chooser.choose(roots)
    missing = _missing(chooser, entry, known)
    lacking = frozenset(missing)
    matters = (needed | lacking) - {name for s in available for name in s.sets} - {entry}
    left_out = []
    for index, why in sorted(sieve.left_out.items()):
        statement = available[index]
        names = statement.binds & (matters if statement.cell == main else lacking)
        if names:
            left_out.append((statement, tuple(sorted(names)), why))
    return Choice(tuple(chooser.chosen(bool(missing))), tuple(missing), tuple(left_out))


class _Sieve:
    """Finds the statements that must not run."""

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
        """Why a statement must not run, taken by itself; None if it may."""
        if statement.kind in CODE:
            return None
        reasons = {self._loud[name] for name in statement.runs if name in self._loud}
        why = next((why for why in (*LOUD, PLAYS, SEARCHES) if why in reasons), None)
        if statement.kind is Kind.ACTION:
            return why or (None if statement.cell == main else "does more than that")
        if why == SEARCHES and statement.binds & self._needed:
            return None  # a table of openings, say
        if why == PLAYS and statement.kind is Kind.VALUE and statement.binds == {entry}:
            return None  # `player = checked(player)`
        return why

    def _leave_out_settings(self) -> None:
        """Leave out what a test sets: values that functions read, set after the last of these,
        and again after the first loud statement."""
        loud = min((i for i in self._own if i in self.left_out), default=None)
        if loud is None:
            return
        readers: dict[str, int] = {}
        for index, statement in enumerate(self._available):
            if statement.kind is Kind.DEFINITION:
                readers.update(dict.fromkeys(statement.later, index))
        setters: dict[str, list[int]] = {}
        for index in self._own:
            if self._available[index].kind in (Kind.VALUE, Kind.CHANGE):
                for name in self._available[index].binds & readers.keys():
                    setters.setdefault(name, []).append(index)
        for name, indices in setters.items():
            if indices[-1] > loud:
                late = [i for i in indices[1:] if i > readers[name]]
                self.left_out |= {i: "belongs to a test" for i in late if i not in self.left_out}

    def _leave_out_what_cannot_run(self, known: frozenset[str], main: int | None) -> None:
        """Leave out what reads, when it runs, a value that came from what is left out."""
        bound = set(known)
        for index, statement in enumerate(self._available):
            bound |= statement.sets
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
    """Finds which statements define a name."""

    def __init__(self, available: Sequence[Statement], main: int | None) -> None:
        self._available = available
        self._main = main
        self._binders: dict[str, list[int]] = {}
        for index, statement in enumerate(available):
            for name in statement.binds:
                self._binders.setdefault(name, []).append(index)
        self._users: Mapping[str, list[int]] | None = None
        self._kept: set[int] = set()
        self._entered: set[int] = set()

    def needed(self, roots: Sequence[str]) -> set[str]:
        """The names that the roots may come to read, themselves included."""
        return self._reach(roots, ())

    def choose(self, roots: Sequence[str]) -> None:
        """Find all statements that the roots and the cell `main` need.

        Gone through twice: only once it is known what may be needed can be said who uses it.
        """
        whole = [
            index
            for index, statement in enumerate(self._available)
            if statement.cell == self._main and statement.kind is not Kind.IMPORT
        ]
        names = self._reach(roots, whole)
        users: dict[str, list[int]] = {}
        for index, statement in enumerate(self._available):
            if statement.kind is Kind.DEFINITION and statement.binds & names:
                for name in statement.later:
                    users.setdefault(name, []).append(index)
        for index in sorted(self._kept):
            for name in self._available[index].now:
                if name not in users:
                    users[name] = [index]
        self._users = users
        self._reach(roots, whole)

    def kept(self) -> Iterator[tuple[Statement, frozenset[str]]]:
        """The statements that are needed, and the names that their functions may come to read."""
        for index in sorted(self._kept):
            statement = self._available[index]
            yield statement, statement.later if index in self._entered else frozenset()

    def chosen(self, anything: bool) -> Iterator[Statement]:
        """The statements to keep; with star imports that may bring anything, if so asked."""
        cells = {self._cell(i) for i in self._kept}
        for index, statement in enumerate(self._available):
            future = statement.kind is Kind.FUTURE and statement.cell in cells
            if index in self._kept or future or (statement.anything and anything):
                yield statement

    def _reach(self, roots: Sequence[str], whole: Sequence[int]) -> set[str]:
        self._kept, self._entered = set(), set()
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

        for index in whole:
            keep(index, enter=self._kind(index) is not Kind.DEFINITION)
        while pending:
            name, user = pending.pop()
            if name not in chosen:
                chosen[name] = self._choose(name)
                for index in chosen[name]:
                    keep(index, enter=True)
            if user is None or (chosen[name] and chosen[name][0] < user):
                continue
            for index in self._before(name, user):
                keep(index, enter=True)
                if self._kind(index) not in NEW and (name, index) not in nearest:
                    nearest.add((name, index))
                    pending.append((name, index))
        return set(chosen)

    def _choose(self, name: str) -> list[int]:
        """The statements that define a name for good."""
        binders = self._binders.get(name, [])
        own = [i for i in binders if self._cell(i) == self._main]
        if any(self._kind(i) in NEW for i in own):
            return own
        code = [i for i in binders if self._kind(i) in (Kind.DEFINITION, Kind.IMPORT)]
        if code and self._kind(code[-1]) is Kind.IMPORT:
            return [i for i in code if self._kind(i) is Kind.IMPORT]
        if code:
            return code[-1:]
        versions = list(self._versions(binders))
        if self._users is None or len(versions) < 2:
            return binders
        return self._version(versions, self._users.get(name, []))

    def _before(self, name: str, user: int) -> list[int]:
        """The last statement before another that defines or changes a name."""
        binders = self._binders.get(name, [])
        at = bisect_left(binders, user)
        return binders[at - 1 : at]

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

    def _kind(self, index: int) -> Kind:
        return self._available[index].kind

    def _cell(self, index: int) -> int:
        return self._available[index].cell


def _missing(chooser: _Chooser, entry: str, known: frozenset[str]) -> list[str]:
    """Names that what is kept reads, when it runs or later, and nothing has defined by then."""
    kept = list(chooser.kept())
    bound = set(known).union(*(statement.sets for statement, _ in kept))
    missing: dict[str, None] = {}
    for statement, _ in kept:
        missing |= dict.fromkeys(sorted(statement.now - bound))
        bound |= statement.binds
    for _, later in kept:
        missing |= dict.fromkeys(sorted(later - bound))
    return list(missing | ({} if entry in bound else {entry: None}))


def _loud(available: Sequence[Statement], entry: str) -> dict[str, str]:
    """Functions that nothing which runs may call, with the first reason why.

    They do it themselves or by what they call.
    """
    calls: dict[str, set[str]] = {}
    for statement in available:
        for function, called in statement.calls.items():
            calls.setdefault(function, set()).update(called)
    users: dict[str, list[str]] = {}
    for function, names in calls.items():
        for name in names:
            users.setdefault(name, []).append(function)
    searches = [f for f in _reached([entry], calls) if _is_recursive(f, calls)]
    loud: dict[str, str] = {}
    for why, doers in {**LOUD, PLAYS: [entry], SEARCHES: searches}.items():
        loud = dict.fromkeys(_reached(doers, users), why) | loud
    return loud


def _is_recursive(function: str, calls: Mapping[str, Set[str]]) -> bool:
    """Whether a function calls itself, or one that calls it."""
    called = calls.get(function, frozenset())
    return function in called or any(function in calls.get(name, ()) for name in called)


def _reached(start: Iterable[str], graph: Mapping[str, Iterable[str]]) -> set[str]:
    """What can be reached from some names, themselves included."""
    reached: set[str] = set()
    pending = list(start)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending.extend(graph.get(name, ()))
    return reached


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
    """What is to be known of a statement; None for one that cannot be told apart."""
    kind = _kind_of(node) or Kind.ACTION
    text, first = _text(node, lines)
    try:
        table = symtable.symtable(text, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    binds = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    binds |= {s.get_name() for s in table.get_symbols() if s.is_namespace()}
    changed = (
        _changed(node) & set(table.get_identifiers())
        if kind in (Kind.CHANGE, Kind.ACTION)
        else set()
    )
    binds |= changed
    now, later, sets = set[str](), set[str](), set[str]()
    _read_scope(table, now, later, sets, runs=True)
    runs = frozenset(_called(_at_once([node]), now))
    if isinstance(node, ast.For | ast.If | ast.Try | ast.While | ast.With):
        now -= binds - changed
    now |= binds if isinstance(node, ast.Delete) else changed
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
        runs=runs,
        calls=_calls(node, later),
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
            return _kind_of_all(body + other)
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
    """Whether nothing in it talks to a person when it runs."""
    calls = (part.func for part in _at_once([node]) if isinstance(part, ast.Call))
    return not any(isinstance(called, ast.Name) and called.id in DENIED for called in calls)


def _at_once(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The parts of some syntax that run at once, unlike a function's body."""
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
    """What some syntax calls or hands on: of the global `names`, and methods as `.name`."""
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
    """What the functions of a statement call, by their names as in `_called`."""
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
        case ast.If() | ast.Try():
            parts = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt))
            return {key: called for part in parts for key, called in _calls(part, names).items()}
    return {}


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
