"""Whose export something is, by the names in it alone: to say so where a bot was expected."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from arena.errors import UnreadableError
from arena.intake.archive_members import names_in
from arena.intake.confined import confined
from arena.intake.exports import SYSTEMS
from arena.intake.files import is_junk
from arena.intake.folders import QUIET
from arena.naming import archive_stem, is_archive

MAX_LEVELS = 3
"""Folders around an export that are looked through."""


def guess_export(path: Path) -> str | None:
    """Return what a folder or an archive is as a download, by the names in it; None if none."""
    system = None
    if path.is_dir():
        system = guess_system(_names_below(path), archive_stem(path.name))
    elif is_archive(path.name):
        with suppress(UnreadableError, OSError):
            system = confined(guess_packed, os.path.abspath(path), readable=[path])
    known = [each.NAME for each in SYSTEMS]
    return f"an export of {system}" if system in known else None


def guess_packed(at: Callable[[str], None], path: str) -> str | None:
    """The system whose export an archive is, by the names in it."""
    return guess_system(names_in(Path(path)), archive_stem(Path(path).name))


def _names_below(folder: Path) -> list[str]:
    """Names in a folder, and if there is only a folder in it those in that, and so on."""
    names, around = [], ""
    for _ in range(MAX_LEVELS):
        try:
            inside = [child for child in (folder / around).iterdir() if _counts(child.name)]
        except OSError:
            break
        names += [f"{around}{child.name}{'/' * child.is_dir()}" for child in inside]
        loud = [child for child in inside if child.suffix not in QUIET]
        if len(loud) != 1 or not loud[0].is_dir():
            break
        around += f"{loud[0].name}/"
    return names


def guess_system(names: Iterable[str], around: str = "") -> str | None:
    """The system whose export has these names, None if none is known by them.

    Names are relative, with `/`, also at the end of a folder's; `around` is the folder's own name,
    by which alone GitHub Classroom's exports are known.
    """
    inside = [name for name in names if _counts(name.split("/")[0])]
    for _ in range(MAX_LEVELS):
        tops = {name.split("/")[0] for name in inside}
        files = {name for name in inside if "/" not in name}
        for system in SYSTEMS:
            if system.claims(tops, files, around):
                return system.NAME
        loud = {top for top in tops if PurePosixPath(top).suffix not in QUIET}
        if len(loud) != 1 or files & loud:
            return None
        (around,) = loud
        inside = [n.removeprefix(f"{around}/") for n in inside if n.startswith(f"{around}/")]
        inside = [name for name in inside if name and _counts(name.split("/")[0])]
    return None


def _counts(top: str) -> bool:
    return not is_junk(top) and not top.endswith(".csv")
