"""Reports for students, where course systems take files for them: an archive to upload.

Moodle reads an archive of *feedback files* with a folder for each person, and finds the person by
the number in the folder's name, which it cuts at underscores. Canvas takes the archive of
submissions back, and finds the submission by the numbers of user and file in each file's name.
Gradescope takes no files. For all others there is a plain folder for each person.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping

from arena.contest import Person
from arena.errors import InputError
from arena.intake.exports import canvas, moodle
from arena.naming import plain_name
from arena.numbers import some
from arena.quoting import one_line
from arena.report.exports.gradebook import (
    MOST_NAMED,
    CourseResults,
    Form,
    Handout,
    Made,
    folder_names,
)

ENDINGS = (".html", ".md", ".json")
"""How the names of files for a student end."""

ZIP = "reports.zip"

CANVAS_FILE = "report.html"
"""What a report's name ends with in Canvas's archive; the rest is Canvas's own."""

_ELSE = "--to reports writes a folder for each person"
"""The way to hand out reports where no archive can be made."""

_TOLD = "(the folder that arena collect made tells it, where it was at the time)"


def make_folders(results: CourseResults, form: Form) -> Made:
    """Write a folder for each person with a bot, called like them, with the files in it."""
    of_bot = {handout.bot: handout for handout in results.handouts()}
    files: dict[str, bytes] = {}
    people = _with_bot(results, of_bot)
    for person, folder in zip(people, folder_names(people), strict=True):
        files |= _inside(folder, of_bot[person.bot])
    return Made(files, _about_others(results, of_bot))


def make_moodle(results: CourseResults, form: Form) -> Made:
    """Write Moodle's archive of feedback files. Raises InputError if nobody would be in it."""
    of_bot = {handout.bot: handout for handout in results.handouts()}
    said = _about_others(results, of_bot)
    files: dict[str, bytes] = {}
    unknown = []
    for person in _with_bot(results, of_bot):
        identifier = person.id_in(moodle.NAME)
        if not (identifier.isascii() and identifier.isdecimal()):
            unknown.append(person.name)
            continue
        name = plain_name(person.name).replace("_", " ").strip() or "student"
        files |= _inside(f"{name}_{identifier}_assignsubmission_file_", of_bot[person.bot])
    if unknown and not files:
        raise InputError(f"--to moodle-reports: nobody has a Moodle identifier; {_ELSE}")
    if unknown:
        said.append(f"not in the archive, as no Moodle identifier is known: {_some(unknown)}")
    return Made({ZIP: _zipped(files)}, said)


def make_canvas(results: CourseResults, form: Form) -> Made:
    """Write an archive for Canvas with each bot's report, called like a file that was handed in.

    Canvas shows it to everybody in a group. Raises InputError if no report would be in it.
    """
    handouts = tuple(results.handouts())
    said = _about_others(results, {handout.bot: handout for handout in handouts})
    files: dict[str, bytes] = {}
    unknown = []
    for handout in handouts:
        match = canvas.NAMED.fullmatch(handout.where) or canvas.HIDDEN.fullmatch(handout.where)
        if match is None:
            unknown.append(handout.bot)
            continue
        files[f"{handout.where[: match.start('file')]}{CANVAS_FILE}"] = handout.report.encode()
    if unknown and not files:
        raise InputError(
            f"--to canvas-reports: it is not known what Canvas called anybody's file {_TOLD}; "
            f"{_ELSE}"
        )
    if unknown:
        said.append(
            "not in the archive, as it is not known what Canvas called their files "
            f"{_TOLD}: {_some(unknown)}"
        )
    if files:
        said.append(
            "Canvas gives each report the name of the file that was handed in; tell students to "
            f"save it as {CANVAS_FILE}"
        )
    return Made({ZIP: _zipped(files)}, said)


def _with_bot(results: CourseResults, of_bot: Mapping[str, Handout]) -> list[Person]:
    return [graded.person for graded in results.people if graded.person.bot in of_bot]


def _inside(folder: str, handout: Handout) -> dict[str, bytes]:
    return {f"{folder}/{name}": text.encode() for name, text in handout.files.items()}


def _zipped(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def _about_others(results: CourseResults, of_bot: Mapping[str, Handout]) -> list[str]:
    none = [each.person.name for each in results.people if each.person.bot not in of_bot]
    return [f"no report, as no bot of theirs is in the contest: {_some(none)}"] if none else []


def _some(names: Iterable[str]) -> str:
    return some([one_line(name, 60) for name in names], MOST_NAMED, "; ")
