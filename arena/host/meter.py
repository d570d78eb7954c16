"""Counting nodes: which function is a bot's search, and how its calls are counted.

A node is a call of the search function. The function is found in the bot's syntax tree, one
statement is put at its top, and that statement steps an iterator that runs in C, so the bot
need not be trusted to count and barely notices. The count lives in the bot's own process:
a bot that sets out to falsify it can.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, repeat
from operator import length_hint
from typing import Literal

from arena.errors import NoSuchFunctionError, OverBudgetError
from arena.host.call_graph import CallGraph
from arena.host.protocol import UNMETERED
from arena.host.scopes import Key, Scope, scopes_of
from arena.interfaces.source_search import FUNCTIONS, last_name
from arena.numbers import some

STEP = "__arena_node__"
"""Built-in name of the callable that counts a call; see `Search.steps`."""

NODE_FUNCTION = "NODE_FUNCTION"
"""A bot may assign the name of its search function to this global."""

BUILTINS = builtins.__dict__

COMPILERS = ("jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil")
"""Decorators after which a function's Python body is no longer what runs."""

MAKERS = ("exec", "FunctionType", "CodeType", "__code__", "marshal", "ctypes", "cffi")
"""Words in a source by which a bot can make code while it runs."""

UNSURE = (
    " may call itself, but what is called there cannot be told from the source; a line "
    'NODE_FUNCTION = "…" in the bot names the search for sure'
)

SHOWN = 3
"""Search functions that are named when there are many."""


Recursion = frozenset[Key]
"""Functions that call each other, and whose calls are counted together."""


@dataclass(frozen=True, slots=True)
class Search:
    """A bot's search function, as far as its source shows it."""

    recursions: tuple[Recursion, ...] = ()
    """The functions whose calls are nodes; several recursions if they work beside each other."""

    compiled: Recursion = frozenset()
    """Those functions among them that are machine code, or call it, and cannot be counted."""

    sure: bool = True
    """True if it is known to be the search: named, or seen to call itself. If not, no budget can
    be held against the bot, and it plays unmetered."""

    doubt: str = ""
    """The reason why it may not be the whole search, as a clause; empty if it seems to be."""

    @property
    def functions(self) -> Recursion:
        """All functions whose calls are nodes."""
        return Recursion().union(*self.recursions)

    @property
    def counts(self) -> bool:
        """True if its calls are counted, at least of one recursion."""
        return self.sure and self.functions > self.compiled

    def steps(self, file: str | None = None) -> dict[str, str]:
        """Return the built-in name that counts, by the qualified names of its functions in `file`.

        Without `file` of those in all files.
        """
        return {
            qualname: step_name(index)
            for index, recursion in enumerate(self.recursions)
            for place, qualname in recursion - self.compiled
            if file in (place, None) and self.counts
        }

    def __str__(self) -> str:
        names = some(sorted(name for _, name in self.functions), SHOWN)
        if self.compiled and self.compiled == self.functions:
            return f"{names} (compiled, cannot be counted)"
        if self.compiled:
            names += f" (of which {some(sorted(name for _, name in self.compiled), SHOWN)}"
            return f"{names} is compiled and cannot be counted)"
        return names + UNSURE * (not self.sure) if names else "none"


def step_name(index: int) -> str:
    """Return the built-in name that counts the calls of the recursion at `index`."""
    return STEP.replace("node", f"node_{index}") if index else STEP


def find_search(
    trees: Mapping[str, ast.Module],
    file: str,
    entry: str,
    moves: Sequence[str],
    named: str | None = None,
) -> Search:
    """The search function of a bot, given its syntax trees by file name.

    In this order: `named`, the bot's own NODE_FUNCTION, else `CallGraph.recursive` from a method
    of class `entry` in `moves` (or from function `entry`). One that is found by names alone is not
    sure. Recursions beside a NODE_FUNCTION count too. Raises NoSuchFunctionError.
    """
    graph = CallGraph(trees)
    start = graph.moves(file, entry, moves)
    own = None if named else _constant(trees, NODE_FUNCTION)
    wanted = named or own
    if wanted is None:
        found, sure = graph.recursive(start)
        search = _search(found, sure=sure)
        doubt = _doubt(graph, trees, search)
        if found and not doubt and not graph.branching(start):
            doubt = f"{search} calls itself once at most, as no search does"
        return replace(search, doubt=doubt)
    chosen = [f for f in graph.functions if wanted in (f.qualname, f.name)]
    if not chosen:
        raise NoSuchFunctionError(f"no function {wanted!r} is defined")
    search = _search([chosen, *(graph.branching(start, chosen) if own else ())])
    return replace(search, doubt=_doubt(graph, trees, search))


def instrument(tree: ast.Module, steps: Mapping[str, str]) -> ast.Module:
    """Put a counting statement at the top of functions of a tree, in place.

    `steps` has the built-in name to call by the qualified name of the function.
    """
    for scope in scopes_of("", tree):
        node = scope.node
        if scope.qualname in steps and isinstance(node, FUNCTIONS):
            documented = ast.get_docstring(node, clean=False) is not None
            step = ast.Expr(ast.Call(ast.Name(steps[scope.qualname], ast.Load()), [], []))
            node.body.insert(int(documented), step)
            ast.copy_location(step, node)
            ast.fix_missing_locations(step)
    return tree


