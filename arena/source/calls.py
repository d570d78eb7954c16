"""The call graph of a bot's functions, read from its source.

A function calls those that its body names, also without brackets: `map(search, boards)`. The class
of an object is known for `self`, for `x = Kind(…)`, and if only one class has the method's name.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePath

from arena.source.classes import FUNCTIONS, assigned_value, last_name
from arena.source.scopes import (
    COMPREHENSIONS,
    FunctionKey,
    Scope,
    closure,
    names_bound,
    names_in,
    own_nodes,
    parameters_of,
    scopes_of,
)

LITERALS = (ast.Constant, ast.JoinedStr, ast.List, ast.Dict, ast.Set, ast.Tuple, *COMPREHENSIONS)
NameRead = tuple[Scope, str]  # The scope in which a name is read, and the name.


class Names:
    """The functions, classes and objects that names in a source mean."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.scopes = [scope for file, tree in trees.items() for scope in scopes_of(file, tree)]
        self._modules = {scope.file: scope for scope in self.scopes if scope.around is None}
        self._by_node = {scope.node: scope for scope in self.scopes}
        self._bound = {scope: _bound_in(scope) for scope in self.scopes}
        self._by_name: dict[str, list[Scope]] = {}  # functions and classes
        self._subclasses: dict[Scope, list[Scope]] = {}
        self._stored: dict[str, list[tuple[ast.expr, Scope]]] = {}  # values of attributes
        for scope in self.scopes:
            if scope.is_function or scope.is_class:
                self._by_name.setdefault(scope.name, []).append(scope)
        for scope in self.scopes:
            for base in self._bases(scope):
                self._subclasses.setdefault(base, []).append(scope)
            for node in own_nodes(scope.node):
                match node:
                    case ast.Assign([ast.Attribute(_, name)], value):
                        self._stored.setdefault(name, []).append((value, scope))

    def functions(self, name: str) -> list[Scope]:
        return [scope for scope in self._by_name.get(name, ()) if scope.is_function]

    def methods(self, kind: Scope, name: str) -> list[Scope]:
        """Return the methods that a call of `name` may reach, also in subclasses."""
        family = closure([kind], self._bases), closure([kind], self._below)[1:]
        own, below = ([f for each in part for f in self._own(each, name)] for part in family)
        return own[:1] + below

    def named(self, name: str, scope: Scope) -> list[Scope]:
        """Return the functions and classes that a name means, also through other names."""
        places = closure([(scope, name)], self._other_names)
        nodes = (node for at, word in places for node in self._binders(word, at)[1])
        found = (self._by_node[node] for node in nodes if node in self._by_node)
        return [each for each in found if each.is_function or each.is_class]

    def attribute(self, node: ast.Attribute, scope: Scope) -> list[Scope] | None:
        if isinstance(node.value, ast.Name):
            _, binders = self._binders(node.value.id, scope)
            modules = [m for each in binders for m in self._modules_in(each, node.value.id)]
            if modules:
                return [found for module in modules for found in self.named(node.attr, module)]
        if getattr(getattr(node.value, "func", None), "id", "") == "super":
            bases = self._above(scope)
            return [found for base in bases for found in self.methods(base, node.attr)[:1]]
        kinds = self._kinds(node.value, scope)
        if not kinds:
            return kinds
        if methods := [method for kind in kinds for method in self.methods(kind, node.attr)]:
            return methods
        values = self._stored.get(node.attr, ())
        return [found for value, at in values for found in self._meant(value, at)]

    def is_given(self, node: ast.expr, scope: Scope) -> bool:
        """Return whether an object is a parameter, or kept in an attribute."""
        binders = self._binders(node.id, scope)[1] if isinstance(node, ast.Name) else ()
        return isinstance(node, ast.Attribute) or any(isinstance(b, ast.arg) for b in binders)

    def are_related(self, methods: Iterable[Scope]) -> bool:
        owners = {method.owner for method in methods}
        tops = [kind for kind in owners if not kind or owners.isdisjoint(self._bases(kind))]
        return len(tops) == 1

    def _bases(self, kind: Scope) -> list[Scope]:
        bases = kind.node.bases if isinstance(kind.node, ast.ClassDef) else ()
        found = [each for base in bases for each in self._by_name.get(last_name(base), ())]
        return [each for each in found if each.is_class and each is not kind]

    def _above(self, scope: Scope) -> list[Scope]:
        owner: Scope | None = scope
        while owner is not None and not owner.is_class:
            owner = owner.around
        return self._bases(owner) if owner else []

    def _below(self, kind: Scope) -> list[Scope]:
        return self._subclasses.get(kind, [])

    def _own(self, kind: Scope, name: str) -> list[Scope]:
        nodes = self._bound[kind].get(name, [])[::-1]
        return [self._by_node[node] for node in nodes if node in self._by_node][:1]

    def _kinds(self, node: ast.expr, scope: Scope) -> list[Scope] | None:
        """Return an object's classes; [] if they are not the bot's, None if unknown."""
        match node:
            case ast.Call():
                return self._made(node, scope) or None
            case ast.Attribute(_, name):
                values = self._stored.get(name, ())
                return [kind for value, at in values for kind in self._made(value, at)] or None
            case ast.Name(name):
                return self._kinds_named(name, scope)
        return [] if isinstance(node, LITERALS) else None

    def _kinds_named(self, name: str, scope: Scope) -> list[Scope] | None:
        at, binders = self._binders(name, scope)
        marks = {last_name(mark) for mark in getattr(at.node, "decorator_list", ())}
        first = next(iter(self._bound[at].values()), None)  # in a method: `self`
        if at.owner and "staticmethod" not in marks and binders == first:
            return [at.owner]
        found = [each for each in self.named(name, scope) if each.is_class]
        values = [node.value for node in binders if isinstance(node, ast.Assign)]
        found += [kind for value in values for kind in self._made(value, at)]
        is_foreign = any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in binders)
        return found or ([] if is_foreign else None)

    def _made(self, node: ast.expr, scope: Scope) -> list[Scope]:
        """Return the classes whose object an expression makes."""
        values = self._meant(node.func, scope) if isinstance(node, ast.Call) else []
        return [kind for kind in values if kind.is_class]

    def _meant(self, node: ast.expr, scope: Scope) -> list[Scope]:
        if isinstance(node, ast.Name):
            return self.named(node.id, scope)
        return self._by_name.get(node.attr, []) if isinstance(node, ast.Attribute) else []

    def _binders(self, name: str, scope: Scope) -> tuple[Scope, list[ast.AST]]:
        """Return the scope that binds a name, and the nodes that do; none for a built-in."""
        at: Scope | None = scope
        while at is not None:
            nodes = self._bound[at].get(name, [])
            if nodes and (at is scope or not at.is_class):
                if not any(isinstance(node, ast.Global) for node in nodes):
                    return at, nodes
                module = self._modules[scope.file]
                return module, self._bound[module].get(name, [])
            at = at.around
        return scope, []

    def _other_names(self, place: NameRead) -> Iterator[NameRead]:
        """Yield other names of what a global or unbound name means."""
        scope, name = place
        at, nodes = self._binders(name, scope)
        if not nodes and not hasattr(builtins, name):  # imported by `*`
            yield from self._places(self._modules.values(), name)
        for node in nodes:
            match node:
                case ast.ImportFrom(module, names):
                    there = self._files(module or "")
                    for alias in names:
                        if name == (alias.asname or alias.name) and there:
                            found = [*self._places(there, alias.name)]
                            yield from found or self._places(self._modules.values(), alias.name)
                case ast.Assign([ast.Name()], value) if at.around is None:
                    values = value.args if isinstance(value, ast.Call) else [value]
                    for part in values:
                        if isinstance(part, ast.Name):
                            yield at, part.id
                        elif isinstance(part, ast.Attribute):
                            yield from self._places(self._modules.values(), part.attr)

    def _places(self, modules: Iterable[Scope], name: str) -> Iterator[NameRead]:
        return ((module, name) for module in modules if name in self._bound[module])

    def _modules_in(self, node: ast.AST, name: str) -> list[Scope]:
        names = node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ()
        wanted = [alias.name for alias in names if name in (alias.asname, alias.name)]
        return [module for each in wanted for module in self._files(each)]

    def _files(self, module: str) -> list[Scope]:
        """Return the bot's modules that have the last part of an imported name."""
        last = module.rpartition(".")[2]
        paths = {PurePath(file): found for file, found in self._modules.items()}
        return [
            found
            for path, found in paths.items()
            if last in (path.stem, path.parent.name if path.stem == "__init__" else "", "")
        ]


