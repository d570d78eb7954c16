"""Counting nodes: which function is a bot's search, and how its calls are counted.

A node is a call of the search function. The function is found in the bot's syntax tree, one
statement is put at its top, and that statement steps an iterator that runs in C, so the bot need
not be trusted to count and barely notices. The count lives in the bot's own process: a bot that
sets out to falsify it can.

`compile` and `exec` are replaced, so that recursions in code that a bot makes while it runs are
counted too. Code that a bot makes in another way (out of code objects, or with ctypes) is not
counted; neither is a lambda that calls itself.

`Counters` puts a bot's own counters back before every move, as its course's driver does.

The template of seed 000 counts nodes in `global countNodes`, gives up above a limit, and leaves it
to the cell that plays the game to set the counter to zero. Such globals are found in the source:
the search, or a function that it calls, adds to them, and nothing that a move reaches sets them
otherwise.
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
from arena.common.text import some
from arena.host.protocol import UNMETERED
from arena.interfaces import Adapter
from arena.source.calls import CallGraph
from arena.source.classes import FUNCTIONS, last_name
from arena.source.scopes import FunctionKey, Scope, own_nodes, scopes_of

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


Recursion = frozenset[FunctionKey]
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
        self.counts = search.counts  # False if there is nothing to count
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
        self.step = step  # name of the built-in that counts a call
        self.names = names  # qualified names of its functions
        self._budget: int | None = None
        self._columns = 1
        self._within: repeat[int] = repeat(1, 0)
        self._over_budget = iter(self._over, 0)
        self._beyond = 0
        self._unlimited = count()
        self.depth = 0  # recursion depth when the budget ran out; 0 before that

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


class NodeCount:
    """The nodes of a house player, which says itself what its engine searched.

    Stands in for a meter: nobody else's bot is given it.
    """

    counts = True
    depth = 0

    def __init__(self) -> None:
        self.nodes = 0

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


COMPILE, EXEC = compile, exec
"""As they were before a bot was there."""

FUTURE = 0x1FF0000
"""The flags of code objects that stand for `from __future__ import …`."""

IMPORTER = "importlib._bootstrap_external"


def count_made_code(meter: Meter, is_own: Callable[[str], bool]) -> None:
    """Have the recursions of all code that is compiled from now on be counted by `meter`.

    Modules that are imported are left alone, unless `is_own` is true of their file.
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
        source: Any,
        globals: Any = None,
        locals: Any = None,
        /,
        **options: Any,
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
    """Return a source with the recursions in it counted; as it is if that cannot be done."""
    if isinstance(source, str):
        has_function = "def" in source
    elif isinstance(source, ast.AST):
        has_function = True
    else:
        has_function = b"def" in bytes(source)
    if not has_function:
        return source
    with suppress(Exception):  # Python says itself what is wrong with the source
        tree = COMPILE(source, filename, mode, flags | ast.PyCF_ONLY_AST, True)
        tree = deepcopy(tree) if tree is source else tree  # the bot may compile it once more
        if isinstance(tree, ast.Module):
            return meter.count_made(tree)
    return source


def find_counters(
    trees: Mapping[str, ast.Module], file: str, entry: str, moves: Sequence[str], search: Search
) -> dict[str, dict[str, int]]:
    """By file, the counters that live there and what its module sets them to: 0 if it does not.

    The bot's move starts in `file`, in a method of class `entry` in `moves` or in function
    `entry`. A global that starts as anything but a whole number is no counter.
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
        start = _start(trees[place], name)
        if start is not None:
            found.setdefault(place, {})[name] = start
    return found


class Counters:
    """Puts the counters of one bot's modules back."""

    def __init__(self, found: Mapping[str, dict[str, int]]) -> None:
        self._found = found
        self._places: list[tuple[dict[str, Any], dict[str, int]]] = []

    def new_game(self) -> None:
        """Forget the last game's modules."""
        self._places = []

    def attach(self, file: str, namespace: dict[str, Any]) -> None:
        """Put back the counters that live in this module namespace, also those it never sets."""
        if file in self._found:
            self._places.append((namespace, self._found[file]))

    def resetting(self, adapter: Adapter) -> Adapter:
        """Return an adapter that puts the counters back for every move, if there are any."""
        return _CountedAdapter(adapter, self) if self._found else adapter

    def put_back(self) -> None:
        """Set every counter to what it starts from."""
        for namespace, values in self._places:
            namespace.update(values)


class _CountedAdapter:
    """A bot whose counters are put back before every move."""

    def __init__(self, adapter: Adapter, counters: Counters) -> None:
        self._counters = counters
        self._adapter = adapter

    def see(self, player: int, column: int) -> None:
        self._adapter.see(player, column)

    def pick(self) -> object:
        self._counters.put_back()
        return self._adapter.pick()


def _changes(function: Scope) -> Iterator[tuple[str, bool]]:
    """(global, whether it is added to) for everything that a function's own body does to one."""
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


def _start(tree: ast.Module, name: str) -> int | None:
    """The whole number that a module last assigns to a global, 0 if none; None for aught else."""
    start: object = 0
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            assert isinstance(node, ast.Assign)
            start = node.value.value if isinstance(node.value, ast.Constant) else None
    return start if type(start) is int else None
