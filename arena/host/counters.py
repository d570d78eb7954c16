"""Counters of a bot's own that its course's driver puts back before every move.

The template of seed 000 counts nodes in `global countNodes`, gives up above a limit, and leaves
it to the cell that plays the game to set the counter to zero. Such globals are found in the
source: the search, or a function that it calls, adds to them, and nothing that a move reaches
sets them otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.host.call_graph import CallGraph
from arena.host.meter import Search
from arena.host.scopes import Key, Scope, own_nodes
from arena.interfaces import Adapter


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
    counted, reset = set[Key](), set[Key]()
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
