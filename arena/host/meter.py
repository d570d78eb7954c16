"""Counting nodes: which function is a bot's search, and how its calls are counted.

A node is a call of the search function. The function is found in the bot's syntax tree, one
statement is put at its top, and that statement steps an iterator that runs in C, so the bot
need not be trusted to count and barely notices. The count lives in the bot's own process:
a bot that sets out to falsify it can.
"""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, repeat
from operator import length_hint
from typing import Any, Literal

from arena.host.protocol import UNMETERED

STEP = "__arena_node__"
"""Global name, in every module with a search function, of the callable that counts."""

NODE_FUNCTION = "NODE_FUNCTION"
"""A bot may assign the name of its search function to this global."""

COMPILERS = ("jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil")
"""Decorators after which a function's Python body is no longer what runs."""

BUILTIN_METHODS = frozenset(
    name for kind in (list, dict, set, str, tuple, bytearray, int) for name in dir(kind)
)
"""Names that a call on anything but `self` more likely finds on a built-in object."""

SHOWN = 3
"""Search functions that are named when there are many."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Search:
    """What was found out about a bot's search function."""

    functions: frozenset[tuple[str, str]]
    """(file, qualified name) of every function whose calls are nodes; empty if there are none."""

    compiled: bool = False
    """Whether it is machine code that cannot be counted."""

    def __str__(self) -> str:
        known = sorted(name for _, name in self.functions)
        names = ", ".join(known[:SHOWN])
        if len(known) > SHOWN:
            names += f" and {len(known) - SHOWN} more"
        return f"{names} (compiled, cannot be counted)" if self.compiled else names or "none"


class NoSuchFunction(LookupError):
    """The contest file or the bot names a search function that the bot does not define."""


@dataclass(frozen=True, slots=True)
class _Defined:
    """A function of the bot: where it is, and the names it may call."""

    file: str
    qualname: str
    owner: str
    """Class it is a method of, or the empty string."""

    node: Function

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def key(self) -> tuple[str, str]:
        return self.file, self.qualname


_Graph = Mapping[_Key, list[_Defined]]


def find_search(
    trees: Mapping[str, ast.Module],
    file: str,
    entry: str,
    moves: Sequence[str],
    named: str | None = None,
) -> Search:
    """The search function of a bot, given its syntax trees by file name.

    In this order: `named`, the bot's own NODE_FUNCTION, else the first recursive component of
    the call graph reached from a method of class `entry` in `moves` (or from function `entry`),
    nearest first. Calls are matched to functions by name alone. Raises NoSuchFunction.
    """
    functions = [found for name, tree in trees.items() for found in _functions(name, tree)]
    named = named or _constant(trees, NODE_FUNCTION)
    if named is not None:
        chosen = [f for f in functions if named in (f.qualname, f.name)]
        if not chosen:
            raise NoSuchFunction(f"no function {named!r} is defined")
        return _search(chosen)
    wanted = {entry, *(f"{entry}.{move}" for move in moves)}
    start = [f for f in functions if f.file == file and f.qualname in wanted]
    start = start or [f for f in functions if f.name in moves]
    by_name: dict[str, list[_Defined]] = {}
    for f in functions:
        by_name.setdefault(f.name, []).append(f)
        if f.name == "__init__":
            by_name.setdefault(f.owner, []).append(f)
    calls = {f.key: _called(f, by_name, doubtful=True) for f in functions}
    sure = {f.key: _called(f, by_name, doubtful=False) for f in functions}
    components = _components(sure)
    for function in _reach(start, calls):
        if len(components[function.key]) > 1 or function in sure[function.key]:
            return _search([f for f in functions if f.key in components[function.key]])
    return Search(frozenset())


def instrument(tree: ast.Module, qualnames: Iterable[str]) -> ast.Module:
    """Put the counting statement at the top of the named functions of a tree, in place."""
    wanted = set(qualnames)
    for function in _functions("", tree):
        if function.qualname in wanted:
            body = function.node.body
            documented = ast.get_docstring(function.node, clean=False) is not None
            step = ast.Expr(ast.Call(ast.Name(STEP, ast.Load()), [], []))
            body.insert(int(documented), step)
            ast.copy_location(step, function.node)
            ast.fix_missing_locations(step)
    return tree


class OverBudget(BaseException):
    """Stops a search that goes on above its budget. Not an Exception: `except Exception` misses."""


