"""Explain why a submission has no bot; recognize sources that were meant as bots.

A hint is given only if its repair works: the source's tree is repaired and searched again.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches

from arena.common.errors import EmptyFileError, UnreadableError
from arena.common.names import PYTHON, is_archive, is_notebook_module, notebook_of
from arena.common.text import some_of
from arena.intake.files import Files
from arena.intake.notebook import is_notebook
from arena.intake.programs import how_python_2_runs, unstated_program
from arena.interfaces import CODED, INTERFACES, Interfaces, Overrides, Profile, find_entry
from arena.interfaces.contract import course_modules
from arena.interfaces.described import Described
from arena.source.classes import FUNCTIONS, Function, assigned_value, idle, own_classes
from arena.source.trees import parse

# The functions of each interface, as the documents write them.
SHAPES = {
    "pick_move": "pick_move(rack)",
    "next_move": "next_move(board)",
    "make_move": "make_move(board)",
    "player": "player(board)",
    "agent": "agent(observation, configuration)",
    "one-move": "one-move",
    "lines": "lines",
}

BOARDS = ("board", "rack", "grid", "state")  # Board parameters of functions that pick a move.

# Names of functions that pick a move, in lower case without underscores.
VERBS = "pick|choose|decide|find|get|select|make|next|best|my|ai|computer|play"
PICKS_MOVE = re.compile(f"({VERBS}).*(move|column|col|turn)")
MIN_SIMILARITY = 0.75  # Least similarity of names, from 0 to 1.
SHOWN_NAME = 40  # Characters of a name that are shown.
MAX_AROUND = 100  # Levels kept around a function; only chains of `elif` are deeper.
NAMED = 3  # Functions, classes and files that are named; the others are counted.
DOCUMENT = "docs/reference/interfaces.md lists the functions a bot can have"


def no_bot(
    trees: Mapping[str, ast.Module],
    wanted: Sequence[str],
    files: Collection[str],
    shapes: Mapping[str, str] = SHAPES,
) -> str:
    """Return a sentence on what was searched for and what the sources have instead.

    `trees` are the searched sources, `files` everything that was handed in.
    """
    where = notebook_of(next(iter(trees))) if len(trees) == 1 else f"its {len(trees)} Python files"
    searched = f"no bot in {where}: no {_either([shapes[name] for name in wanted])}"
    searched += " that picks a move"
    if hint := _hint(trees, wanted, files):
        return f"{searched}; {hint}"
    there = _contents(trees, wanted)
    return f"{searched}; it has {there}; {DOCUMENT}" if there else f"{searched}; {DOCUMENT}"


def _hint(
    trees: Mapping[str, ast.Module], wanted: Sequence[str], files: Collection[str]
) -> str | None:
    for name, tree in trees.items():
        for line, sentence in (*_mistakes(tree, wanted), *_missing_files(tree, wanted, files)):
            # a notebook's lines are counted in its cells, not in its module
            at = notebook_of(name) if is_notebook_module(name) else f"{name}, line {line}"
            return f"{sentence} ({at})"
    return None


def _mistakes(tree: ast.Module, wanted: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield line and sentence for each mistake whose repair makes Arena find a bot."""
    plain = {name.replace("_", ""): name for name in wanted}
    for function, around in _functions(tree):
        name, owner = function.name, around[-1]
        spelling = plain.get(name.replace("_", "").lower())
        if spelling is None:
            continue
        is_nested = not isinstance(owner, (ast.Module, ast.ClassDef))
        if not is_nested and name != spelling and _is_found(tree, function, spelling, owner):
            sentence = f"its {_short(name)} must be renamed to {spelling}"
            yield function.lineno, sentence
        homes = [each for each in around if isinstance(each, (ast.ClassDef, ast.Module))]
        if is_nested and name == spelling and _is_found(tree, function, spelling, homes[-1]):
            place = "not at the top level"
            if isinstance(owner, FUNCTIONS):
                place = f"inside the function {_short(owner.name)}"
            yield function.lineno, f"its {name} is {place}; check its indentation"
    for node in tree.body:
        for name in wanted:
            value = assigned_value(node, name)
            if isinstance(value, ast.Lambda):
                made = ast.FunctionDef(name, value.args, [ast.Return(value.body)], [])
                if _is_found(tree, made, name, tree):
                    yield node.lineno, f"its {name} is assigned, not defined with def"


def _is_found(tree: ast.Module, function: Function, name: str, home: ast.AST) -> bool:
    moved = copy.copy(function)
    moved.name = name
    if home is tree:
        body = [node for node in tree.body if node is not function]
        changed, entry = ast.Module([*body, moved], []), name
    else:
        assert isinstance(home, ast.ClassDef)
        kind = copy.copy(home)
        kind.body = [*(node for node in home.body if node is not function), moved]
        body = [kind if node is home else node for node in tree.body]
        changed, entry = ast.Module(body, []), home.name
    found = find_entry(changed)
    return found is not None and found.interface == name and found.name == entry


def _missing_files(
    tree: ast.Module, wanted: Sequence[str], files: Collection[str]
) -> Iterator[tuple[int, str]]:
    given = {*sys.stdlib_module_names}.union(*(course_modules(kind) for kind in CODED))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = node.module.split(".")[0]
            here = any(module in file.removesuffix(".py").split("/") for file in files)
            for alias in node.names:
                about = alias.name.lower()
                is_bot = alias.name in wanted or "player" in about or "agent" in about
                if is_bot and not here and module not in given:
                    what = f"it imports {_short(alias.name)} from {_short(module)}"
                    yield node.lineno, f"{what}, which is not among its files"


