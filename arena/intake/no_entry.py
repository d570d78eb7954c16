"""The reasons why a submission can be entered nowhere."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from arena.errors import EmptyFileError, UnreadableError
from arena.intake.files import Files
from arena.intake.near_miss import no_bot
from arena.intake.notebook import is_notebook
from arena.intake.programs import how_python_2_runs, unstated_program
from arena.intake.source import parse
from arena.interfaces import INTERFACES, InterfaceName, Overrides, Profile
from arena.interfaces.source_search import assigned_value, idle
from arena.naming import PYTHON, is_archive
from arena.numbers import some

NAMED = 3
"""Files that a sentence names; the others are counted."""


def no_entry(
    files: Files,
    wanted: Overrides,
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    broken: Mapping[str, UnreadableError],
) -> UnreadableError:
    """Return why a bot cannot be entered anywhere.

    Of its `sources` those with `trees` were searched; the others are `broken`.
    """
    if not sources and (unstated := unstated_program(files)):
        return unstated
    if wanted.entry is not None and trees:
        defined = any(defines(tree, wanted.entry) for tree in trees.values())
        why = "is called in no way Arena knows" if defined else "none of its files defines"
        return UnreadableError(f"the contest file names the entry {wanted.entry!r}, which {why}")
    python_2 = how_python_2_runs(files)
    # an empty file is the reason only where there is no other
    damaged = [name for name in sources if not isinstance(broken.get(name), EmptyFileError)]
    for name in damaged or sources:
        if name in broken:
            is_python = name.endswith(PYTHON) and not is_notebook(files.read(name))
            return _why_broken(files, name, python_2) if python_2 and is_python else broken[name]
    return _nothing_found(files.names, sources, trees, wanted.interface)


def _nothing_found(
    files: Sequence[str],
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    interface: InterfaceName | None,
) -> UnreadableError:
    """Return why sources that can all be read have no bot."""
    if not sources:
        only = f", only {some(files, NAMED)}" if files else ""
        if any(map(is_archive, files)):
            only += ": unpack what is packed, or have arena collect do it"
        return UnreadableError(f"there is no Python file or notebook in it{only}")
    kinds = [name for name, kind in INTERFACES.items() if kind.PROFILE is Profile.MODULE]
    wanted = [interface] if interface else kinds
    for name, tree in trees.items():
        for kind in wanted:
            if (why := idle(tree, INTERFACES[kind].MOVES)) is not None:
                return UnreadableError(f"{name}: {why}")
    return UnreadableError(no_bot(trees, wanted, files))


def _why_broken(files: Files, name: str, python_2: str) -> UnreadableError:
    """Return why a source of a program cannot be parsed."""
    try:
        parse(files.read(name), name, python_2=python_2)
    except UnreadableError as error:
        return error
    return UnreadableError(f"{name} changed while it was read")


def defines(tree: ast.Module, name: str) -> bool:
    """Return True if a source defines or assigns a name at its top level."""
    return any(
        getattr(node, "name", None) == name or assigned_value(node, name) is not None
        for node in tree.body
    )
