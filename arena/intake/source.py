"""Reading a submission's Python files without running any of them."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

MAX_SOURCE = 1 << 20
"""Bytes of the longest source file that is looked into; its tree takes up to a thousand times as
much memory."""


class Unreadable(ValueError):
    """A source that cannot be parsed; the message says why, for the bot's author."""


def parse(path: Path) -> ast.Module:
    """The syntax tree of a file. Raises Unreadable, also for sources made to break a parser."""
    try:
        size = path.stat().st_size
        if size > MAX_SOURCE:
            raise Unreadable(f"{path.name} is {size / 1e6:.1f} MB long, more than a source may be")
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}") from None
    if not data.strip():
        raise Unreadable(f"{path.name} is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a submission's invalid escapes are not our news
            return ast.parse(data, path.name)
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise Unreadable(f"{type(error).__name__}: {error.msg} ({path.name}{line})") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"{path.name} cannot be parsed: {error}") from None


def imported_names(tree: ast.Module) -> set[str]:
    """First parts of the names of all modules that a source imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module:
                names.add(node.module.split(".")[0])
            elif node.level:
                names.update(alias.name for alias in node.names)
    return names
