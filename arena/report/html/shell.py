"""The page: a template with the styles, scripts and data that it carries."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.referee import Verdict
from arena.report.html.chunks import Chunk, as_json, packed

STYLES = (
    "vendor/pico.css",
    "assets/arena.css",
    "assets/board.css",
    "assets/leaderboard.css",
    "assets/crosstable.css",
    "assets/replay.css",
    "assets/openings.css",
    "assets/convergence.css",
    "assets/history.css",
    "assets/about.css",
)
"""Style sheets in their order."""

VERDICTS = "verdicts"
"""The script that is made from the referee's verdicts."""

SCRIPTS = (
    "vendor/htm-preact.js",
    "assets/data.js",
    "assets/theme.js",
    "assets/rules.js",
    "assets/board.js",
    VERDICTS,
    "assets/words.js",
    "assets/intervals.js",
    "assets/leaderboard.js",
    "assets/crosstable.js",
    "assets/worth.js",
    "assets/copying.js",
    "assets/lists.js",
    "assets/games.js",
    "assets/width.js",
    "assets/history.js",
    "assets/bot.js",
    "assets/student.js",
    "assets/columns.js",
    "assets/graph.js",
    "assets/moves.js",
    "assets/onward.js",
    "assets/heading.js",
    "assets/said.js",
    "assets/controls.js",
    "assets/replay.js",
    "assets/openings.js",
    "assets/convergence.js",
    "assets/about.js",
    "assets/app.js",
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
    return f"'sha256-{base64.b64encode(digest).decode()}'"
