"""Reading a submission's Python files without running any of them."""

from __future__ import annotations

import ast
import codecs
from collections.abc import Iterator

from arena.errors import EmptyFileError, NestingError, UnreadableError
from arena.host.syntax import syntax_tree
from arena.intake.unparsed import diagnose

MAX_SOURCE = 1 << 20
"""Bytes of the longest source file that is looked into; its tree takes up to a thousand times as
much memory."""


def parse(data: bytes, name: str, *, python_2: str | None = None) -> ast.Module:
    """The syntax tree of a file. Raises UnreadableError, also for sources made to break a parser.

    `python_2` are the settings with which it runs if it is written for Python 2; None if it has to
    be Python 3.
    """
    if len(data) > MAX_SOURCE:
        raise UnreadableError(f"{name} is {len(data) / 1e6:.1f} MB long, more than a source may be")
    if not data.removeprefix(codecs.BOM_UTF8).strip():
        if name.rpartition("/")[2] == "__init__.py":
            return ast.Module([], [])  # which makes its folder a package
        raise EmptyFileError(f"{name} is empty")
    try:
        return syntax_tree(data, name)
    except NestingError as error:
        where = f" (line {error.lineno})" if error.lineno else ""
        raise UnreadableError(f"{name} is nested too deeply to be parsed{where}") from None
    except (SyntaxError, ValueError) as error:
        raise diagnose(data, name, error, python_2) from None
    except MemoryError:
        raise UnreadableError(
            f"{name} takes too much memory to be parsed; make it smaller"
        ) from None


def imported_modules(tree: ast.Module) -> set[str]:
    """Dotted names of all modules that a source imports, anywhere in it; of those named relative
    to it without the leading dots."""
    names: set[str] = set()
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module:
                names.add(node.module)
            if node.level or node.module:
                prefix = f"{node.module}." if node.module else ""
                names.update(prefix + alias.name for alias in node.names if alias.name != "*")
    return names


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements of a source, without what they are made of: that may be a large table."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, block, ())
            pending.extend(inside if isinstance(inside, list) else ())


def imported_names(tree: ast.Module) -> set[str]:
    """First parts of the names of all modules that a source imports, anywhere in it."""
    return {name.split(".")[0] for name in imported_modules(tree)}
