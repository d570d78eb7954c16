"""Parsing a source, with a reason where Python gives none."""

from __future__ import annotations

import ast
import resource
import warnings

from arena.errors import NestingError

MUCH = 128 << 20
"""Bytes of data within its limit that a process must have left if it was not for want of memory
that its parser raised MemoryError."""

CHEAP = 1 << 20
"""Bytes that are parsed anew to find the line where nesting is too deep: a second's worth."""


def syntax_tree(data: str | bytes, name: str) -> ast.Module:
    """The syntax tree of a source.

    Raises SyntaxError, NestingError among them, ValueError for what is no text, and MemoryError
    where there is too little memory: Python raises it for deep nesting, too, with no message.
    """
    try:
        return _parsed(data, name)
    except (RecursionError, MemoryError) as error:
        if isinstance(error, MemoryError) and _is_short():
            raise
    line = _deep_line(data, name)
    raise NestingError("it is nested too deeply to be parsed", (name, line, None, None))


def _parsed(data: str | bytes, name: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a submission's invalid escapes are not our news
        return ast.parse(data, name)


def _is_short() -> bool:
    """Return True if this process has not much memory left within its limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    return limit != resource.RLIM_INFINITY and peak > limit - min(MUCH, limit // 2)


def _deep_line(data: str | bytes, name: str) -> int | None:
    """The line with which a source is nested too deeply; None if that takes long to find."""
    text = data if isinstance(data, bytes) else data.encode("utf-8", "replace")
    lines = text.split(b"\n")
    good, bad, tried = 0, len(lines), 1
    left = CHEAP
    while bad - good > 1:
        middle = min(tried, (good + bad) // 2)  # from the start: what comes late is dear to try
        part = b"\n".join(lines[:middle])
        left -= len(part)
        if left < 0:
            return None
        if _is_deep(part, name):
            bad = middle
        else:
            good = middle
            tried *= 2
    return bad


def _is_deep(text: bytes, name: str) -> bool:
    try:
        _parsed(text, name)
    except (RecursionError, MemoryError):
        return True
    except (SyntaxError, ValueError):
        return False
    return False
