"""Modules that a bot imports and that are not installed, told from its sources alone."""

from __future__ import annotations

import ast
import os
import site
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import PurePosixPath

from arena.errors import GarbledError, UnreadableError
from arena.host.closure import closure
from arena.host.loader import PIECE
from arena.intake import Submission
from arena.intake.entry_search import MAX_NAME
from arena.intake.source import imported_names
from arena.intake.trees import of_trees
from arena.intake.validation import text
from arena.interfaces import support
from arena.naming import is_notebook_module


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingImport:
    """A module that a bot imports and that is not installed."""

    name: str
    """The module."""

    file: str
    """Where it is imported first, preferably where that keeps the bot from being loaded; of a
    notebook its cell."""

    line: int
    """The line of that file, from 1."""

    at_load: bool
    """Whether it is imported as soon as the bot is, so that this cannot be loaded."""

    def __str__(self) -> str:
        when = "at the top" if self.at_load else "not needed at once"
        return f"{self.name} ({self.file}, line {self.line}, {when})"


def missing_imports(submission: Submission) -> tuple[MissingImport, ...]:
    """Modules that its files import and that neither it nor Arena nor Python has, in order.

    None if its files cannot be looked into: then it cannot play either.
    """
    point = submission.entry_point
    own = _own_modules(submission)
    try:
        found = of_trees(submission, imports, point.file if point.name else None)
        missing = [
            MissingImport(name=name, file=where, line=line, at_load=at_load)
            for name, (file, line, at_load) in _checked(found, submission).items()
            if name not in own and not _installed(name)
            for where, line in [_place(submission, file, line)]
        ]
    except UnreadableError:
        return ()
    return tuple(sorted(missing, key=lambda missing: (not missing.at_load, missing.name)))


def imported_modules(submission: Submission) -> frozenset[str]:
    """Names of the modules that its files import beyond its own, the interface's and Python's.

    None if its files cannot be looked into.
    """
    try:
        found = _checked(of_trees(submission, imports, None), submission)
    except UnreadableError:
        return frozenset()
    known = _own_modules(submission) | {*sys.stdlib_module_names, "__main__", "arena"}
    return frozenset(found.keys() - known)


def _own_modules(submission: Submission) -> set[str]:
    """Names of the modules that come with it, or that its interface gives it."""
    own = {part.removesuffix(".py") for name in submission.files for part in name.split("/")}
    return own | support.modules(submission.entry_point.interface)


def imports(trees: Mapping[str, ast.Module], entry: str | None) -> dict[str, tuple[str, int, bool]]:
    """File and line where modules are imported, by name, and whether that is as the bot is loaded.

    The first such place, preferably where it is. `entry` is the file that is executed, None for
    any of them.
    """
    loaded = _loaded_files(trees if entry is None else [entry], trees)
    found: dict[str, tuple[str, int, bool]] = {}
    for file in sorted(trees, key=lambda file: file not in loaded):
        at_load = {id(node) for node in _at_load(trees[file].body)} if file in loaded else set()
        for node in ast.walk(trees[file]):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                fatal = id(node) in at_load
                for name in imported_names(ast.Module([node], [])):
                    if name not in found or fatal > found[name][2]:
                        found[name] = file, node.lineno, fatal
    return found


def _checked(found: object, submission: Submission) -> dict[str, tuple[str, int, bool]]:
    """Return what a confined process says of imports. Raises GarbledError."""
    known: dict[str, tuple[str, int, bool]] = {}
    for name, place in found.items() if isinstance(found, dict) else ():
        match place:
            case [str(file), int(line), bool(at_load)] if file in submission.files:
                known[text(name, MAX_NAME)] = file, line, at_load
            case _:
                raise GarbledError
    return known


def _loaded_files(entries: Iterable[str], trees: Mapping[str, ast.Module]) -> set[str]:
    """The files that are executed when these are: themselves, and what they import at once."""

    def imported(file: str) -> list[str]:
        imports: list[ast.stmt] = list(_at_load(trees[file].body))
        wanted = imported_names(ast.Module(imports, []))
        return [other for other in trees if PurePosixPath(other).stem in wanted]

    return set(closure((file for file in entries if file in trees), imported))


def _at_load(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports without which these statements cannot be executed: none in a condition, a `try`
    or a function."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, (ast.ClassDef, ast.With)):
            yield from _at_load(node.body)


def _place(submission: Submission, file: str, line: int) -> tuple[str, int]:
    """A place in a file as its author knows it: of what was a notebook, in its cell."""
    if not is_notebook_module(file):
        return file, line
    above = submission.contents.read(file).decode().split("\n")[:line]
    for start in reversed(range(len(above))):
        if mark := PIECE.match(above[start]):
            return mark[1], line - start - 1
    return file, line


def _installed(name: str) -> bool:
    """Return True if bots can import a module of that name, without importing it here.

    They see the installed packages, not the folder that Arena was started in nor its user's own.
    """
    if name in (*sys.builtin_module_names, "__main__", "arena"):
        return True
    hidden = {"", os.getcwd(), site.getusersitepackages()}
    try:
        return PathFinder.find_spec(name, [p for p in sys.path if p not in hidden]) is not None
    except (ImportError, ValueError):
        return False
