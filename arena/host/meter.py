"""Counting nodes: which function is a bot's search, and how its calls are counted.

A node is a call of the search function. `find_search` finds the function in the bot's syntax tree.
An inserted statement steps an iterator that runs in C, which costs almost nothing:

    def negamax(board, depth):
        __arena_node__()  # inserted; raises OverBudgetError after the last node of the budget
        if depth == 0: ...

The count lives in the bot's process, so a bot can deliberately falsify it.

`compile` and `exec` are replaced to count recursions in code that a bot makes while it runs. Not
counted: code made from code objects or with ctypes, and lambdas that call themselves.

`Counters` resets a bot's own counters before every move, as the driver program of its course does:
one template counts nodes in `global countNodes` and stops above a limit. A counter is a global that
the search or its callees add to, and that nothing else in a move sets.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain, count, repeat
from operator import length_hint
from types import FrameType
from typing import Any, Literal

from arena.common.errors import NoSuchFunctionError, OverBudgetError
from arena.common.text import some_of
from arena.host.protocol import UNMETERED
from arena.interfaces import Adapter
from arena.source.calls import CallGraph
from arena.source.classes import FUNCTIONS, last_name
from arena.source.scopes import FunctionKey, Scope, own_nodes, scopes_of

STEP = "__arena_node__"  # Built-in that counts a call; see `Search.steps`.
NODE_FUNCTION = "NODE_FUNCTION"  # A bot may name its search function in this global.
BUILTINS = builtins.__dict__

# Decorators that replace a function's Python body.
COMPILERS = ("jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil")

# Words in a source that may mean that the bot makes code while it runs.
MAKERS = ("exec", "FunctionType", "CodeType", "__code__", "marshal", "ctypes", "cffi")

UNSURE = (
    " may call itself, but the source does not show which function it calls; a line "
    'NODE_FUNCTION = "…" in the bot names the search'
)

SHOWN = 3  # Search functions named in a message.


# Functions that call each other; their calls are counted together.
Recursion = frozenset[FunctionKey]


@dataclass(frozen=True, slots=True)
class Search:
    """A bot's search function, as far as its source shows it."""

    recursions: tuple[Recursion, ...] = ()
    """The functions whose calls are nodes, grouped by recursion."""

    compiled: Recursion = frozenset()
    """Functions of recursions that contain compiled code: not counted."""

    sure: bool = True
    """False if calls were only matched by name; the bot then plays unmetered."""

    doubt: str = ""
    """Why this may not be the whole search, as a clause; or empty."""

    @property
    def functions(self) -> Recursion:
        return Recursion().union(*self.recursions)

    @property
    def counts(self) -> bool:
        """True if at least one recursion is counted."""
        return self.sure and self.functions > self.compiled

    def steps(self, file: str | None = None) -> dict[str, str]:
        """Return counting built-ins by qualified function name, for `file` or all files."""
        return {
            qualname: step_name(index)
            for index, recursion in enumerate(self.recursions)
            for place, qualname in recursion - self.compiled
            if file in (place, None) and self.counts
        }

    def __str__(self) -> str:
        names = some_of(sorted(name for _, name in self.functions), SHOWN)
        if self.compiled and self.compiled == self.functions:
            return f"{names} (compiled, cannot be counted)"
        if self.compiled:
            names += f" (of which {some_of(sorted(name for _, name in self.compiled), SHOWN)}"
            return f"{names} is compiled and cannot be counted)"
        return names + UNSURE * (not self.sure) if names else "none"


def step_name(index: int) -> str:
    return STEP.replace("node", f"node_{index}") if index else STEP


def find_search(
    trees: Mapping[str, ast.Module],
    file: str,
    entry: str,
    moves: Sequence[str],
    named: str | None = None,
) -> Search:
    """Return the search function of a bot, given its syntax trees by file name.

    That is the function `named`, else the bot's NODE_FUNCTION, else what `CallGraph.recursive`
    finds from the methods `moves` of class `entry` (or from function `entry`). Beside a
    NODE_FUNCTION, other recursions count too. Raises NoSuchFunctionError.
    """
    graph = CallGraph(trees)
    start = graph.moves(file, entry, moves)
    values = (value for tree in trees.values() for value in _assigned(tree, NODE_FUNCTION))
    own = None if named else next((value for value in values if isinstance(value, str)), None)
    wanted = named or own
    if wanted is None:
        found, sure = graph.recursive(start)
        search = _search(found, sure=sure)
        doubt = _doubt(graph, trees, search)
        if found and not doubt and not graph.branching(start):
            doubt = f"{search} calls itself at most once, unlike a search"
        return replace(search, doubt=doubt)
    chosen = [f for f in graph.functions if wanted in (f.qualname, f.name)]
    if not chosen:
        raise NoSuchFunctionError(f"no function {wanted!r} is defined")
    search = _search([chosen, *(graph.branching(start, chosen) if own else ())])
    return replace(search, doubt=_doubt(graph, trees, search))


