"""Counting nodes: which function is a bot's search, and how its calls are counted.

A node is a call of the search function. The function is found in the bot's syntax tree, one
statement is put at its top, and that statement steps an iterator that runs in C, so the bot
need not be trusted to count and barely notices. The count lives in the bot's own process:
a bot that sets out to falsify it can.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, repeat
from operator import length_hint
from typing import Any, Literal

from arena.errors import NoSuchFunctionError, OverBudgetError
from arena.host.call_graph import CallGraph, functions_of
from arena.host.protocol import UNMETERED
from arena.host.scopes import FUNCTIONS, Scope
from arena.numbers import some

STEP = "__arena_node__"
"""Global name, in every module with a search function, of the callable that counts."""

NODE_FUNCTION = "NODE_FUNCTION"
"""A bot may assign the name of its search function to this global."""

COMPILERS = ("jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil")
"""Decorators after which a function's Python body is no longer what runs."""

UNSURE = (
    " may call itself, but what is called there cannot be told from the source; a line "
    'NODE_FUNCTION = "…" in the bot names the search for sure'
)

SHOWN = 3
"""Search functions that are named when there are many."""


@dataclass(frozen=True, slots=True)
class Search:
    """A bot's search function, as far as its source shows it."""

    functions: frozenset[tuple[str, str]]
    """(file, qualified name) of every function whose calls are nodes; empty if there are none."""

    compiled: bool = False
    """True if it is machine code that cannot be counted."""

    sure: bool = True
    """True if it is known to be the search: named, or seen to call itself. If not, no budget can
    be held against the bot, and it plays unmetered."""

    @property
    def counts(self) -> bool:
        """True if its calls are counted."""
        return bool(self.functions) and self.sure and not self.compiled

    def __str__(self) -> str:
        known = sorted(name for _, name in self.functions)
        names = some(known, SHOWN)
        if self.compiled:
            return f"{names} (compiled, cannot be counted)"
        return names + UNSURE * (not self.sure) if names else "none"


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
    nearest first. One that is found by names alone is not sure. Raises NoSuchFunctionError.
    """
    graph = CallGraph(trees)
    named = named or _constant(trees, NODE_FUNCTION)
    if named is not None:
        chosen = [f for f in graph.functions if named in (f.qualname, f.name)]
        if not chosen:
            raise NoSuchFunctionError(f"no function {named!r} is defined")
        return _search(chosen)
    found, sure = graph.recursive(graph.moves(file, entry, moves))
    return _search(found, sure)


def instrument(tree: ast.Module, qualnames: Iterable[str]) -> ast.Module:
    """Put the counting statement at the top of the named functions of a tree, in place."""
    wanted = set(qualnames)
    for function in functions_of("", tree):
        node = function.node
        if function.qualname in wanted and isinstance(node, FUNCTIONS):
            documented = ast.get_docstring(node, clean=False) is not None
            step = ast.Expr(ast.Call(ast.Name(STEP, ast.Load()), [], []))
            node.body.insert(int(documented), step)
            ast.copy_location(step, node)
            ast.fix_missing_locations(step)
    return tree


class Meter:
    """Counts the nodes of one bot's moves."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self.counts = search.counts
        """True if there is anything to count."""
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
            raise OverBudgetError
        return 1

    def _recursion_depth(self) -> int:
        """The number of calls of the search function that are under way."""
        names = {qualname for _, qualname in self._search.functions}
        depth = 0
        frame = sys._getframe(2)
        while frame is not None:
            depth += frame.f_code.co_qualname in names
            frame = frame.f_back  # type: ignore[assignment]
        return max(depth, 1)


class Tally:
    """The nodes of a house player, which says itself what its engine searched.

    Stands in for a meter: nobody else's bot is given it.
    """

    counts = True
    depth = 0

    def __init__(self) -> None:
        self.nodes = 0
        """Positions searched since `new_move`."""

    def new_move(self) -> None:
        """Count from zero."""
        self.nodes = 0

    def add(self, nodes: int) -> None:
        """So many positions were searched."""
        self.nodes += nodes


def _search(functions: list[Scope], sure: bool = True) -> Search:
    compiled = any(_is_compiled(f.node) for f in functions)
    return Search(frozenset(f.key for f in functions), compiled, sure)


def _is_compiled(node: ast.AST) -> bool:
    for decorator in getattr(node, "decorator_list", ()):
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
