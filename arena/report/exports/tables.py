"""The leaderboard as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from arena.quoting import harmless_cell
from arena.report.exports.gradebook import CourseResults, Form, Made, about_people

if TYPE_CHECKING:
    from arena.report.tables import Column

PERSONAL = ("name", "id", "e-mail", "group", "submitted", "late", "penalty")
"""Columns about people, behind those of the leaderboard."""

PSEUDONYM = "pseudonym"
"""Column with a bot's name in what is published, of a table that is not."""

NARROW = (
    *("rank", "rank_low", "rank_high", "bot", "points", "games", "wins", "draws", "losses"),
    *("forfeits", "rating", "rating_low", "rating_high", "grade"),
)
"""Columns of the leaderboard that a page has room for."""

MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>()#+-.!|~&$^="})

LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        "–": "--",
        **{mark: f"${mark}$" for mark in "<>|"},
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    }
)


def make_csv(results: CourseResults, form: Form) -> Made:
    """Write a row for each person with a bot, or for each bot; then those without a place."""
    columns, rows = _rows(results)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        cells = [row.get(column) for column in columns]
        writer.writerow(harmless_cell(cell) if isinstance(cell, str) else cell for cell in cells)
    return Made({"leaderboard.csv": text.getvalue().encode()}, _said(results))


def make_json(results: CourseResults, form: Form) -> Made:
    """Write the rows of the CSV file as a list of objects."""
    columns, rows = _rows(results)
    plain = [{column: row.get(column) for column in columns} for row in rows]
    # numpy's numbers become Python's own
    text = json.dumps(plain, indent=2, ensure_ascii=False, default=lambda each: each.item()) + "\n"
    return Made({"leaderboard.json": text.encode()}, _said(results))


def make_markdown(results: CourseResults, form: Form) -> Made:
    """Write the leaderboard as a table of Markdown."""
    columns = _narrow(results)
    lines = [
        _piped([column.title.translate(MARKDOWN) for column in columns]),
        _piped(["---" if column.title == "bot" else "--:" for column in columns]),
    ]
    lines += [_piped([cell.translate(MARKDOWN) for cell in row]) for row in _cells(results)]
    return Made({"leaderboard.md": ("\n".join(lines) + "\n").encode()}, _said(results))


def make_latex(results: CourseResults, form: Form) -> Made:
    """Write the leaderboard as a tabular, with the rules of the package booktabs."""
    columns = _narrow(results)
    layout = "".join("l" if column.title == "bot" else "r" for column in columns)
    lines = [
        r"% needs \usepackage{booktabs}; names in other scripts need lualatex or xelatex",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        _ampersands([column.title for column in columns]),
        r"\midrule",
        *map(_ampersands, _cells(results)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return Made({"leaderboard.tex": ("\n".join(lines) + "\n").encode()}, _said(results))


def _rows(results: CourseResults) -> tuple[list[str], Iterator[Mapping[str, object]]]:
    """Return the columns and rows of a table that programs read."""
    if results.is_published:
        return list(results.columns), (place.cells for place in results.places)
    has_pseudonyms = any(place.pseudonym for place in results.places)
    columns = [*results.columns, *([PSEUDONYM] if has_pseudonyms else [])]
    if not any(graded.is_listed for graded in results.people):
        return columns, ({**place.cells, PSEUDONYM: place.pseudonym} for place in results.places)
    return [*columns, *PERSONAL], _personal(results)


def _personal(results: CourseResults) -> Iterator[Mapping[str, object]]:
    """Yield a row for each member of a bot's group, then one for each person without a place."""
    there = {place.bot for place in results.places}
    owners: dict[str, list[dict[str, object]]] = {}
    others = []
    for graded in results.people:
        person = graded.person
        about: dict[str, object] = {"bot": person.bot or None}
        if graded.is_listed:
            late = None if person.late is None else "yes" if person.late else "no"
            facts = (person.name, person.id, person.email, person.group, person.submitted)
            about.update(zip(PERSONAL, (*facts, late, person.penalty), strict=True))
        grade = graded.grade
        about["grade"] = int(grade) if grade is not None and grade.is_integer() else grade
        if person.bot in there:
            owners.setdefault(person.bot, []).append(about)
        else:
            others.append(about)
    for place in results.places:
        for about in owners.get(place.bot, [{}]):
            yield {**place.cells, PSEUDONYM: place.pseudonym, **about}
    yield from others


def _said(results: CourseResults) -> Sequence[str]:
    return () if results.is_published else list(about_people(results))


def _narrow(results: CourseResults) -> list[Column]:
    """Return the columns of a table that people read; one in which nothing stands is left out."""
    from arena.report.tables import COLUMNS  # pandas takes a while

    filled = {
        column
        for column in results.columns
        if column in NARROW and any(place.cells[column] is not None for place in results.places)
    }
    return [column for column in COLUMNS if filled.issuperset(column.names)]


def _cells(results: CourseResults) -> Iterator[list[str]]:
    columns = _narrow(results)
    for place in results.places:
        row = ((column, [place.cells[name] for name in column.names]) for column in columns)
        # empty if something of it is missing
        yield ["" if None in values else column.write(*values) for column, values in row]


def _piped(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(cell.translate(LATEX) for cell in cells) + r" \\"