def _contents(trees: Mapping[str, ast.Module], wanted: Sequence[str]) -> str:
    other, functions, classes = [], [], []
    for tree in trees.values():
        classes += [_short(name) for name in own_classes(tree)]
        functions += [_short(f.name) for f in tree.body if isinstance(f, FUNCTIONS)]
        for function, around in _functions(tree):
            if function.name in wanted:
                takes = [*function.args.posonlyargs, *function.args.args]
                names = [arg.arg for arg in takes if arg.arg != "self"]
                home = around[-1]
                of = f" of {_short(home.name)}" if isinstance(home, ast.ClassDef) else ""
                other.append(f"{function.name}({', '.join(map(_short, names))}){of}")
    if {"actions", "result"} <= {*functions} and "player" in wanted and "player" in functions:
        return "a player beside actions and result, which says whose turn it is"
    if other:
        return some_of(other, NAMED)
    parts = []
    for what, names in (("class", classes), ("function", functions)):
        if names:
            more = "es" * (what == "class") or "s"
            parts.append(f"the {what}{more * (len(names) > 1)} {some_of(names, NAMED)}")
    return " and ".join(parts)


def looks_like_bot(tree: ast.Module, wanted: Sequence[str], files: Collection[str]) -> bool:
    """Return True if a source looks like a failed attempt at a bot."""
    plain = [name.replace("_", "") for name in wanted]
    methods = [name for name in plain if name in ("pickmove", "nextmove", "makemove")]
    for function, around in _functions(tree):
        name = function.name.replace("_", "").lower()
        names = methods if isinstance(around[-1], ast.ClassDef) else plain
        takes = [arg.arg.lower() for arg in (*function.args.posonlyargs, *function.args.args)]
        if name in plain or get_close_matches(name[:SHOWN_NAME], names, 1, MIN_SIMILARITY):
            return True
        if PICKS_MOVE.fullmatch(name) and any(arg in BOARDS for arg in takes):
            return True
    values = (assigned_value(node, name) for node in tree.body for name in wanted)
    if any(isinstance(value, (ast.Lambda, ast.Name, ast.Attribute)) for value in values):
        return True
    return any(True for _ in _missing_files(tree, wanted, files))


def _functions(tree: ast.Module) -> Iterator[tuple[Function, tuple[ast.AST, ...]]]:
    """Yield each function that is not a test, with its surrounding statements, outermost first."""
    pending: list[tuple[ast.AST, ...]] = [(tree,)]
    for around in pending:
        for node in ast.iter_child_nodes(around[-1]):
            if isinstance(node, FUNCTIONS) and not node.name.startswith("test"):
                yield node, around
            if isinstance(node, (ast.stmt, ast.excepthandler)):
                kept = isinstance(node, (ast.ClassDef, *FUNCTIONS)) or len(around) < MAX_AROUND
                pending.append((*around, node) if kept else (*around[:-1], node))


def _either(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _short(name: str) -> str:
    return name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}…"


def no_entry(
    files: Files,
    wanted: Overrides,
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    broken: Mapping[str, UnreadableError],
    interfaces: Interfaces,
) -> UnreadableError:
    """Return the error that says why no bot was found.

    Of the Python `sources`, those in `trees` were searched and those in `broken` were not.
    """
    if not sources and (unstated := unstated_program(files)):
        return unstated
    if wanted.entry is not None and trees:
        defined = any(defines(tree, wanted.entry) for tree in trees.values())
        why = "has no interface that Arena supports" if defined else "none of its files defines"
        return UnreadableError(f"the contest file names the entry {wanted.entry!r}, which {why}")
    python_2 = how_python_2_runs(files)
    # an empty file is the reason only if there is no other
    damaged = [name for name in sources if not isinstance(broken.get(name), EmptyFileError)]
    for name in damaged or sources:
        if name in broken:
            is_python = name.endswith(PYTHON) and not is_notebook(files.read(name))
            return _why_broken(files, name, python_2) if python_2 and is_python else broken[name]
    return _nothing_found(files.names, sources, trees, wanted.interface, interfaces)


def _nothing_found(
    files: Sequence[str],
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    interface: str | None,
    interfaces: Interfaces,
) -> UnreadableError:
    if not sources:
        only = f", only {some_of(files, NAMED)}" if files else ""
        if any(map(is_archive, files)):
            only += ": unpack the archive, or let arena collect do it"
        return UnreadableError(f"there is no Python file or notebook in it{only}")
    kinds = [name for name, kind in CODED.items() if kind.PROFILE is Profile.MODULE]
    own = [name for name in interfaces if name not in INTERFACES]
    wanted = [interface] if interface else [*own, *kinds]
    for name, tree in trees.items():
        for kind in wanted:
            if (why := idle(tree, interfaces[kind].MOVES)) is not None:
                return UnreadableError(f"{name}: {why}")
    described = {
        name: f"{found.shape} ({name})"
        for name in wanted
        if name not in SHAPES and isinstance(found := interfaces[name], Described)
    }
    return UnreadableError(no_bot(trees, wanted, files, {**SHAPES, **described}))


def _why_broken(files: Files, name: str, python_2: str) -> UnreadableError:
    try:
        parse(files.read(name), name, python_2=python_2)
    except UnreadableError as error:
        return error
    return UnreadableError(f"{name} changed while it was read")


def defines(tree: ast.Module, name: str) -> bool:
    """Return True if a source defines or assigns `name` at its top level."""
    named = any(getattr(node, "name", None) == name for node in tree.body)
    return named or any(assigned_value(node, name) is not None for node in tree.body)
