"""The call graph of a bot's functions, read from its source."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from arena.source.classes import FUNCTIONS, assigned_value, last_name
from arena.source.scopes import FunctionKey, Scope, closure, own_nodes
from arena.source.values import Instance, Names, Other, Values

# Methods of built-in types: on an unknown object a name more likely means these than the bot's.
BUILTIN_METHODS = frozenset(
    name for kind in (list, dict, set, str, tuple, bytearray, int) for name in dir(kind)
)

# Built-in functions that do not call their arguments.
LOOKERS = frozenset(
    ("callable", "delattr", "getattr", "hasattr", "id", "isinstance", "issubclass", "len", "print")
    + ("repr", "setattr", "str", "type", "vars")
)

DUNDER = re.compile("__(?!init__).+__")  # Methods that Python calls implicitly.
LOOPS = (ast.For, ast.AsyncFor, ast.While)
Graph = Mapping[FunctionKey, list[Scope]]
Call = tuple[str, Scope]  # (`sure`, `guess` or `hint`, function called), see CallGraph.


class CallGraph:
    """A bot's functions, and which functions each calls or passes as an argument.

    A call is *sure* if its target is known. Other calls are matched by name: as a *guess*, or as a
    *hint* if the name may just as well mean something else.
    """

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        """Read the bot's syntax trees; their keys are file names."""
        self._trees = trees
        self._names = Names(trees)
        self.functions = [scope for scope in self._names.scopes if scope.is_function]
        self._by_name: dict[str, list[Scope]] = {}
        for function in self.functions:
            self._by_name.setdefault(function.name, []).append(function)
        inner: dict[Scope, list[Scope]] = {}  # lambdas and comprehensions
        for scope in self._names.scopes:
            if scope.around is not None and not isinstance(scope.node, (*FUNCTIONS, ast.ClassDef)):
                inner.setdefault(scope.around, []).append(scope)
        self._calls: dict[str, dict[FunctionKey, list[Scope]]] = {
            how: {function.key: [] for function in self.functions}
            for how in ("sure", "guess", "hint")
        }
        self._in_loops: dict[FunctionKey, set[FunctionKey]] = {}
        for function in self.functions:
            for scope in closure([function], lambda each: inner.get(each, ())):
                for how, called, again in self._references(scope, function):
                    self._calls[how][function.key].append(called)
                    if again:
                        self._in_loops.setdefault(function.key, set()).add(called.key)

    def moves(self, file: str, entry: str, moves: Sequence[str]) -> list[Scope]:
        """Return the functions that start a move: `entry`, or its methods in `moves`.

        If `entry` is a lambda, returns the functions that it calls.
        """
        wanted = {entry, *(f"{entry}.{move}" for move in moves)}
        found = [f for f in self.functions if f.file == file and f.qualname in wanted]
        for kind in self._names.scopes:
            if not found and kind.key == (file, entry) and kind.is_class:
                found = [m for move in moves for m in self._names.methods(Instance(kind), move)]
        found = found or [f for f in self.functions if f.name in moves]
        if found or file not in self._trees:
            return found
        values = [assigned_value(node, entry) for node in self._trees[file].body]
        words = {last_name(node) for value in values if value for node in ast.walk(value)}
        return [f for f in self.functions if f.name in words]

    def reached(self, start: Iterable[Scope], *, hints: bool = True) -> list[Scope]:
        """Return the functions that `start` may call, nearest first, `start` included."""
        order: dict[FunctionKey, Scope] = {}
        pending = deque(start)
        while pending:
            function = pending.popleft()
            if function.key not in order:
                order[function.key] = function
                for how in ("sure", "guess", "hint")[: 2 + hints]:
                    pending.extend(self._calls[how][function.key])
        return list(order.values())

    def recursive(self, start: Sequence[Scope]) -> tuple[list[list[Scope]], bool]:
        """Return the recursions that form the search of `start`, and whether all are sure.

        These are all `branching` ones; without any, the nearest recursion. A guessed call of the
        move itself does not count, because it means another player's move.
        """
        first = {function.key for function in start}
        calls = self._calls
        likely = {
            key: sure + [f for f in calls["guess"][key] if f.key not in first]
            for key, sure in calls["sure"].items()
        }
        sure, guessed = self._recursions, _recursions(likely)
        for hints in (False, True):
            for function in self.reached(start, hints=hints):
                if component := sure.get(function.key):
                    return self.branching(start) or [self._members(component)], True
                if component := guessed.get(function.key):
                    return [self._members(component)], False
        return self.branching(start), True

    def branching(self, start: Iterable[Scope], apart: Sequence[Scope] = ()) -> list[list[Scope]]:
        """Return the sure recursions that branch and that `start` reaches, nearest first.

        A recursion is a list of functions that call each other. It branches if one call of these
        can make several more. Methods that Python calls implicitly also count as reached. Leaves
        out recursions that another result calls, as they only help it, and those that call `apart`
        or are called by it.
        """
        kept: dict[frozenset[FunctionKey], set[FunctionKey]] = {}
        inside = {function.key for function in self.reached(apart, hints=False)}
        wanted = {function.key for function in apart}
        by_python = (f for f in self.functions if f.owner and DUNDER.fullmatch(f.name))
        for function in self.reached([*start, *by_python]):
            component = self._recursions.get(function.key)
            if not component or component & inside:
                continue
            if self._branches(component):
                below = {f.key for f in self.reached(self._members(component), hints=False)}
                kept = {other: far for other, far in kept.items() if not other & below}
                kept[component] = below
                inside |= below
        return [self._members(each) for each, below in kept.items() if not below & wanted]

    @cached_property
    def _recursions(self) -> dict[FunctionKey, frozenset[FunctionKey]]:
        return _recursions(self._calls["sure"])

    def _members(self, component: frozenset[FunctionKey]) -> list[Scope]:
        return [function for function in self.functions if function.key in component]

    def _branches(self, component: frozenset[FunctionKey]) -> bool:
        return any(
            component & self._in_loops.get(key, set())
            or sum(called.key in component for called in self._calls["sure"][key]) > 1
            for key in component
        )

    def _references(self, scope: Scope, function: Scope) -> Iterator[tuple[str, Scope, bool]]:
        """Yield (`sure`, `guess` or `hint`, function, whether it may be called repeatedly)."""
        nodes = list(own_nodes(scope.node))
        repeated = {part for node in nodes if isinstance(node, LOOPS) for part in ast.walk(node)}
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            again = scope is not function or node in repeated
            yield from ((*call, again) for call in self._called(node.func, scope, function))
            if isinstance(node.func, ast.Name) and node.func.id in LOOKERS:
                continue
            for part in (*node.args, *(word.value for word in node.keywords)):
                if isinstance(part, (ast.Name, ast.Attribute)):
                    values = self._names.values(part, scope)
                    for value in _in_order(values):
                        if isinstance(value, Scope) and value.is_function:
                            yield "sure", value, True
                    if isinstance(part, ast.Attribute) and Other.UNKNOWN in values:
                        yield from (("hint", f, True) for f in self._by_name.get(part.attr, ()))

    def _called(self, node: ast.expr, scope: Scope, function: Scope) -> Iterator[Call]:
        values = self._names.values(node, scope)
        for value in _in_order(values):
            if isinstance(value, Instance):
                yield from (("sure", f) for f in self._names.methods(value, "__call__"))
            elif isinstance(value, Scope) and value.is_class:
                yield from (("sure", f) for f in self._names.methods(Instance(value), "__init__"))
            elif isinstance(value, Scope) and value.is_function:
                yield "sure", value
        if Other.UNKNOWN not in values:
            return
        match node:
            case ast.Name(name) if self._may_be_a_function(name, scope):
                yield from (("guess", f) for f in self._by_name.get(name, ()))
            case ast.Attribute(receiver, name):
                # delegation to an attribute calls another class's method of the same name
                passes_on = isinstance(receiver, ast.Attribute) and name == function.name
                how = "hint" if passes_on or name in BUILTIN_METHODS else "guess"
                yield from ((how, f) for f in self._by_name.get(name, ()))

    def _may_be_a_function(self, name: str, scope: Scope) -> bool:
        """Return whether an unknown name may be a function of that name.

        It may if unbound, or bound as in `search = engine.search`.
        """
        found = self._names.bound(name, scope)
        values = [getattr(node, "value", None) for node in found[1]] if found else []
        return found is None or any(getattr(value, "attr", "") == name for value in values)


