"""The HTML page: a template with styles, scripts and chunks of data."""

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

LEVEL = 6  # compression level: a page of thousands of games should be small enough for e-mail
QUICK = 1  # level for files beside a page: they are 1/8 larger, and made in 1/5 of the time


class Chunk(NamedTuple):
    """A piece of a report's data."""

    name: str
    """Letters, digits and hyphens. The page's script requests the chunk by this name."""

    data: Any


def as_json(data: Any) -> bytes:
    """Return data as compact JSON; numbers that are not finite become null."""
    try:
        return orjson.dumps(data)
    except orjson.JSONEncodeError:
        # a bot's output may have lone surrogates, which UTF-8 cannot encode
        return json.dumps(data, separators=(",", ":"), allow_nan=False).encode()


def packed(json: bytes, level: int = LEVEL) -> str:
    """Return JSON gzipped, as base64, which has no special characters of HTML."""
    return b64encode(gzip.compress(json, level, mtime=0)).decode()


STYLES = (
    "vendor/pico.css",
    *(
        f"assets/{name}.css"
        for name in (
            *("arena", "board", "leaderboard", "class", "crosstable", "replay", "openings"),
            *("convergence", "history", "podium", "about"),
        )
    ),
)

VERDICTS = "verdicts"  # name of the script made from the referee's verdicts

# In order of execution; `app.js` is last, as it uses what the others define.
SCRIPTS = (
    "vendor/htm-preact.js",
    *(f"assets/{name}.js" for name in ("data", "theme", "rules", "board")),
    VERDICTS,
    *(
        f"assets/{name}.js"
        for name in (
            *("words", "intervals", "headline", "leaderboard", "class"),
            *("crosstable", "worth", "copying", "saving", "lists", "games", "width", "history"),
            *("bot", "student", "columns", "graph", "moves", "onward", "heading", "said"),
            *("controls", "replay", "openings", "convergence", "podium", "about", "app"),
        )
    ),
)


# Files for views that need a server; these scripts are inserted before the last of SCRIPTS.
SERVED = ("assets/live.css", "assets/play.css", "assets/live.js", "assets/play.js")
BESIDE = "'self' file:"  # allowed sources of scripts for a page with files beside it


def page(
    title: str,
    chunks: Iterable[Chunk],
    *,
    table: Iterable[dict[str, Any]] = (),
    beside: str = "",
    live: bool = False,
) -> str:
    """Return a whole HTML page with these chunks.

    `table` has the bots' entries for readers without JavaScript. The page loads further chunks from
    files of the folder `beside` it; with `live`, from its server; else it loads nothing.
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
        templates("arena.report.html")
        .get_template("report.html.jinja")
        .render(
            title=title,
            policy=policy,
            styles=[Markup(_asset(name)) for name in styles],
            scripts=[Markup(script) for script in scripts],
            chunks=[(chunk.name, packed(as_json(chunk.data))) for chunk in chunks],
            table=list(table),
            beside=beside,
            live=live,
        )
    )


@cache
def templates(package: str) -> Environment:
    return Environment(
        loader=PackageLoader(package, "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    return files("arena.report.html").joinpath(name).read_text(encoding="utf-8")


def _verdicts() -> str:
    words = as_json({each.name: each.value for each in Verdict}).decode()
    play = as_json([each.name for each in Verdict if not each.is_fault]).decode()
    return f'"use strict";\nArena.verdicts = {words};\nArena.play = {play};\n'


def _digest(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"
