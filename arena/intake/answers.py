"""Checking what a confined process answered, value by value: it may have been taken over by what it
read, and its answer be made up."""

from __future__ import annotations

from typing import Any

from arena.intake.confined import Garbled


def text(value: Any, most: int) -> str:
    """A text of at most so many characters that can be written down. Raises Garbled."""
    if not isinstance(value, str) or len(value) > most:
        raise Garbled
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Garbled from None
    return value


def texts(value: Any, most: int, each: int) -> tuple[str, ...]:
    """At most so many texts, each of at most so many characters. Raises Garbled."""
    if not isinstance(value, list) or len(value) > most:
        raise Garbled
    return tuple(text(item, each) for item in value)
