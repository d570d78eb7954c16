"""Whose export something is, by the names in it alone: to say so where a bot was expected."""

from __future__ import annotations

from collections.abc import Iterable

from arena.intake.exports import canvas, gradescope, moodle
from arena.intake.exports.classroom import SUBMISSIONS
from arena.intake.files import IGNORED

MAX_LEVELS = 3
"""Folders around an export that are looked through."""

MIN_DIGITS = 3
"""Of the number of a file in Canvas; people number theirs with fewer."""


def guess_system(names: Iterable[str], around: str = "") -> str | None:
    """The system whose export has these names, None if none is known by them.

    Names are relative, with `/`, also at the end of a folder's; `around` is the folder's own name
    if GitHub Classroom's exports are to be known, which have no other mark.
    """
    inside = [name for name in names if _counts(name.split("/")[0])]
    for _ in range(MAX_LEVELS):
        tops = {name.split("/")[0] for name in inside}
        files = {name for name in inside if "/" not in name}
        if gradescope.METADATA in files:
            return "Gradescope"
        if _most(tops, sum(bool(moodle.NAMED.fullmatch(top)) for top in tops)):
            return "Moodle"
        if _is_canvas(tops, files):
            return "Canvas"
        prefix = around.removesuffix(SUBMISSIONS) + "-"
        if around.endswith(SUBMISSIONS) and not files and _all_begin(tops, prefix):
            return "GitHub Classroom"
        if files or len(tops) != 1:
            return None
        (around,) = tops
        inside = [name.removeprefix(f"{around}/") for name in inside]
        inside = [name for name in inside if name and _counts(name.split("/")[0])]
    return None


def _counts(top: str) -> bool:
    return not top.startswith(".") and top not in IGNORED and not top.endswith(".csv")


def _most(all_of_them: set[str], those: int) -> bool:
    return those * 2 > len(all_of_them)


def _is_canvas(tops: set[str], files: set[str]) -> bool:
    """Whether most are files of several people: a number that all share is a year or a course."""
    found = [canvas.HIDDEN.fullmatch(name) or canvas.NAMED.fullmatch(name) for name in files]
    named = [match for match in found if match and len(match["attachment"]) >= MIN_DIGITS]
    return _most(tops, len(named)) and len({match["user"] for match in named}) > 1


def _all_begin(tops: set[str], prefix: str) -> bool:
    return bool(tops) and all(top.startswith(prefix) for top in tops)
