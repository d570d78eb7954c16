"""A digest that two bots share if they differ in nothing but names, comments and layout."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from arena.intake.files import Files
from arena.intake.source import imported_names

OWN = (
    (ast.FunctionDef, "name"),
    (ast.AsyncFunctionDef, "name"),
    (ast.ClassDef, "name"),
    (ast.arg, "arg"),
    (ast.alias, "asname"),
    (ast.ExceptHandler, "name"),
    (ast.MatchAs, "name"),
    (ast.MatchStar, "name"),
)
"""Syntax that gives something a name, and the field with it; besides what is assigned to."""

SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Syntax in which a name can be another's namesake."""


WRITTEN = 200_000
"""Bytes of the longest source that somebody may have written, and not a program."""


def likeness(file: str, trees: Mapping[str, ast.Module], files: Files) -> str:
    """16 hexadecimal digits, the same for bots that differ only in comments, docstrings, layout,
    and the names of what they define themselves.

    Counted are the file that is entered and those that it imports; files' names are not. Of a
    program that is not in Python, and of what nobody wrote by hand, its bytes; empty if nothing is
    there to compare.
    """
    if file not in trees:
        return _hash([files.read(file)]) if file in files.names else ""
    reached: set[str] = set()
    pending = [file]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            wanted = imported_names(trees[name])
            pending += [other for other in trees if PurePosixPath(other).stem in wanted]
    parts = []
    for name in reached:
        data = files.read(name) if name in files.names else b""
        parts.append(_hash([data] if len(data) > WRITTEN else _plain(trees[name])).encode())
    return _hash(sorted(parts))


def _hash(parts: Iterator[bytes] | list[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part + b"\0")
    return digest.hexdigest()[:16]


def _plain(tree: ast.Module) -> Iterator[bytes]:
    """A tree as text: its own names as numbers in the order in which they come, no docstrings.

    The numbers begin anew in every scope: a name may mean one thing here and another there.
    """
    own = _own_names(tree)
    pending: list[tuple[object, dict[str, int]]] = [(tree, {})]
    while pending:
        item, numbers = pending.pop()
        if isinstance(item, list):
            kept = [part for part in item if not _is_remark(part)]
            yield b"[%d" % len(kept)
            pending.extend((part, numbers) for part in reversed(kept))
        elif isinstance(item, ast.Constant):
            yield repr(item.value).encode("utf-8", "backslashreplace")
        elif isinstance(item, ast.AST):
            yield type(item).__name__.encode()
            inside = {} if isinstance(item, SCOPES) else numbers
            parts = [getattr(item, field, None) for field in item._fields]
            pending.extend((part, inside) for part in reversed(parts))
        elif isinstance(item, str) and item in own:
            yield b"#%d" % numbers.setdefault(item, len(numbers))
        else:
            yield repr(item).encode("utf-8", "backslashreplace")


def _is_remark(part: object) -> bool:
    """Return True for a text that nothing reads: a docstring, or a comment in quotes."""
    return (
        isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Constant)
        and isinstance(part.value.value, str)
    )


def _own_names(tree: ast.Module) -> set[str]:
    """Names that a source gives to what is its own."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        for kind, field in OWN:
            if isinstance(node, kind) and (name := getattr(node, field)):
                names.add(name)
    return names
