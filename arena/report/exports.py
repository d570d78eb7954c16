"""A contest's results in other formats: tables, gradebooks, reports to upload.

To add a format, write a function that takes `CourseResults` and a `Form` and returns `Made`, here
or in `arena.courses`, and add it to FORMATS.

Moodle imports an archive of *feedback files*, with a folder for each person, whom it finds by the
number in the folder's name. Canvas imports an archive like that of the submissions, and finds a
submission by the numbers of user and file in a file's name. Gradescope imports no files.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from arena.common.errors import InputError
from arena.common.names import plain_name, report_name
from arena.common.text import harmless_csv, one_line, some_of
from arena.courses import canvas, github, gradescope, moodle
from arena.courses.export import Person
from arena.courses.gradebook import (
    MOST_NAMED,
    CourseResults,
    Form,
    Graded,
    Handout,
    Made,
    about_people,
    folder_names,
)
from arena.report.mail import FIELDS, MAILS, MESSAGE, mail_fields, message, read_letter
from arena.report.published import PUBLISHED

# columns about people, which follow the leaderboard's
PERSONAL = ("name", "id", "e-mail", "group", "submitted", "late", "penalty")
PSEUDONYM = "pseudonym"  # column of a private table with a bot's published name

NARROW = (*PUBLISHED, "grade", "grade_error")  # columns that fit on a page

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
    return Made({"leaderboard.csv": _as_csv(*_rows(results))}, _remarks(results))


def make_json(results: CourseResults, form: Form) -> Made:
    columns, rows = _rows(results)
    plain = [{column: row.get(column) for column in columns} for row in rows]
    # `item` turns a numpy number into a Python number
    text = json.dumps(plain, indent=2, ensure_ascii=False, default=lambda each: each.item()) + "\n"
    return Made({"leaderboard.json": text.encode()}, _remarks(results))


def make_markdown(results: CourseResults, form: Form) -> Made:
    titles, *rows = [[cell.translate(MARKDOWN) for cell in row] for row in _table(results)]
    rules = ["---" if title == "bot" else "--:" for title in titles]
    lines = [f"| {' | '.join(row)} |" for row in (titles, rules, *rows)]
    return Made({"leaderboard.md": ("\n".join(lines) + "\n").encode()}, _remarks(results))


def make_latex(results: CourseResults, form: Form) -> Made:
    table = list(_table(results))
    layout = "".join("l" if title == "bot" else "r" for title in table[0])
    titles, *rows = (" & ".join(cell.translate(LATEX) for cell in row) + r" \\" for row in table)
    lines = [
        r"% needs \usepackage{booktabs}; names in other scripts need lualatex or xelatex",
        rf"\begin{{tabular}}{{{layout}}}",
        *(r"\toprule", titles, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"),
    ]
    return Made({"leaderboard.tex": ("\n".join(lines) + "\n").encode()}, _remarks(results))


def _as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> bytes:
    return harmless_csv(columns, ([row.get(each) for each in columns] for row in rows)).encode()


def _rows(results: CourseResults) -> tuple[list[str], Iterator[Mapping[str, object]]]:
    if results.is_published:
        return list(results.columns), (place.cells for place in results.places)
    has_pseudonyms = any(place.pseudonym for place in results.places)
    columns = [*results.columns, *([PSEUDONYM] if has_pseudonyms else [])]
    if not any(graded.is_listed for graded in results.people):
        return columns, ({**place.cells, PSEUDONYM: place.pseudonym} for place in results.places)
    return [*columns, *PERSONAL], _personal(results)


def _personal(results: CourseResults) -> Iterator[Mapping[str, object]]:
    placed = {place.bot for place in results.places}
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
        if person.bot in placed:
            owners.setdefault(person.bot, []).append(about)
        else:
            others.append(about)
    for place in results.places:
        for about in owners.get(place.bot, [{}]):
            yield {**place.cells, PSEUDONYM: place.pseudonym, **about}
    yield from others


def _remarks(results: CourseResults) -> Sequence[str]:
    return () if results.is_published else list(about_people(results))


def _table(results: CourseResults) -> Iterator[list[str]]:
    """Yield the titles, then the rows, of a table for people, without empty columns."""
    from arena.report.screen.leaderboard import COLUMNS  # pandas is slow to import

    filled = {
        column
        for column in results.columns
        if column in NARROW and any(place.cells[column] is not None for place in results.places)
    }
    columns = [column for column in COLUMNS if filled.issuperset(column.names)]
    yield [column.title for column in columns]
    written = (
        column.cells([place.cells[name] for name in column.names] for place in results.places)
        for column in columns
    )
    yield from map(list, zip(*written, strict=True))


ENDINGS = (".html", ".md", ".json")  # endings of a student's files
ZIP = "reports.zip"
CANVAS_FILE = "report.html"  # end of a report's name in Canvas's archive, after Canvas's own part
_INSTEAD = "--to reports writes a folder for each person"
_ORIGIN = "(Arena reads them in the folder of arena collect, if it was not moved)"


def make_folders(results: CourseResults, form: Form) -> Made:
    of_bot = {handout.bot: handout for handout in results.handouts()}
    files: dict[str, bytes] = {}
    for graded, folder in _folders(results, of_bot):
        files |= _inside(folder, of_bot[graded.person.bot])
    return Made(files, _about_others(results, of_bot))


def make_mail(results: CourseResults, form: Form) -> Made:
    """Write the folders of `make_folders`, messages to valid addresses, and MAILS.

    Raises InputError if nobody has an address.
    """
    letter = read_letter(form.template)
    of_bot = {handout.bot: handout for handout in results.handouts()}
    files: dict[str, bytes] = {}
    mails, unknown = [], []
    for graded, folder in _folders(results, of_bot):
        handout = of_bot[graded.person.bot]
        files |= _inside(folder, handout)
        fields = mail_fields(graded, results.contest, f"{folder}/{report_name(handout.bot)}")
        if fields is None:
            unknown.append(f"{graded.person.name} {graded.person.email}".strip())
        else:
            mails.append(fields)
            files[f"{folder}/{MESSAGE}"] = message(fields, letter, handout.report)
    if not mails:
        raise InputError(f"--to mail: nobody has a valid address; {_INSTEAD}")
    remarks = [*about_people(results), *_about_others(results, of_bot)]
    if unknown:
        remarks.append(f"no mail, as the address is missing or not valid: {_some(unknown)}")
    return Made(files | {MAILS: _as_csv(FIELDS, mails)}, remarks)


def make_moodle(results: CourseResults, form: Form) -> Made:
    """Write Moodle's archive of feedback files.

    Raises InputError if the archive would be empty.
    """
    of_bot = {handout.bot: handout for handout in results.handouts()}
    files: dict[str, bytes] = {}
    unknown = []
    for person in _with_bot(results, of_bot):
        identifier = person.id_in(moodle.NAME)
        if identifier.isascii() and identifier.isdecimal():
            name = plain_name(person.name).replace("_", " ").strip() or "student"
            files |= _inside(f"{name}_{identifier}_assignsubmission_file_", of_bot[person.bot])
        else:
            unknown.append(person.name)
    if unknown and not files:
        raise InputError(f"--to moodle-reports: nobody has a Moodle identifier; {_INSTEAD}")
    why = "they have no Moodle identifier"
    return _archive(files, _about_others(results, of_bot), unknown, why)


def make_canvas(results: CourseResults, form: Form) -> Made:
    """Write Canvas's archive of reports, each named like the file that was handed in.

    Canvas shows a report to the whole group. Raises InputError if the archive would be empty.
    """
    of_bot = {handout.bot: handout for handout in results.handouts()}
    files: dict[str, bytes] = {}
    unknown = []
    for bot, handout in of_bot.items():
        match = canvas.NAMED.fullmatch(handout.where) or canvas.HIDDEN.fullmatch(handout.where)
        if match is None:
            unknown.append(bot)
        else:
            start = handout.where[: match.start("file")]
            files[f"{start}{CANVAS_FILE}"] = handout.report.encode()
    if unknown and not files:
        raise InputError(
            f"--to canvas-reports: Canvas's names of the files are unknown {_ORIGIN}; {_INSTEAD}"
        )
    why = f"Canvas's names of their files are unknown {_ORIGIN}"
    made = _archive(files, _about_others(results, of_bot), unknown, why)
    saved = "Canvas names each report like the submitted file; ask students to save it as "
    return made._replace(remarks=[*made.remarks, saved + CANVAS_FILE]) if files else made


def _archive(
    files: Mapping[str, bytes], remarks: list[str], unknown: Iterable[str], why: str
) -> Made:
    """Return an archive of these files; a remark says `why` the `unknown` have none."""
    if unknown:
        remarks.append(f"not in the archive, as {why}: {_some(unknown)}")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return Made({ZIP: data.getvalue()}, remarks)


def _with_bot(results: CourseResults, of_bot: Mapping[str, Handout]) -> list[Person]:
    return [graded.person for graded in results.people if graded.person.bot in of_bot]


def _folders(results: CourseResults, of_bot: Mapping[str, Handout]) -> Iterator[tuple[Graded, str]]:
    people = [graded for graded in results.people if graded.person.bot in of_bot]
    return zip(people, folder_names(graded.person for graded in people), strict=True)


def _inside(folder: str, handout: Handout) -> dict[str, bytes]:
    return {f"{folder}/{name}": text.encode() for name, text in handout.files.items()}


def _about_others(results: CourseResults, of_bot: Mapping[str, Handout]) -> list[str]:
    none = [each.person.name for each in results.people if each.person.bot not in of_bot]
    return [f"no report, as they have no bot in the contest: {_some(none)}"] if none else []


def _some(names: Iterable[str]) -> str:
    return some_of([one_line(name, 60) for name in names], MOST_NAMED, "; ")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    make: Callable[[CourseResults, Form], Made]
    """Writes the export. Raises InputError."""

    is_gradebook: bool = False
    """True for a course system's gradebook, which needs names and grades."""

    takes_sheet: bool = False
    """True if Arena can fill in a gradebook file downloaded from the course system."""

    in_folders: tuple[str, ...] = ()
    """Endings of the files, if the format is a folder with folders."""

    is_archive: bool = False


FORMATS: Mapping[str, ExportFormat] = MappingProxyType(
    {
        "csv": ExportFormat(make=make_csv),
        "json": ExportFormat(make=make_json),
        "markdown": ExportFormat(make=make_markdown),
        "latex": ExportFormat(make=make_latex),
        "canvas": ExportFormat(make=canvas.GRADEBOOK.make, is_gradebook=True, takes_sheet=True),
        "moodle": ExportFormat(make=moodle.GRADEBOOK.make, is_gradebook=True, takes_sheet=True),
        "gradescope": ExportFormat(
            make=gradescope.make, is_gradebook=True, in_folders=(gradescope.FILE,)
        ),
        "github": ExportFormat(make=github.GRADEBOOK.make, is_gradebook=True, takes_sheet=True),
        "reports": ExportFormat(make=make_folders, in_folders=ENDINGS),
        "moodle-reports": ExportFormat(make=make_moodle, is_archive=True),
        "canvas-reports": ExportFormat(make=make_canvas, is_archive=True),
        "mail": ExportFormat(make=make_mail, in_folders=(*ENDINGS, ".eml", MAILS)),
    }
)
