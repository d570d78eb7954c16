"""The names that a submission without a bot was searched for, and what came nearest to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches

from arena.interfaces.source_search import FUNCTIONS, assigned_value
from arena.naming import is_notebook_module, notebook_of

DEED = re.compile(
    "(pick|choose|decide|find|get|select|make|next|best|my|ai|computer|play)"
    ".*(move|column|col|turn)"
)
"""Names of functions that pick a move, in small letters and without underscores."""

ALIKE = 0.75
"""How much a name must be like one that is looked for, from 0 to 1."""

FUNCTIONS_ONLY = ("player", "agent")
"""Names that no class's method is looked for by."""

BOARDS = ("board", "rack", "grid", "state")
"""Parameters of functions that pick a move."""

MAX_NAME = 40
"""Characters of a name that are shown."""


def no_bot(trees: Mapping[str, ast.Module], wanted: Sequence[str], files: Collection[str]) -> str:
    """A sentence for its author: the names that were looked for, and what came nearest.

    `trees` are the sources that were searched, `files` all that was handed in.
    """
    where = notebook_of(next(iter(trees))) if len(trees) == 1 else f"its {len(trees)} Python files"
    searched = f"no bot in {where}: no {_either(wanted)}, as a function or in a class"
    came_near = nearest(trees, wanted, files)
    return f"{searched}; {came_near}" if came_near else searched


def nearest(
    trees: Mapping[str, ast.Module], wanted: Sequence[str], files: Collection[str]
) -> str | None:
    """Return what in these sources was perhaps meant as a bot, and where; None if nothing was."""
    for hint in (_misplaced, _misspelt, _imported, _like_one):
        for name, tree in trees.items():
            if found := hint(tree, wanted, files):
                what, line = found
                # a notebook's lines are counted in its cells, not in what was made of it
                at = notebook_of(name) if is_notebook_module(name) else f"{name}, line {line}"
                return f"{what} ({at})"
    return None


_Hint = tuple[str, int] | None


def _misplaced(tree: ast.Module, wanted: Sequence[str], files: Collection[str]) -> _Hint:
    """A function of the right name where nobody can call it, or no function."""
    for function, owner in _functions(tree):
        if function.name in wanted and not isinstance(owner, (ast.Module, ast.ClassDef)):
            if isinstance(owner, FUNCTIONS):
                place = f"inside the function {_short(owner.name)}"
            else:
                place = "not at the top level"
            return f"its {function.name} is {place}, by its indentation", function.lineno
    for node in tree.body:
        for name in wanted:
            if isinstance(assigned_value(node, name), (ast.Lambda, ast.Name, ast.Attribute)):
                return f"its {name} is assigned, not defined with def", node.lineno
    return None


def _misspelt(tree: ast.Module, wanted: Sequence[str], files: Collection[str]) -> _Hint:
    """A function whose name is nearly the right one."""
    plain = {name.replace("_", ""): name for name in wanted}
    methods = [name for name in plain if name not in FUNCTIONS_ONLY]
    for function, _ in _functions(tree):
        name = function.name.replace("_", "").lower()
        if name in plain:
            what = f"its {_short(function.name)} would have to be called {plain[name]}"
            return what, function.lineno
    for function, owner in _functions(tree):
        name = function.name.replace("_", "").lower()
        names = methods if isinstance(owner, ast.ClassDef) else plain
        if close := get_close_matches(name[:MAX_NAME], names, 1, ALIKE):
            spelling = plain[close[0]]
            return f"is its {_short(function.name)} meant as {spelling}?", function.lineno
    return None


def _imported(tree: ast.Module, wanted: Sequence[str], files: Collection[str]) -> _Hint:
    """A bot that would come from a file that was not handed in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = node.module.split(".")[0]
            here = any(module in file.removesuffix(".py").split("/") for file in files)
            for alias in node.names:
                about = alias.name.lower()
                if not here and (alias.name in wanted or "player" in about or "agent" in about):
                    what = f"it imports {_short(alias.name)} from {_short(module)}"
                    return f"{what}, which is not among its files", node.lineno
    return None


def _like_one(tree: ast.Module, wanted: Sequence[str], files: Collection[str]) -> _Hint:
    """A function that gets a board and is about a move."""
    for function, _ in _functions(tree):
        args = [arg.arg.lower() for arg in (*function.args.posonlyargs, *function.args.args)]
        name = function.name.replace("_", "").lower()
        if DEED.fullmatch(name) and any(arg in BOARDS for arg in args):
            return f"is its {_short(function.name)} the bot?", function.lineno
    return None


def _functions(
    tree: ast.Module,
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.AST]]:
    """Every function of a source but its tests, with the statement around it, outermost first."""
    pending: list[ast.AST] = [tree]
    for owner in pending:
        for node in ast.iter_child_nodes(owner):
            if isinstance(node, FUNCTIONS) and not node.name.startswith("test"):
                yield node, owner
            if isinstance(node, (ast.stmt, ast.excepthandler)):
                pending.append(node)


def _either(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _short(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"
