"""A contest's report against what its journal gives now: the data in its page, and beside it."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from binascii import Error as NoBase64Error
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

from arena.contest.finding import Finding
from arena.report.facts import Facts
from arena.report.html.chunks import Chunk, as_json
from arena.report.html.overview import contest_overview
from arena.report.html.report import PAGE_FILE, PAGES, REPORT, contest_chunks, is_paged
from arena.report.html.shell import page

CHUNK = re.compile(r'<script type="application/x-arena" id="chunk-([a-z0-9-]+)">([^<]*)</script>')
"""A chunk in the page."""

BESIDE = re.compile(r'Arena\.receive\("([^"]*)", "([^"]*)", "([^"]*)"\);\s*')
"""A chunk in a file beside it: its name, edition and data."""

MOST = 256 << 20
"""Bytes of the largest overview that is unpacked."""

GZIP = 31
"""What zlib calls the format of gzip."""

LONGEST_NAME = 255
"""Characters of the longest name of a contest: that of a folder."""


def name_in(folder: Path) -> str:
    """Return the name by which a report calls its contest; empty without a report that does.

    The folder may have been copied or renamed since, and all pages have the name that it had.
    """
    return _said_of_contest(folder, "name")


def arena_of(folder: Path) -> str:
    """Return the version of Arena that made a report; empty without a report that tells."""
    return _said_of_contest(folder, "arena")


def _said_of_contest(folder: Path, key: str) -> str:
    overview = _overview(_chunks_in(folder / REPORT).get("overview", ""))
    said = overview["contest"].get(key) if overview else ""
    return said if isinstance(said, str) and len(said) <= LONGEST_NAME else ""


def report_findings(folder: Path, facts: Facts, name: str) -> Iterator[Finding]:
    """Yield what of a report is missing, of another edition, or not what the journal gives."""
    again = f"make it again: arena report {quote(str(folder))}"
    if not (folder / REPORT).is_file():
        yield Finding(REPORT, "is missing", again)
        return
    chunks = _chunks_in(folder / REPORT)
    found = _overview(chunks.get("overview", ""))
    if not found:
        yield Finding(REPORT, "is not as Arena writes it", again)
        return
    paged = is_paged(facts.settled)
    overview = contest_overview(facts, name, paged=paged)
    edition = found.get("edition")
    made: dict[str, Any] = json.loads(as_json(overview))
    if what := _other_overview(found, made):
        yield Finding(REPORT, what, again)
        return
    table = overview["bots"]
    bare = page(name, (Chunk(each, None) for each in chunks), table=table, beside=paged)
    if _bare((folder / REPORT).read_text("utf-8", "replace")) != _bare(bare):
        what = "is not the page that this Arena makes: its table, scripts or styles are others"
        yield Finding(REPORT, what, again)
    names = set()
    for chunk in contest_chunks(facts, overview):
        names.add(f"{chunk.name}.js")
        where, packed = REPORT, chunks.get(chunk.name)
        if paged:
            where = f"{PAGES}/{chunk.name}.js"
            packed = _beside(folder / where, chunk.name, edition)
        wanted = as_json(chunk.data)
        if packed is None:
            what = f"is missing, or not of the edition of {REPORT}"
            yield Finding(where, what if paged else f"lacks {chunk.name}", again)
        elif _unpacked(packed, len(wanted)) != wanted:
            yield Finding(where, f"{chunk.name} is not what the journal gives", again)
    beside = (folder / PAGES).iterdir() if (folder / PAGES).is_dir() else ()
    stale = (path.name for path in beside if PAGE_FILE.fullmatch(path.name))
    for file in sorted(set(stale) - (names if paged else set())):
        yield Finding(f"{PAGES}/{file}", "belongs to no report that is here", again)


def _bare(text: str) -> str:
    """Return a page without what its chunks hold."""
    return CHUNK.sub(r"\1", text)


def _other_overview(found: dict[str, Any], made: dict[str, Any]) -> str:
    """Return in which part an overview is another one; empty in none.

    When and by which Arena it was made is left out, and so is its edition.
    """
    for part in dict.fromkeys([*made, *found]):
        one, other = found.get(part), made.get(part)
        if part == "contest" and one is not None:
            own = {"made", "arena"}
            one, other = ({key: of[key] for key in of.keys() - own} for of in (one, other or {}))
        if part != "edition" and one != other:
            return f"its part {part} is not what the journal gives"
    return ""


def _chunks_in(page: Path) -> dict[str, str]:
    """Return the chunks in a page by name, as they are packed; none if it cannot be read."""
    try:
        text = page.read_text("utf-8", "replace") if page.is_file() else ""
    except OSError:
        return {}
    return dict(CHUNK.findall(text))


def _beside(path: Path, name: str, edition: object) -> str | None:
    """Return the chunk in a file beside the page, if it is of that edition."""
    try:
        found = BESIDE.fullmatch(path.read_text("utf-8", "replace")) if path.is_file() else None
    except OSError:
        return None
    return found[3] if found and (found[1], found[2]) == (name, edition) else None


def _overview(packed: str) -> dict[str, Any]:
    """Return the overview of a contest; empty if it is none."""
    try:
        held = json.loads(_unpacked(packed, MOST))
    except (ValueError, RecursionError):
        return {}
    is_one = isinstance(held, dict) and isinstance(held.get("contest"), dict)
    return held if is_one else {}


def _unpacked(packed: str, most: int) -> bytes:
    """Return the bytes of a chunk, one more than `most` at most; empty if it is none."""
    try:
        return zlib.decompressobj(GZIP).decompress(b64decode(packed, validate=True), most + 1)
    except (NoBase64Error, zlib.error, ValueError):
        return b""
