"""Which of a bot's functions calls which, as its source shows it: matched by name alone."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.interfaces.interface import assigned_value

BUILTIN_METHODS = frozenset(
    name for kind in (list, dict, set, str, tuple, bytearray, int) for name in dir(kind)
)
"""Names that a call on anything but `self` more likely finds on a built-in object."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Names = frozenset[str]
Key = tuple[str, str]
"""(file, qualified name) of a function."""


@dataclass(frozen=True, slots=True)
class Defined:
    """A function of the bot: where it is, and the names it may call."""

    file: str
    qualname: str
    owner: str
    """Class it is a method of, or the empty string."""

    node: Function

    local: Names = frozenset()
    """Names that mean a value of its own, whatever function of the bot is called the same."""

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def key(self) -> Key:
        return self.file, self.qualname


Graph = Mapping[Key, list[Defined]]


class CallGraph:
    """The functions of a bot and what they call or hand on as an argument."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        """Read the syntax trees, by file name."""
        self._trees = trees
        self.functions = [
            found for name, tree in trees.items() for found in functions_of(name, tree)
        ]
        by_name: dict[str, list[Defined]] = {}
        for f in self.functions:
            by_name.setdefault(f.name, []).append(f)
            if f.name == "__init__":
                by_name.setdefault(f.owner, []).append(f)
        self._calls = {f.key: _called(f, by_name, doubtful=True) for f in self.functions}
        self._sure = {f.key: _called(f, by_name, doubtful=False) for f in self.functions}

    def moves(self, file: str, entry: str, moves: Sequence[str]) -> list[Defined]:
        """Where a move starts: methods of class `entry` in `moves`, or function `entry`; of a
        lambda that is assigned to `entry` what it calls."""
        wanted = {entry, *(f"{entry}.{move}" for move in moves)}
        found = [f for f in self.functions if f.file == file and f.qualname in wanted]
        found = found or [f for f in self.functions if f.name in moves]
        if found or file not in self._trees:
            return found
        values = (assigned_value(node, entry) for node in self._trees[file].body)
        names = {name for value in values if value for name, _ in _references([value])}
        return [f for f in self.functions if f.name in names]

    def reached(self, start: Iterable[Defined]) -> list[Defined]:
        """Functions that may be called from `start`, itself included, nearest first."""
        return _reach(start, self._calls)

    def recursive(self, start: Iterable[Defined]) -> list[Defined]:
        """The functions of the first recursion that is reached from `start`."""
        components = _components(self._sure)
        for function in self.reached(start):
            component = components[function.key]
            if len(component) > 1 or function in self._sure[function.key]:
                return [f for f in self.functions if f.key in component]
        return []


def functions_of(file: str, tree: ast.Module) -> list[Defined]:
    """Every function of a file, outermost first, with the qualified names Python gives them."""
    found: list[Defined] = []
    pending: deque[tuple[ast.AST, str, str, Names]] = deque([(tree, "", "", frozenset())])
    while pending:
        parent, prefix, owner, outer = pending.popleft()
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, Function):
                local = _local(node, outer)
                found.append(Defined(file, prefix + node.name, owner, node, local))
                pending.append((node, f"{prefix}{node.name}.<locals>.", "", local))
            elif isinstance(node, ast.ClassDef):
                pending.append((node, f"{prefix}{node.name}.", node.name, outer))
            else:
                pending.append((node, prefix, owner, outer))
    return found


def _local(function: Function, outer: Names) -> Names:
    """The names that mean values in a function: parameters, what it assigns, and the `outer` ones.

    Not those that it gives to a function: `visit = self.visit`, `def f(board, visit=visit)`.
    """
    names, functions = set(outer | _parameters(function.args)), set[str]()
    pending: list[ast.AST] = list(function.body)
    while pending:
        match node := pending.pop():
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                functions.add(name)
                continue
            case ast.ClassDef(name=name):
                functions.add(name)
                continue
            case ast.Lambda() | ast.comprehension():
                continue  # what they bind is theirs
            case ast.Global(names=declared):
                functions.update(declared)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr=attr)) if (
                name == attr
            ):
                functions.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
        pending.extend(ast.iter_child_nodes(node))
    return frozenset(names - functions)


def _parameters(takes: ast.arguments) -> Names:
    """Names of parameters, but for those that stand for a function of the same name."""
    plain = [*takes.posonlyargs, *takes.args]
    with_default = [*plain[len(plain) - len(takes.defaults) :], *takes.kwonlyargs]
    values = [*takes.defaults, *takes.kw_defaults]
    same = {
        parameter.arg
        for parameter, value in zip(with_default, values, strict=True)
        if parameter.arg in (getattr(value, "id", None), getattr(value, "attr", None))
    }
    stars = [parameter for parameter in (takes.vararg, takes.kwarg) if parameter is not None]
    return frozenset(p.arg for p in (*plain, *takes.kwonlyargs, *stars)) - same


def _called(
    function: Defined, by_name: Mapping[str, list[Defined]], doubtful: bool
) -> list[Defined]:
    """The bot's functions that this one calls or hands on as an argument, in source order.

    Doubtful are calls like `cells.copy()`, which may well be a list's own `copy` and no
    recursion of the bot's.
    """
    called: dict[Key, Defined] = {}
    for reference, receiver in _references(function.node.body, function.local):
        if not doubtful and receiver not in ("", "self") and reference in BUILTIN_METHODS:
            continue
        same = by_name.get(reference, [])
        if receiver == "self":
            own = [f for f in same if f.owner == function.owner and f.file == function.file]
            same = own or same
        called.update((f.key, f) for f in same)
    return list(called.values())


def _references(body: Sequence[ast.AST], local: Names = frozenset()) -> list[tuple[str, str]]:
    """(name, receiver) of what a function's own body calls or hands on, in source order.

    The receiver is empty for a plain name, the name before the dot, or `?` for anything else.
    Plain names that are `local`, or a lambda's or comprehension's own, are no functions.
    """
    found: list[tuple[str, str]] = []
    pending = [(node, local) for node in reversed(body)]
    while pending:
        node, local = pending.pop()
        if isinstance(node, ast.Call):
            for part in (node.func, *node.args, *(word.value for word in node.keywords)):
                if isinstance(part, ast.Name) and part.id not in local:
                    found.append((part.id, ""))
                elif isinstance(part, ast.Attribute):
                    receiver = part.value.id if isinstance(part.value, ast.Name) else "?"
                    found.append((part.attr, receiver))
        if isinstance(node, ast.Lambda):
            local |= _parameters(node.args)
        for loop in getattr(node, "generators", ()):
            local |= {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)}
        if not isinstance(node, (Function, ast.ClassDef)):
            pending.extend((child, local) for child in reversed(list(ast.iter_child_nodes(node))))
    return found


def _reach(start: Iterable[Defined], graph: Graph) -> list[Defined]:
    """Functions that can be reached from `start`, itself included, nearest first."""
    order: dict[Key, Defined] = {}
    pending = deque(start)
    while pending:
        function = pending.popleft()
        if function.key not in order:
            order[function.key] = function
            pending.extend(f for f in graph[function.key] if f.key not in order)
    return list(order.values())


def _components(graph: Graph) -> dict[Key, frozenset[Key]]:
    """For every function, those that it can call and that can call it, itself included.

    Tarjan's strongly connected components (SIAM J. Comput. 1972), with an explicit stack.
    """
    index: dict[Key, int] = {}
    low: dict[Key, int] = {}
    path: list[Key] = []
    found: dict[Key, frozenset[Key]] = {}
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