def instrument(tree: ast.Module, steps: Mapping[str, str]) -> ast.Module:
    """Insert calls of `steps`, built-ins by qualified function name, into a tree."""
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

    With several recursions, the nodes are the largest count of one, or half of the sum if that is
    more. So a search that is split among many recursions is still seen.
    """

    def __init__(self, search: Search) -> None:
        self.counts = search.counts  # False if no calls are counted
        self._steps = search.steps()
        self._budget: int | None = None
        self._limit: int | None = None  # the budget, or None while the bot is loaded
        self._columns = 1
        self._counted = [
            _Counted(step_name(index), {name for _, name in recursion})
            for index, recursion in enumerate(search.recursions)
        ]
        self._made: _Counted | None = None  # counts code made while the bot runs

    def new_game(self, budget: int | None, columns: int) -> None:
        """Set the limits of a new game. Until the first `new_move` there is no budget."""
        self._budget, self._limit = budget, None
        self._columns = columns
        for counted in self._counted:
            counted.begin(None, columns)

    def new_move(self) -> None:
        self._limit = self._budget
        for counted in self._counted:
            counted.begin(self._budget, self._columns)

    def end_move(self) -> tuple[int, int]:
        """Return depth and nodes of the move, and start to count from zero.

        The depth is that of the recursion at which the budget ran out, else 0. The nodes are
        UNMETERED if no calls are counted.
        """
        if not self.counts:
            return 0, UNMETERED
        if len(self._counted) == 1:
            return self._counted[0].restart()
        depths, nodes = zip(*[counted.restart() for counted in self._counted], strict=True)
        return max(depths), _total(nodes)

    def count_made(self, tree: ast.Module) -> ast.Module:
        """Instrument the recursions in code that a running bot makes; changes `tree`.

        Functions with names of the search's count with it; all others count as one recursion.
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
    def __init__(self, step: str, names: set[str]) -> None:
        self.step = step  # name of the built-in that counts a call
        self.names = names  # qualified names of the recursion's functions
        self._budget: int | None = None
        self._columns = 1
        self._within: repeat[int] = repeat(1, 0)
        self._over_budget = iter(self._over, 0)
        self._beyond = 0
        self._unlimited = count()
        self._depth = 0  # recursion depth when the budget ran out; 0 before that

    def begin(self, budget: int | None, columns: int) -> None:
        self._budget = budget
        self._columns = columns
        self.restart()

    def restart(self) -> tuple[int, int]:
        budget, depth = self._budget, self._depth
        if budget is None:
            nodes = next(self._unlimited)
            self._unlimited = count()
            BUILTINS[self.step] = self._unlimited.__next__
            return depth, nodes
        nodes = budget - length_hint(self._within) + self._beyond
        self._depth = self._beyond = 0
        self._within = within = repeat(1, budget)
        BUILTINS[self.step] = chain(within, self._over_budget).__next__
        return depth, nodes

    def _over(self) -> Literal[1]:
        """Allow a few more calls above the budget, so that a search can unwind.

        Raises OverBudgetError after them.
        """
        if not self._beyond:
            self._depth = self._recursion_depth()
        self._beyond += 1
        if self._beyond > self._columns * self._depth:
            raise OverBudgetError
        return 1

    def _recursion_depth(self) -> int:
        depth = 0
        frame = sys._getframe(2)
        while frame is not None:
            depth += frame.f_code.co_qualname in self.names
            frame = frame.f_back  # type: ignore[assignment]
        return max(depth, 1)


class NodeCount:
    """Used instead of a Meter: the nodes that a house player reports itself."""

    counts = True

    def __init__(self) -> None:
        self.new_move()

    def new_move(self) -> None:
        self._nodes = 0

    def end_move(self) -> tuple[int, int]:
        nodes, self._nodes = self._nodes, 0
        return 0, nodes

    def add(self, nodes: int) -> None:
        self._nodes += nodes


def _total(nodes: Sequence[int]) -> int:
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
    decorators = getattr(node, "decorator_list", ())
    return any(last_name(getattr(each, "func", each)) in COMPILERS for each in decorators)