class Meter:
    """Counts the nodes of one bot's moves.

    Each recursion is counted by itself. A move's nodes are the most of them, or half of their sum
    if that is more: so a small one beside the search adds nothing, nor does a second one that goes
    through the same positions, and a search that is split among many is still seen.
    """

    def __init__(self, search: Search) -> None:
        self.counts = search.counts
        """True if there is anything to count."""
        self._steps = search.steps()
        self._budget: int | None = None
        self._limit: int | None = None  # the budget, but while the bot is loaded
        self._columns = 1
        self._counted = [
            _Counted(step_name(index), {name for _, name in recursion})
            for index, recursion in enumerate(search.recursions)
        ]
        self._made: _Counted | None = None  # of what the bot makes while it runs

    def new_game(self, budget: int | None, columns: int) -> None:
        """Take the limits of a new game, whose modules are loaded next: that is not counted."""
        self._budget, self._limit = budget, None
        self._columns = columns
        for counted in self._counted:
            counted.begin(None, columns)

    def new_move(self) -> None:
        """Count from zero."""
        self._limit = self._budget
        for counted in self._counted:
            counted.begin(self._budget, self._columns)

    @property
    def nodes(self) -> int:
        """Nodes since `new_move`, or UNMETERED. Reading it ends the count of a move."""
        if not self.counts:
            return UNMETERED
        if len(self._counted) == 1:
            return self._counted[0].nodes
        return _in_all([counted.nodes for counted in self._counted])

    def end_move(self) -> tuple[int, int]:
        """Return `depth` and `nodes`, and count from zero: what comes now is of the next move."""
        if len(self._counted) == 1:
            return self._counted[0].restart()
        depths, nodes = zip(*[counted.restart() for counted in self._counted], strict=True)
        return max(depths), _in_all(nodes)

    @property
    def depth(self) -> int:
        """Depth of the search's recursion when this move's budget ran out; 0 before that."""
        return max([counted.depth for counted in self._counted], default=0)

    def count_made(self, tree: ast.Module) -> ast.Module:
        """Have the recursions of code that the bot makes while it runs be counted, in place.

        A function of the name of one of the search's is counted with that, and all others that
        branch as one further recursion.
        """
        steps = dict(self._steps)
        graph = CallGraph({"": tree})
        for functions in graph.branching(graph.functions):
            for function in functions:
                if function.qualname not in steps:
                    steps[function.qualname] = self._step_of_made(function.qualname)
        return instrument(tree, steps)

    def _step_of_made(self, qualname: str) -> str:
        if self._made is None:
            self._made = _Counted(step_name(len(self._counted)), set())
            self._made.begin(self._limit, self._columns)
            self._counted.append(self._made)
            self.counts = True
        self._made.names.add(qualname)
        return self._made.step


class _Counted:
    """The calls of one recursion."""

    def __init__(self, step: str, names: set[str]) -> None:
        self.step = step
        """Built-in name of the callable that counts a call."""
        self.names = names
        """Qualified names of its functions."""
        self._budget: int | None = None
        self._columns = 1
        self._within: repeat[int] = repeat(1, 0)
        self._over_budget = iter(self._over, 0)
        self._beyond = 0
        self._unlimited = count()
        self.depth = 0
        """Depth of the recursion when the budget ran out; 0 before that."""

    def begin(self, budget: int | None, columns: int) -> None:
        """Count from zero, up to the budget and what a search needs to return."""
        self._budget = budget
        self._columns = columns
        self.restart()

    def restart(self) -> tuple[int, int]:
        """Return `depth` and `nodes`, and count from zero."""
        budget, depth = self._budget, self.depth
        if budget is None:
            nodes = next(self._unlimited)
            self._unlimited = count()
            BUILTINS[self.step] = self._unlimited.__next__
            return depth, nodes
        nodes = budget - length_hint(self._within) + self._beyond
        self.depth = self._beyond = 0
        self._within = within = repeat(1, budget)
        BUILTINS[self.step] = chain(within, self._over_budget).__next__
        return depth, nodes

    @property
    def nodes(self) -> int:
        """Calls since the count began. Reading it ends the count."""
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
        depth = 0
        frame = sys._getframe(2)
        while frame is not None:
            depth += frame.f_code.co_qualname in self.names
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

    def end_move(self) -> tuple[int, int]:
        """Return 0 and the nodes, and count from zero."""
        nodes, self.nodes = self.nodes, 0
        return 0, nodes

    def add(self, nodes: int) -> None:
        """So many positions were searched."""
        self.nodes += nodes


def _in_all(nodes: Sequence[int]) -> int:
    """Return a move's nodes, given those of each recursion."""
    return max(*nodes, sum(nodes) // 2)


def _search(recursions: list[list[Scope]], sure: bool = True) -> Search:
    found = [frozenset(function.key for function in functions) for functions in recursions]
    compiled = (
        keys
        for keys, functions in zip(found, recursions, strict=True)
        if any(_is_compiled(function.node) for function in functions)
    )
    return Search(tuple(found), Recursion().union(*compiled), sure)


def _doubt(graph: CallGraph, trees: Mapping[str, ast.Module], search: Search) -> str:
    """Return why a bot may search outside the functions that are counted."""
    if search.compiled and search.compiled != search.functions:
        return "a part of it is compiled"
    words = {
        word
        for tree in trees.values()
        for node in ast.walk(tree)
        for word in (getattr(node, field, None) for field in ("id", "attr", "name", "module"))
    }
    own = {function.name for function in graph.functions}
    for word in MAKERS:
        if word in words and word not in own:
            return f"the bot uses {word}, which makes code that may not be counted"
    return ""


def _is_compiled(node: ast.AST) -> bool:
    for decorator in getattr(node, "decorator_list", ()):
        if last_name(getattr(decorator, "func", decorator)) in COMPILERS:
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