class Meter:
    """Counts the nodes of one bot's moves."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self.counts = bool(search.functions) and not search.compiled
        """Whether there is anything to count."""
        self._namespaces: list[dict[str, Any]] = []
        self._budget: int | None = None
        self._columns = 1
        self._within: repeat[int] = repeat(1, 0)
        self._beyond = 0
        self._unlimited = count()
        self._step: Callable[[], object] = self._unlimited.__next__
        self.depth = 0
        """Depth of the search's recursion when this move's budget ran out; 0 before that."""

    def attach(self, namespace: dict[str, Any]) -> None:
        """Count the calls of functions that live in this module namespace."""
        namespace[STEP] = self._step
        self._namespaces.append(namespace)

    def new_game(self, budget: int | None, columns: int) -> None:
        """Forget the last game's modules and take the limits of a new one."""
        self._namespaces = []
        self._step = self._unlimited.__next__  # loading is not counted
        self._budget = budget
        self._columns = columns

    def new_move(self) -> None:
        """Count from zero."""
        self.depth = 0
        self._beyond = 0
        if self._budget is None:
            self._unlimited = count()
            step = self._step = self._unlimited.__next__
        else:
            self._within = repeat(1, self._budget)
            step = self._step = chain(self._within, iter(self._over, 0)).__next__
        for namespace in self._namespaces:
            namespace[STEP] = step

    @property
    def nodes(self) -> int:
        """Calls since `new_move`, or UNMETERED. Reading it ends the count of a move."""
        if not self.counts:
            return UNMETERED
        if self._budget is None:
            return next(self._unlimited)
        return self._budget - length_hint(self._within) + self._beyond

    def _over(self) -> Literal[1]:
        """A call above the budget: allowed while a search that stops at once would unwind."""
        if not self._beyond:
            self.depth = self._recursion_depth()
        self._beyond += 1
        if self._beyond > self._columns * self.depth:
            raise OverBudget
        return 1

    def _recursion_depth(self) -> int:
        """How many calls of the search function are under way."""
        names = {qualname for _, qualname in self._search.functions}
        depth = 0
        frame = sys._getframe(2)
        while frame is not None:
            depth += frame.f_code.co_qualname in names
            frame = frame.f_back  # type: ignore[assignment]
        return max(depth, 1)


def _functions(file: str, tree: ast.Module) -> list[_Defined]:
    """Every function of a file, outermost first, with the qualified names Python gives them."""
    found: list[_Defined] = []
    pending: deque[tuple[ast.AST, str, str]] = deque([(tree, "", "")])
    while pending:
        parent, prefix, owner = pending.popleft()
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, Function):
                found.append(_Defined(file, prefix + node.name, owner, node))
                pending.append((node, f"{prefix}{node.name}.<locals>.", ""))
            elif isinstance(node, ast.ClassDef):
                pending.append((node, f"{prefix}{node.name}.", node.name))
            else:
                pending.append((node, prefix, owner))
    return found


def _called(
    function: _Defined, by_name: Mapping[str, list[_Defined]], doubtful: bool
) -> list[_Defined]:
    """The bot's functions that this one calls or hands on as an argument, in source order.

    Doubtful are calls like `cells.copy()`, which may well be a list's own `copy` and no
    recursion of the bot's.
    """
    called: dict[_Key, _Defined] = {}
    for reference, receiver in _references(function.node):
        if not doubtful and receiver not in ("", "self") and reference in BUILTIN_METHODS:
            continue
        same = by_name.get(reference, [])
        if receiver == "self":
            own = [f for f in same if f.owner == function.owner and f.file == function.file]
            same = own or same
        called.update((f.key, f) for f in same)
    return list(called.values())


def _references(function: Function) -> list[tuple[str, str]]:
    """(name, receiver) of what a function's own body calls or hands on, in source order.

    The receiver is empty for a plain name, the name before the dot, or `?` for anything else.
    """
    found: list[tuple[str, str]] = []
    pending: list[ast.AST] = list(reversed(function.body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            for part in (node.func, *node.args, *(word.value for word in node.keywords)):
                if isinstance(part, ast.Name):
                    found.append((part.id, ""))
                elif isinstance(part, ast.Attribute):
                    receiver = part.value.id if isinstance(part.value, ast.Name) else "?"
                    found.append((part.attr, receiver))
        if not isinstance(node, (Function, ast.ClassDef)):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return found


def _reach(start: Iterable[_Defined], graph: _Graph) -> list[_Defined]:
    """Functions that can be reached from `start`, itself included, nearest first."""
    order: dict[_Key, _Defined] = {}
    pending = deque(start)
    while pending:
        function = pending.popleft()
        if function.key not in order:
            order[function.key] = function
            pending.extend(f for f in graph[function.key] if f.key not in order)
    return list(order.values())


def _components(graph: _Graph) -> dict[_Key, frozenset[_Key]]:
    """For every function, those that it can call and that can call it, itself included.

    Tarjan's strongly connected components (SIAM J. Comput. 1972), with an explicit stack.
    """
    index: dict[_Key, int] = {}
    low: dict[_Key, int] = {}
    path: list[_Key] = []
    found: dict[_Key, frozenset[_Key]] = {}
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


def _search(functions: list[_Defined]) -> Search:
    compiled = any(_is_compiled(f.node) for f in functions)
    return Search(frozenset(f.key for f in functions), compiled)


def _is_compiled(node: Function) -> bool:
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name in COMPILERS:
            return True
    return False


def _constant(trees: Mapping[str, ast.Module], name: str) -> str | None:
    """The string that a module assigns to a global of this name."""
    for tree in trees.values():
        for node in tree.body:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
                and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
            ):
                return node.value.value
    return None
