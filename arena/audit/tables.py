"""Comparing a contest's tables and pages with its journal."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zlib
from base64 import b64decode
from binascii import Error as NoBase64Error
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

from arena.analysis.analysis import GameAnalysis
from arena.common.names import games_name, page_name
from arena.common.text import counted, one_line, quote
from arena.contest.history import HISTORY, ROUNDS, Placing, read_history
from arena.contest.lost_games import REPAIR, Finding
from arena.contest.retirement import Settled
from arena.report.facts import Facts, facts_of
from arena.report.files import FILES, ResultFiles, make_results
from arena.report.html.overview import contest_overview
from arena.report.html.report import PAGE_FILE, PAGES, REPORT, contest_chunks, is_paged
from arena.report.html.shell import Chunk, as_json, page
from arena.report.pseudonyms import FEEDBACK
from arena.settings.contest import Contest

# The contest's name in a file with games: the folder's name when it was written.
CALLED = re.compile(r'(?<=,"contest":)"(?:[^"\\]|\\.)*"')
CELL = 60  # Longest text of a cell in a finding.


def table_findings(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> Iterator[Finding]:
    """Yield findings for tables, pages and reports that do not match the games.

    Raises InputError, StorageError.
    """
    name = in_report(folder, "name") or folder.resolve().name
    results = make_results(folder, facts_of(folder, contest, settled, analyses), name)
    for file, what in _wrong(folder, results):
        to_do = [f"{REPAIR} writes what the journal gives"] if file in results.files else []
        if os.path.lexists(folder / file):
            to_do.append("sets aside what is there" if to_do else f"{REPAIR} sets it aside")
        yield Finding(file, what, ", and ".join(to_do))
    yield from _wrong_rounds(folder)
    yield from report_findings(folder, results.facts, name)


def _wrong_rounds(folder: Path) -> Iterator[Finding]:
    again = f"put it or {HISTORY} back from a backup; no other table depends on it"
    for placings in read_history(folder).rounds:
        name = f"{ROUNDS}/{placings[0].day}-{placings[0].round:03}/leaderboard.csv"
        try:
            text = (folder / name).read_text("utf-8") if (folder / name).is_file() else ""
            read = csv.DictReader(io.StringIO(text, newline=""))
            rows = [row for row in read if row.get("rank")]  # without excluded bots
        except (OSError, ValueError, csv.Error):
            rows = []
        wanted = [placing for placing in placings if not placing.refused]
        if not rows:
            yield Finding(name, "is missing or empty", again)
        elif [row.get("bot") for row in rows] != [placing.bot for placing in wanted]:
            yield Finding(name, f"has other bots than {HISTORY} for this round", again)
        else:
            for row, placing in zip(rows, wanted, strict=True):
                if column := _other_place(row, placing):
                    what = f"{placing.bot} has another {column} than in {HISTORY}"
                    yield Finding(name, what, again)


def _other_place(row: Mapping[str, str | None], placing: Placing) -> str:
    for column, value in asdict(placing).items():
        if (cell := row.get(column)) is not None:
            wanted = "" if value is None else value
            try:
                is_same = (float(cell) if isinstance(wanted, float) else cell) == (
                    wanted if isinstance(wanted, float) else str(wanted)
                )
            except ValueError:
                is_same = False
            if not is_same:
                return column
    return ""


def _wrong(folder: Path, results: ResultFiles) -> Iterator[tuple[str, str]]:
    for name, text in results.files.items():
        path = folder / name
        if not path.exists():
            yield name, "is missing"
        elif not path.is_file():
            yield name, "is not a file"
        elif (data := path.read_bytes()) != text.encode():
            found = data.decode("utf-8", "replace")
            if name.endswith(".json"):  # the folder may have been renamed
                found, text = (CALLED.sub("", each, count=1) for each in (found, text))
            compare = _other_cell if name.endswith(".csv") else _other_line
            if found != text and (what := compare(found, text)):
                yield name, what
    beside = folder / FEEDBACK
    for path in sorted({*beside.glob(page_name("*")), *beside.glob(games_name("*"))}):
        if f"{FEEDBACK}/{path.name}" not in results.files:
            what = "belongs to no bot of this contest"
            if path.match(games_name("*")):
                what += ", or to one whose page names no game"
            yield f"{FEEDBACK}/{path.name}", what
    for name in FILES:
        if name not in results.files and (folder / name).exists():
            yield name, "exists, but the journal has no data for it"


def _other_line(found: str, made: str) -> str:
    lines = zip_longest(found.splitlines(), made.splitlines())
    for number, (one, other) in enumerate(lines, 1):
        if one != other:
            return f"line {number} is not what the journal gives"
    return "is not what the journal gives"


def _other_cell(found: str, made: str) -> str:
    try:
        there = list(csv.reader(io.StringIO(found, newline="")))
    except csv.Error as error:
        return f"is no CSV file: {error}"
    wanted = list(csv.reader(io.StringIO(made, newline="")))
    if there[:1] != wanted[:1]:
        return "has other columns than this Arena writes"
    for line, (row, cells) in enumerate(zip(there[1:], wanted[1:], strict=False), 2):
        for column, cell, right in zip_longest(wanted[0], row, cells, fillvalue=""):
            if cell != right:
                shown, said = one_line(cell, CELL) or "empty", one_line(right, CELL) or "empty"
                return f"row {line}: {column or 'a further cell'} is {shown}, expected {said}"
    if len(there) != len(wanted):
        return f"has {counted(len(there) - 1, 'row')}, and the journal gives {len(wanted) - 1:,}"
    return ""


CHUNK = re.compile(r'<script type="application/x-arena" id="chunk-([a-z0-9-]+)">([^<]*)</script>')

# A chunk of a report in its own file: name, edition and data.
BESIDE = re.compile(r'Arena\.receive\("([^"]*)", "([^"]*)", "([^"]*)"\);\s*')
MOST = 256 << 20  # Bytes of the largest unpacked overview.
GZIP = 31  # zlib's number for gzip.
LONGEST_NAME = 255


def in_report(folder: Path, key: str) -> str:
    """Return the contest's `name` in the report, or Arena's version; "" if unknown."""
    overview = _overview(_chunks_in(folder / REPORT).get("overview", ""))
    said = overview["contest"].get(key) if overview else ""
    return said if isinstance(said, str) and len(said) <= LONGEST_NAME else ""


def report_findings(folder: Path, facts: Facts, name: str) -> Iterator[Finding]:
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
    overview = contest_overview(facts, name)
    edition = found.get("edition")
    made: dict[str, Any] = json.loads(as_json(overview))
    if what := _other_overview(found, made):
        yield Finding(REPORT, what, again)
        return
    table = overview["bots"]
    bare = page(name, (Chunk(each, None) for each in chunks), table=table, beside=PAGES * paged)
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
    return CHUNK.sub(r"\1", text)


def _other_overview(found: dict[str, Any], made: dict[str, Any]) -> str:
    """Return the first part that differs, or "". Time, version and edition may differ."""
    for part in dict.fromkeys([*made, *found]):
        one, other = found.get(part), made.get(part)
        if part == "contest" and one is not None:
            own = {"made", "arena"}
            one, other = ({key: of[key] for key in of.keys() - own} for of in (one, other or {}))
        if part != "edition" and one != other:
            return f"its part {part} is not what the journal gives"
    return ""


def _chunks_in(page: Path) -> dict[str, str]:
    try:
        text = page.read_text("utf-8", "replace") if page.is_file() else ""
    except OSError:
        return {}
    return dict(CHUNK.findall(text))


def _beside(path: Path, name: str, edition: object) -> str | None:
    try:
        found = BESIDE.fullmatch(path.read_text("utf-8", "replace")) if path.is_file() else None
    except OSError:
        return None
    return found[3] if found and (found[1], found[2]) == (name, edition) else None


def _overview(packed: str) -> dict[str, Any]:
    try:
        held = json.loads(_unpacked(packed, MOST))
    except (ValueError, RecursionError):
        return {}
    is_one = isinstance(held, dict) and isinstance(held.get("contest"), dict)
    return held if is_one else {}


def _unpacked(packed: str, most: int) -> bytes:
    """Return a chunk's data, cut after `most` + 1 bytes; none for an invalid chunk."""
    try:
        return zlib.decompressobj(GZIP).decompress(b64decode(packed, validate=True), most + 1)
    except (NoBase64Error, zlib.error, ValueError):
        return b""
