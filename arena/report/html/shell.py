"""The page: a template with the styles, scripts and data that it carries.

Its data are chunks: JSON by name, packed so that a page can carry them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.game.verdict import Verdict

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


STYLES = (
    "vendor/pico.css",
    *(
        f"assets/{name}.css"
        for name in (
            *("arena", "board", "leaderboard", "crosstable", "replay", "openings", "convergence"),
            *("history", "about"),
        )
    ),
)
"""Style sheets in their order."""

VERDICTS = "verdicts"
"""The script that is made from the referee's verdicts."""

SCRIPTS = (
    "vendor/htm-preact.js",
    *(f"assets/{name}.js" for name in ("data", "theme", "rules", "board")),
    VERDICTS,
    *(
        f"assets/{name}.js"
        for name in (
            *("words", "intervals", "leaderboard"),
            *("crosstable", "worth", "copying", "lists", "games", "width", "history", "bot"),
            *("student", "columns", "graph", "moves", "onward", "heading", "said", "controls"),
            *("replay", "openings", "convergence", "about", "app"),
        )
    ),
)
"""Scripts in their order; `app.js` is last, as it shows what the others define."""


SERVED = ("assets/live.css", "assets/play.css", "assets/live.js", "assets/play.js")
"""Those of the views that need a server, before the last."""


BESIDE = "'self' file:"
"""Sources of scripts for a page with files beside it, on a server or opened from a disk."""


def page(
    title: str,
    chunks: Iterable[Chunk],
    *,
    table: Iterable[dict[str, Any]] = (),
    beside: bool = False,
    live: bool = False,
) -> str:
    """Return a whole HTML page of that title which carries these chunks.

    `table` are the rows of the leaderboard, for readers without JavaScript: the bots of the
    overview. A page has further chunks in files `beside` it, or asks its server for them if it is
    `live`. It may load nothing else.
    """
    served = SERVED if live else ()
    styles = [*STYLES, *(name for name in served if name.endswith(".css"))]
    names = [*SCRIPTS[:-1], *(name for name in served if name.endswith(".js")), SCRIPTS[-1]]
    scripts = [_verdicts() if name == VERDICTS else _asset(name) for name in names]
    sources = " ".join([*map(_digest, scripts), *([BESIDE] if beside else [])])
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {sources}",
            "style-src 'unsafe-inline'",
            "img-src data:",
            f"connect-src {chr(39)}{'self' if live else 'none'}{chr(39)}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            title=title,
            policy=policy,
            styles=[Markup(_asset(name)) for name in styles],
            scripts=[Markup(script) for script in scripts],
            chunks=[(chunk.name, packed(as_json(chunk.data))) for chunk in chunks],
            table=[bot for bot in table if bot["rank"] is not None],
            live=live,
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("arena.report.html", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    return files("arena.report.html").joinpath(name).read_text(encoding="utf-8")


def _verdicts() -> str:
    """Return a script with the verdicts' names and words, see `assets/words.js`."""
    words = as_json({each.name: each.label for each in Verdict}).decode()
    play = as_json([each.name for each in Verdict if not each.is_fault]).decode()
    return f'"use strict";\nArena.verdicts = {words};\nArena.play = {play};\n'


def _digest(script: str) -> str:
    """Return a script's digest as a policy names it: no other inline script is run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"
