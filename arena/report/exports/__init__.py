"""The results of a contest in the formats of others: tables to publish, gradebooks to import.

A further format is a function from `CourseResults` and a `Form` to what it `Made`, in a module of
this package, and an entry of FORMATS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from arena.report.exports import canvas, github, gradescope, moodle, reports, tables
from arena.report.exports.gradebook import CourseResults, Form, Graded, Handout, Made, Place
from arena.report.exports.sheet import Sheet, read_sheet

__all__ = [
    "FORMATS",
    "CourseResults",
    "Form",
    "Format",
    "Graded",
    "Handout",
    "Made",
    "Place",
    "Sheet",
    "read_sheet",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format of an export."""

    make: Callable[[CourseResults, Form], Made]
    """The function that writes it. Raises InputError."""

    is_gradebook: bool = False
    """True if it is one of a course's system, and so of no use without names and grades."""

    takes_sheet: bool = False
    """True if the system's own file can be filled in."""

    in_folders: tuple[str, ...] = ()
    """For a format that is a folder of folders, how the names of the files in these end."""

    is_archive: bool = False
    """True if it is an archive."""


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "csv": Format(make=tables.make_csv),
        "json": Format(make=tables.make_json),
        "markdown": Format(make=tables.make_markdown),
        "latex": Format(make=tables.make_latex),
        "canvas": Format(make=canvas.GRADEBOOK.make, is_gradebook=True, takes_sheet=True),
        "moodle": Format(make=moodle.GRADEBOOK.make, is_gradebook=True, takes_sheet=True),
        "gradescope": Format(
            make=gradescope.make, is_gradebook=True, in_folders=(gradescope.FILE,)
        ),
        "github": Format(make=github.GRADEBOOK.make, is_gradebook=True, takes_sheet=True),
        "reports": Format(make=reports.make_folders, in_folders=reports.ENDINGS),
        "moodle-reports": Format(make=reports.make_moodle, is_archive=True),
        "canvas-reports": Format(make=reports.make_canvas, is_archive=True),
    }
)
"""The formats by the names that `arena export --to` knows."""
