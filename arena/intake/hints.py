"""Explain why a submission has no bot; recognize sources that were meant as bots.

A hint is given only if its repair works: the source's tree is repaired and searched again.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from arena.common.errors import EmptyFileError, UnreadableError
from arena.common.names import PYTHON, is_archive, is_notebook_module, notebook_of
from arena.common.text import quote, some_of
from arena.intake.files import Files
from arena.intake.likely import likely_moves, nearest, playable, short
from arena.intake.notebook import is_notebook
from arena.intake.programs import how_python_2_runs, unstated_program
from arena.interfaces import BY_NAME, INTERFACES, Interfaces, Overrides, find_entry
from arena.interfaces.contract import course_modules
from arena.interfaces.described import Described
from arena.interfaces.description import CALL
from arena.interfaces.finder import defined_names
from arena.source.classes import FUNCTIONS, Function, assigned_value, own_classes, own_functions
from arena.source.trees import parse

PLAYS = re.compile("(player|agent)[_0-9]*$")
MAX_AROUND = 100  # Levels kept around a function; only chains of `elif` are deeper.
NAMED = 3  # Functions, classes and files that are named; the others are counted.
DOCUMENT = "the documentation's page Interfaces lists the functions a bot can have"
DRAFT = "arena new mycourse.toml --interface-from"
HOW_TO = "the documentation's page My course's bots have another interface"


def no_bot(trees: Mapping[str, ast.Module], wanted: Interfaces, files: Collection[str]) -> str:
    where = notebook_of(next(iter(trees))) if len(trees) == 1 else f"its {len(trees)} Python files"
    if len(wanted) == 1:
        where += f" for the interface {next(iter(wanted))}, which the contest file names"
    if hint := _hint(trees, wanted, files):
        return f"no bot in {where}: {hint}"
    for kind in playable(wanted):
        if kind.NAME not in INTERFACES:  # an instructor's own: say what differs
            reasons = [reason for tree in trees.values() if (reason := kind.misfit(tree))]
            longest = max(reasons, key=lambda reason: "its " in reason)
            described = f" as {kind.NAME} describes it" if len(wanted) > 1 else ""
            return f"no bot in {where}{described}: {longest}"
    likely = {
        name: max((each.likeliness for each in likely_moves(tree) if not each.lack), default=0)
        for name, tree in trees.items()
    }
    file = max(likely, key=lambda name: likely[name])
    then = DOCUMENT
    if likely[file] > 0 and not is_notebook_module(file) and len(wanted) > 1:
        then = f"an instructor can describe its interface ({HOW_TO}): {DRAFT} {quote(file)}"
    if near := nearest(trees, wanted):
        return f"no bot in {where}: nearest is {'; or '.join(near)}; {then}"
    return f"no bot in {where}: it has {_contents(trees)}; {then}"


def _hint(
    trees: Mapping[str, ast.Module], wanted: Interfaces, files: Collection[str]
) -> str | None:
    for name, tree in trees.items():
        for line, sentence in (*_mistakes(tree, wanted), *_missing_files(tree, wanted, files)):
            # a notebook's lines are counted in its cells, not in its module
            at = notebook_of(name) if is_notebook_module(name) else f"{name}, line {line}"
            return f"{sentence} ({at})"
    return None


def _names(wanted: Interfaces) -> list[str]:
    entries = [kind.description.entry for kind in playable(wanted)]
    names = [name for entry in entries for name in entry.function + entry.method]
    return [name for name in names if name.isidentifier() and name != CALL]


def _mistakes(tree: ast.Module, wanted: Interfaces) -> Iterator[tuple[int, str]]:
    """Yield line and sentence for each mistake whose repair makes Arena find a bot."""
    plain = {name.replace("_", "").lower(): name for name in _names(wanted)}
    plain |= {name: name for name in _names(wanted)}
    for function, around in _functions(tree):
        name, owner = function.name, around[-1]
        spelling = plain.get(name) or plain.get(name.replace("_", "").lower())
        nested: Function | ast.ClassDef = function
        place, searched = owner, tree
        if isinstance(owner, ast.ClassDef):
            nested, place = owner, around[-2]
            if not isinstance(place, ast.Module):
                searched = ast.Module([*tree.body, owner], [])
        is_nested = not isinstance(place, ast.Module)
        if spelling is None or is_nested != (name == spelling):
            continue
        homes = [each for each in around if isinstance(each, (ast.ClassDef, ast.Module))]
        if not _is_found(searched, function, spelling, homes[-1], wanted):
            continue
        if is_nested:
            where = "not at the top level"
            if isinstance(place, (ast.ClassDef, *FUNCTIONS)):
                kind = "class" if isinstance(place, ast.ClassDef) else "function"
                where = f"inside the {kind} {short(place.name)}"
            yield nested.lineno, f"its {short(nested.name)} is {where}; check its indentation"
        else:
            yield function.lineno, f"its {short(name)} must be renamed to {spelling}"


def _is_found(
    tree: ast.Module, function: Function, name: str, home: ast.AST, wanted: Interfaces
) -> bool:
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
    found = find_entry(changed, wanted)
    return found is not None and found.name == entry


def _missing_files(
    tree: ast.Module, wanted: Interfaces, files: Collection[str]
) -> Iterator[tuple[int, str]]:
    given = {*sys.stdlib_module_names}.union(*(course_modules(kind) for kind in wanted))
    names = _names(wanted)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = node.module.split(".")[0]
            here = any(module in file.removesuffix(".py").split("/") for file in files)
            for alias in node.names:
                is_bot = alias.name in names or PLAYS.search(alias.name.lower())
                if is_bot and not here and module not in given:
                    what = f"it imports {short(alias.name)} from {short(node.module)}"
                    yield node.lineno, f"{what}, which is not among its files"


def _contents(trees: Mapping[str, ast.Module]) -> str:
    names = [name for tree in trees.values() for name in (*own_classes(tree), *own_functions(tree))]
    if {"actions", "result", "player"} <= {*names}:
        return "a player beside actions and result, which says whose turn it is"
    moves = [str(each) for tree in trees.values() for each in likely_moves(tree) if each.meant > 0]
    return some_of(moves or [*map(short, names)], NAMED) if names else "no function or class"


def looks_like_bot(tree: ast.Module, wanted: Interfaces, files: Collection[str]) -> bool:
    if any(each.meant > 3 for each in likely_moves(tree)):
        return True
    values = (assigned_value(node, name) for node in tree.body for name in BY_NAME)
    if any(isinstance(value, (ast.Lambda, ast.Name, ast.Attribute)) for value in values):
        return True
    exact = {
        name: kind
        for name, kind in wanted.items()
        if not (isinstance(kind, Described) and kind.description.entry.fallback)
    }
    return _hint({"": tree}, wanted, files) is not None or bool(nearest({"": tree}, exact))


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


def no_entry(
    files: Files,
    wanted: Overrides,
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    broken: Mapping[str, UnreadableError],
    interfaces: Interfaces,
) -> UnreadableError:
    """Return why no bot was found; of `sources`, `trees` were read, `broken` were not."""
    if not sources and (unstated := unstated_program(files)):
        return unstated
    if wanted.entry is not None and trees:
        defined = any(wanted.entry in defined_names(tree) for tree in trees.values())
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
    wanted = {interface: interfaces[interface]} if interface else interfaces
    for name, tree in trees.items():
        for kind in playable(wanted):
            if why := kind.idle(tree):
                return UnreadableError(f"{name}: {why.removeprefix('its ')}")
    return UnreadableError(no_bot(trees, wanted, files))


def _why_broken(files: Files, name: str, python_2: str) -> UnreadableError:
    try:
        parse(files.read(name), name, python_2=python_2)
    except UnreadableError as error:
        return error
    return UnreadableError(f"{name} changed while it was read")