def _assigned(tree: ast.Module, name: str) -> Iterator[object]:
    """Yield the value of each assignment to a module's global; None if it is no constant."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            value = getattr(node, "value", None)
            yield value.value if isinstance(value, ast.Constant) else None


COMPILE, EXEC = compile, exec  # The originals, before any bot runs.
FUTURE = 0x1FF0000  # Flags of code objects for `from __future__ import …`.
IMPORTER = "importlib._bootstrap_external"


def count_made_code(meter: Meter, is_own: Callable[[str], bool]) -> None:
    """Count the recursions of all code compiled from now on.

    Imported modules are not counted, unless `is_own(file)`.
    """

    def counted_compile(
        source: Any,
        filename: Any,
        mode: str,
        flags: int = 0,
        dont_inherit: bool = False,
        optimize: int = -1,
        **options: Any,
    ) -> Any:
        caller = sys._getframe(1)
        flags = flags if dont_inherit else flags | _inherited(caller)
        is_imported = caller.f_globals.get("__name__") == IMPORTER and not is_own(str(filename))
        if not is_imported and not flags & ast.PyCF_ONLY_AST:
            source = _counted(meter, source, filename, mode, flags)
        return COMPILE(source, filename, mode, flags, True, optimize, **options)

    def counted_exec(
        source: Any, globals: Any = None, locals: Any = None, /, **options: Any
    ) -> None:
        caller = sys._getframe(1)
        if globals is None:
            globals = caller.f_globals
            locals = caller.f_locals if locals is None else locals
        if isinstance(source, (str, bytes, bytearray, memoryview)):
            flags = _inherited(caller)
            source = _counted(meter, source, "<string>", "exec", flags)
            source = COMPILE(source, "<string>", "exec", flags, True)
        EXEC(source, globals, locals, **options)

    builtins.compile, builtins.exec = counted_compile, counted_exec


def _inherited(caller: FrameType) -> int:
    return caller.f_code.co_flags & FUTURE


def _counted(meter: Meter, source: Any, filename: Any, mode: str, flags: int) -> Any:
    if isinstance(source, str):
        has_function = "def" in source
    elif isinstance(source, ast.AST):
        has_function = True
    else:
        has_function = b"def" in bytes(source)
    if not has_function:
        return source
    with suppress(Exception):  # Python reports faults of the source
        tree = COMPILE(source, filename, mode, flags | ast.PyCF_ONLY_AST, True)
        tree = deepcopy(tree) if tree is source else tree  # the bot may compile its tree again
        if isinstance(tree, ast.Module):
            return meter.count_made(tree)
    return source


def find_counters(
    trees: Mapping[str, ast.Module], file: str, entry: str, moves: Sequence[str], search: Search
) -> dict[str, dict[str, int]]:
    """Return {file: {counter: start value}}; moves start as in `find_search`.

    A global whose start value is not a whole number is no counter.
    """
    if not any(isinstance(node, ast.Global) for tree in trees.values() for node in ast.walk(tree)):
        return {}
    graph = CallGraph(trees)
    searched = graph.reached(f for f in graph.functions if f.key in search.functions)
    counted, reset = set[FunctionKey](), set[FunctionKey]()
    for function in searched:
        counted |= {(function.file, name) for name, adds in _changes(function) if adds}
    for function in [*graph.reached(graph.moves(file, entry, moves)), *searched]:
        reset |= {(function.file, name) for name, adds in _changes(function) if not adds}
    found: dict[str, dict[str, int]] = {}
    for place, name in sorted(counted - reset):
        start = [0, *_assigned(trees[place], name)][-1]
        if type(start) is int:
            found.setdefault(place, {})[name] = start
    return found


class Counters:
    def __init__(self, found: Mapping[str, dict[str, int]]) -> None:
        self._found = found
        self._places: list[tuple[dict[str, Any], dict[str, int]]] = []

    def new_game(self) -> None:
        self._places = []

    def attach(self, file: str, namespace: dict[str, Any]) -> None:
        """From now on reset this file's counters in a module's namespace."""
        if file in self._found:
            self._places.append((namespace, self._found[file]))

    def wrap(self, adapter: Adapter) -> Adapter:
        """Return an adapter that resets the counters before every move."""
        return _CountedAdapter(adapter, self) if self._found else adapter

    def reset(self) -> None:
        for namespace, values in self._places:
            namespace.update(values)


class _CountedAdapter:
    def __init__(self, adapter: Adapter, counters: Counters) -> None:
        self._counters = counters
        self._adapter = adapter

    def see(self, player: int, column: int) -> None:
        self._adapter.see(player, column)

    def pick(self) -> object:
        self._counters.reset()
        return self._adapter.pick()


def _changes(function: Scope) -> Iterator[tuple[str, bool]]:
    """Yield each global that a function's own body changes, and whether it is added to."""
    nodes = list(own_nodes(function.node))
    names = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    added: set[ast.AST] = set()
    for node in nodes:
        match node:
            case ast.AugAssign(target=ast.Name() as target, op=ast.Add()):
                added.add(target)
            case ast.Assign(
                targets=[ast.Name(id=name) as target],
                value=ast.BinOp(op=ast.Add(), left=left, right=right),
            ) if any(isinstance(side, ast.Name) and side.id == name for side in (left, right)):
                added.add(target)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load):
            yield node.id, node in added