def _bound_in(scope: Scope) -> dict[str, list[ast.AST]]:
    found: dict[str, list[ast.AST]] = {}
    takes = getattr(scope.node, "args", None)
    if isinstance(takes, ast.arguments):
        for parameter in parameters_of(takes):
            found.setdefault(parameter.arg, []).append(parameter)
    for loop in getattr(scope.node, "generators", ()):
        for name in names_in(loop.target):
            found.setdefault(name, []).append(loop)
    for node in own_nodes(scope.node):
        for name in names_bound(node):
            found.setdefault(name, []).append(node)
    return found


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
    """A bot's functions, and which functions each calls or passes on.

    A call is *sure* if its target is known. Other calls are matched by name: as a *guess*, or as a
    *hint* if the name may just as well mean something else.
    """

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        """Read the bot's syntax trees; their keys are file names."""
        self._trees = trees
        self._names = Names(trees)
        self.functions = [scope for scope in self._names.scopes if scope.is_function]
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
        """Return the functions that start a move: `entry`, or its methods, or a lambda's."""
        wanted = {entry, *(f"{entry}.{move}" for move in moves)}
        found = [f for f in self.functions if f.file == file and f.qualname in wanted]
        for kind in self._names.scopes:
            if not found and kind.key == (file, entry) and kind.is_class:
                found = [m for move in moves for m in self._names.methods(kind, move)]
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

        Functions of a recursion call each other; it branches if one call can make several more.
        Methods that Python calls implicitly count as reached. Left out are recursions that another
        result calls, as they only help it, and those that call `apart` or are called by it.
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
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = {call.func for call in calls}
        looked_at = {part for c in calls if getattr(c.func, "id", "") in LOOKERS for part in c.args}
        looked_at |= {node.value for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if not isinstance(getattr(node, "ctx", None), ast.Load) or node in looked_at:
                continue
            again = scope is not function or node in repeated or node not in called
            for how, found in self._meant(node, scope, function):
                if found.is_function:
                    yield how, found, again
                elif node in called:
                    yield from ((how, f, again) for f in self._names.methods(found, "__init__"))
        if scope is function and scope.around is not None:
            for default in scope.node.args.defaults:  # type: ignore[attr-defined]
                yield from ((*call, True) for call in self._meant(default, scope.around, function))

    def _meant(self, node: ast.AST, scope: Scope, function: Scope) -> Iterator[Call]:
        if isinstance(node, ast.Name):
            yield from (("sure", found) for found in self._names.named(node.id, scope))
        elif isinstance(node, ast.Attribute):
            known = self._names.attribute(node, scope)
            yield from (("sure", found) for found in known or ())
            if known is None:
                found = self._names.functions(node.attr)
                # it may call another object's method of the same name
                passes_on = node.attr == function.name and self._names.is_given(node.value, scope)
                how = "sure" if self._names.are_related(found) else "guess"
                how = "hint" if passes_on or node.attr in BUILTIN_METHODS else how
                yield from ((how, each) for each in found)


def _recursions(graph: Graph) -> dict[FunctionKey, frozenset[FunctionKey]]:
    return {
        key: component
        for key, component in _components(graph).items()
        if len(component) > 1 or any(called.key == key for called in graph[key])
    }


def _components(graph: Graph) -> dict[FunctionKey, frozenset[FunctionKey]]:
    """Return each function's strongly connected component (Tarjan, SIAM J. Comput. 1972)."""
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
