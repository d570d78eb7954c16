"""Checking what a confined process answered, value by value: it may have been taken over by what it
read, and its answer be made up."""

from __future__ import annotations

from typing import Any

from arena.errors import GarbledError


def text(value: Any, most: int) -> str:
    """A text of at most so many characters that can be written down. Raises GarbledError."""
    if not isinstance(value, str) or len(value) > most:
        raise GarbledError
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise GarbledError from None
    return value


def texts(value: Any, most: int, each: int) -> tuple[str, ...]:
    """At most so many texts, each of at most so many characters. Raises GarbledError."""
    if not isinstance(value, list) or len(value) > most:
        raise GarbledError
    return tuple(text(item, each) for item in value)