def _in_order(values: Values) -> list[Scope | Instance]:
    """Return the functions, classes and objects in the same order in every process.

    The order of a set depends on addresses, and the nearest recursion is the search.
    """
    kinds = [value for value in values if isinstance(value, Scope)]
    objects = [value for value in values if isinstance(value, Instance)]
    by_kind = sorted(objects, key=lambda each: (each.kind.key, each.above))
    return [*sorted(kinds, key=lambda each: each.key), *by_kind]


def _recursions(graph: Graph) -> dict[FunctionKey, frozenset[FunctionKey]]:
    return {
        key: component
        for key, component in _components(graph).items()
        if len(component) > 1 or any(called.key == key for called in graph[key])
    }


def _components(graph: Graph) -> dict[FunctionKey, frozenset[FunctionKey]]:
    """Return each function's strongly connected component.

    By Tarjan's algorithm (SIAM J. Comput. 1972) with an explicit stack.
    """
    index: dict[FunctionKey, int] = {}
    low: dict[FunctionKey, int] = {}
    path: list[FunctionKey] = []
    found: dict[FunctionKey, frozenset[FunctionKey]] = {}
    for root in graph:
        work = [] if root in index else [(root, iter(graph[root]))]
        while work:
            key, following = work[-1]
            if key not in index:
                index[key] = low[key] = len(index)
                path.append(key)
            for called in following:
                if called.key not in index:
                    work.append((called.key, iter(graph[called.key])))
                    break
                if called.key not in found:
                    low[key] = min(low[key], index[called.key])
            else:
                work.pop()
                if work:
                    caller = work[-1][0]
                    low[caller] = min(low[caller], low[key])
                if low[key] == index[key]:
                    start = len(path) - 1 - path[::-1].index(key)
                    component = frozenset(path[start:])
                    del path[start:]
                    found.update(dict.fromkeys(component, component))
    return found
