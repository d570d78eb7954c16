"""No system at all: a folder with a file, a folder or an archive for each submission."""

from __future__ import annotations

from pathlib import Path

from arena.intake.exports.handin import Export, Handin, Person, Rows, is_too_much, taken
from arena.intake.files import NO_FILES, Files, FolderFiles, is_text, listing
from arena.intake.folders import QUIET, own_folder
from arena.naming import SOURCES, archive_stem, is_any_archive


def read(folder: Path, rows: Rows) -> Export | None:
    """The submissions in a folder, None if there are none. Raises OSError."""
    handins, left_out = [], []
    for child in listing(folder):
        if not is_text(child.name):
            left_out.append(f"{child.name} (its name is not valid UTF-8)")
        elif child.is_symlink():
            left_out.append(f"{child.name} (a symbolic link)")
        elif (what := own_folder(child)) is not None:
            left_out.append(f"{child.name} ({what})")
        elif child.is_dir():
            handins.append(_handin(child, child.name, *taken(child)))
        elif child.is_file() and (is_any_archive(child.name) or child.suffix in SOURCES):
            name = child.stem if child.suffix in SOURCES else archive_stem(child.name)
            if is_too_much([child]):
                handins.append(_handin(child, name, NO_FILES, "it is more than a bot may be"))
            else:
                handins.append(_handin(child, name, FolderFiles(folder, (child.name,)), None))
        elif child.suffix not in QUIET:
            left_out.append(f"{child.name} (not a .py, .ipynb, .zip, .tar.gz or folder)")
    if not handins:
        return None
    return Export(kind="folder", handins=tuple(handins), left_out=tuple(left_out))


def read_one(folder: Path) -> Export:
    """The one submission that all files of a folder belong to."""
    return Export(kind="folder", handins=(_handin(folder, folder.name, *taken(folder)),))


def _handin(path: Path, name: str, files: Files, problem: str | None) -> Handin:
    person = Person(name=name, key=path.name)
    return Handin(people=(person,), where=path.name, files=files, problem=problem)
