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

from arena.host.loader import PIECE
from arena.intake import Submission
from arena.intake.source import imported_names
from arena.interfaces import support


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
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


def missing_imports(submission: Submission) -> tuple[Missing, ...]:
    """Modules that its files import and that neither it nor Arena nor Python has, in order."""
    trees = submission.trees()
    own = {part.removesuffix(".py") for name in submission.files for part in name.split("/")}
    own |= support.modules(submission.interface)
    loaded = _loaded_files([submission.file] if submission.entry else trees, trees)
    found: dict[str, Missing] = {}
    for file in sorted(trees, key=lambda file: file not in loaded):
        at_load = {id(node) for node in _at_load(trees[file].body)} if file in loaded else set()
        for node in ast.walk(trees[file]):
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            for name in imported_names(ast.Module([node], [])) - own:
                first = found.get(name)
                fatal = id(node) in at_load
                if (first is None or fatal > first.at_load) and not _installed(name):
                    where, line = _place(submission, file, node.lineno)
                    found[name] = Missing(name=name, file=where, line=line, at_load=fatal)
    return tuple(sorted(found.values(), key=lambda missing: (not missing.at_load, missing.name)))


def _loaded_files(entries: Iterable[str], trees: Mapping[str, ast.Module]) -> set[str]:
    """The files that are executed when these are: themselves, and what they import at once."""
    reached: set[str] = set()
    pending = list(entries)
    while pending:
        file = pending.pop()
        if file in reached or file not in trees:
            continue
        reached.add(file)
        imports: list[ast.stmt] = list(_at_load(trees[file].body))
        wanted = imported_names(ast.Module(imports, []))
        pending += [other for other in trees if PurePosixPath(other).stem in wanted]
    return reached


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
    if not file.endswith(".ipynb.py"):
        return file, line
    above = submission.contents.read(file).decode().split("\n")[:line]
    for start in reversed(range(len(above))):
        if mark := PIECE.match(above[start]):
            return mark[1], line - start - 1
    return file, line


def _installed(name: str) -> bool:
    """Whether bots can import a module of that name, without importing it here.

    They see the installed packages, not the folder that Arena was started in nor its user's own.
    """
    if name in (*sys.builtin_module_names, "__main__", "arena"):
        return True
    hidden = {"", os.getcwd(), site.getusersitepackages()}
    try:
        return PathFinder.find_spec(name, [p for p in sys.path if p not in hidden]) is not None
    except (ImportError, ValueError):
        return False
