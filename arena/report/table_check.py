"""A contest's tables and pages against what its journal gives now."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

from arena.contest import Contest, GameAnalysis, Settled
from arena.contest.finding import REPAIR, Finding
from arena.contest.history import HISTORY, ROUNDS, Placing, read_history
from arena.naming import games_name, page_name
from arena.quoting import one_line
from arena.report.facts import facts_of
from arena.report.files import FILES, Results, results_of
from arena.report.pseudonyms import FEEDBACK
from arena.report.report_check import name_in, report_findings

CALLED = re.compile(r'(?<=,"contest":)"(?:[^"\\]|\\.)*"')
"""What a file with games calls its contest: the name that the folder had then."""

CELL = 60
"""Characters shown of a cell."""


def table_findings(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> Iterator[Finding]:
    """Yield which tables, pages and reports in a folder are not what these games give.

    Takes as long as making them. Raises InputError, StorageError.
    """
    name = name_in(folder) or folder.resolve().name
    results = results_of(folder, facts_of(folder, contest, settled, analyses), name)
    for file, what in _wrong(folder, results):
        to_do = [f"{REPAIR} writes what the journal gives"] if file in results.files else []
        if os.path.lexists(folder / file):
            to_do.append("sets aside what is there" if to_do else f"{REPAIR} sets it aside")
        yield Finding(file, what, ", and ".join(to_do))
    yield from _wrong_rounds(folder)
    yield from report_findings(folder, results.facts, name)


def _wrong_rounds(folder: Path) -> Iterator[Finding]:
    """Yield which leaderboards that a ladder kept are not what its history says of their rounds."""
    again = f"put it or {HISTORY} back from a backup; no other table depends on it"
    for placings in read_history(folder).rounds:
        name = f"{ROUNDS}/{placings[0].day}-{placings[0].round:03}/leaderboard.csv"
        try:
            text = (folder / name).read_text("utf-8") if (folder / name).is_file() else ""
            read = csv.DictReader(io.StringIO(text, newline=""))
            rows = [row for row in read if row.get("rank")]  # not those that were left out
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
    """Return the first column in which a row of a leaderboard differs from a placing; or ""."""
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


def _wrong(folder: Path, results: Results) -> Iterator[tuple[str, str]]:
    """Yield (file, what is wrong with it) of the tables and pages, but not of the report."""
    for name, text in results.files.items():
        path = folder / name
        if not path.exists():
            yield name, "is missing"
        elif not path.is_file():
            yield name, "is no file"
        elif (data := path.read_bytes()) != text.encode():
            found = data.decode("utf-8", "replace")
            if name.endswith(".json"):  # a folder that is renamed is as sound
                found, text = (CALLED.sub("", each, count=1) for each in (found, text))
            compare = _other_cell if name.endswith(".csv") else _other_line
            if found != text and (what := compare(found, text)):
                yield name, what
    pages = (path for name_of in (page_name, games_name) for path in _listed(folder, name_of("*")))
    for path in sorted(pages):
        if f"{FEEDBACK}/{path.name}" not in results.files:
            yield f"{FEEDBACK}/{path.name}", "is about no bot of this contest, or names no game"
    for name in FILES:
        if name not in results.files and (folder / name).exists():
            yield name, "is there, and the journal has nothing for it"


def _listed(folder: Path, pattern: str) -> Iterator[Path]:
    return (folder / FEEDBACK).glob(pattern)


def _other_line(found: str, made: str) -> str:
    """Return which line of a page is another one."""
    lines = zip_longest(found.splitlines(), made.splitlines())
    for number, (one, other) in enumerate(lines, 1):
        if one != other:
            return f"line {number} is not what the journal gives"
    return "is not what the journal gives"


def _other_cell(found: str, made: str) -> str:
    """Return which cell of a table is another one; empty if none is."""
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
                return f"row {line}: {column or 'a further cell'} is {shown}, and was to be {said}"
    if len(there) != len(wanted):
        return f"has {len(there) - 1:,} rows, and the journal gives {len(wanted) - 1:,}"
    return ""
