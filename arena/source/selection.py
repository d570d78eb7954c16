"""Selection of the top-level statements of a notebook that a bot needs.

From most cells only definitions that are needed are taken (`choose`): imports, functions, classes,
assignments, and changes of assigned values: `x += …`, `x[i] = …`, `x.append(…)`, and `for` loops of
only changes and assignments. Their expressions may call functions, for example to build a table,
but not to ask for input or to make the bot's own move.

The contest cell is taken whole, except *loud* statements, which ask for input, end the program,
play, or test the search.
"""

from __future__ import annotations

import builtins
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from arena.source.scopes import closure
from arena.source.statements import CODE, LOUD, NEW, Statement, StatementKind

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
    needed = _Chooser(available, main).reach(roots, ())
    sieve = _Sieve(available, entry, main, known, needed)
    chooser = _Chooser([s for i, s in enumerate(available) if i not in sieve.left_out], main)
    chooser.choose(roots)
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
        for index, statement in enumerate(available):
            for name in statement.binds:
                self._binders.setdefault(name, []).append(index)
        self._users: Mapping[str, list[int]] | None = None
        self._kept: set[int] = set()
        self._entered: set[int] = set()

    def choose(self, roots: Sequence[str]) -> None:
        """Find all statements that the roots and the cell `main` need.

        Works in two passes, because only the first one finds the users of each name.
        """
        whole = [
            index
            for index, statement in enumerate(self._available)
            if statement.cell == self._main and statement.kind is not StatementKind.IMPORT
        ]
        names = self.reach(roots, whole)
        users: dict[str, list[int]] = {}
        for index, statement in enumerate(self._available):
            if statement.kind is StatementKind.DEFINITION and statement.binds & names:
                for name in statement.later:
                    users.setdefault(name, []).append(index)
        for index in sorted(self._kept):
            for name in self._available[index].now:
                if name not in users:
                    users[name] = [index]
        self._users = users
        self.reach(roots, whole)

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

    def reach(self, roots: Sequence[str], whole: Sequence[int]) -> set[str]:
        """Keep what roots and `whole` need; return the names that it may read."""
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
            keep(index, enter=self._kind(index) is not StatementKind.DEFINITION)
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
        if self._users is None or len(versions) < 2:
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
