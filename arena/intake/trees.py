"""Questions that the syntax trees of a whole submission answer, in a confined process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from arena.intake.archive import ArchiveFiles
from arena.intake.confined import confined
from arena.intake.entry_search import trees_of
from arena.intake.files import Files, FolderFiles, Watched, WithMore
from arena.intake.packed import PackedFiles
from arena.intake.submission import Submission


def of_trees(submission: Submission, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `function(trees, *arguments)`, given the syntax trees of a submission by file.

    The function is one of Arena's at the top of a module; arguments and result are JSON values.
    Raises OSError, and UnreadableError for what takes too much.
    """
    made: dict[str, str] = {}
    files = submission.contents
    if isinstance(files, WithMore):
        made = {name: data.decode() for name, data in files.more.items()}
        files = files.files
    where, names = _place(files)
    called = [function.__module__, function.__qualname__]
    return confined(
        ask_trees,
        *(called, os.path.abspath(where), names, made, list(arguments)),
        readable=[submission.source],
        modules=[function.__module__],
    )


def _place(files: Files) -> tuple[Path, list[str] | None]:
    """A folder and the names of files in it, or an archive and none."""
    if isinstance(files, PackedFiles):
        return files.path, None
    assert isinstance(files, FolderFiles)
    return files.folder, list(files.names)


def ask_trees(
    at: Callable[[str], None],
    called: Sequence[str],
    where: str,
    names: Sequence[str] | None,
    made: Mapping[str, str],
    arguments: Sequence[Any],
) -> Any:
    """Return what a function, by its module and its name, makes of a submission's trees."""
    module, name = called
    path = Path(where)
    files = ArchiveFiles(path) if names is None else FolderFiles(path, tuple(names))
    more = {file: text.encode() for file, text in made.items()}
    trees, _ = trees_of(Watched(WithMore(files, more), at), WithMore(files, more).names)
    return getattr(import_module(module), name)(trees, *arguments)
