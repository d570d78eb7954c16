"""The pieces of a report's data: JSON by name, packed so that a page can carry them."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from typing import Any, NamedTuple

import orjson

LEVEL = 6
"""Level of compression: a page of thousands of games is to be small enough to be mailed."""

QUICK = 1
"""Level of compression for files beside a page: an eighth larger, in a fifth of the time."""


class Chunk(NamedTuple):
    """A piece of a report's data."""

    name: str
    """Its name, by which the page's script asks for it: letters, digits and hyphens."""

    data: Any
    """What it holds: lists, dicts with names, texts, numbers and None."""


def as_json(data: Any) -> bytes:
    """Return data as JSON without spaces; numbers that are not finite become null."""
    try:
        return orjson.dumps(data)
    except orjson.JSONEncodeError:
        # what a bot prints may hold half of a pair of surrogates, which no UTF-8 can
        return json.dumps(data, separators=(",", ":"), allow_nan=False).encode()


def packed(json: bytes, level: int = LEVEL) -> str:
    """Return JSON as base64 of its gzipped bytes: no character of it means anything in HTML."""
    return b64encode(gzip.compress(json, level, mtime=0)).decode()
