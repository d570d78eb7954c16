"""One submission: its files, its hash and its entry point."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from arena.common.errors import GarbledError, UnreadableError
from arena.common.files import new_folder
from arena.common.names import (
    NOTEBOOK,
    PYTHON,
    default_name,
    is_any_archive,
    is_notebook_module,
    is_source,
    notebook_of,
)
from arena.common.text import one_line, some_of
from arena.intake.archive import PackedFiles, is_safe_path
from arena.intake.confined import confined, text, texts
from arena.intake.entry_search import MAX_NAME, EntryFacts, FoundEntry, describe, entry_of_overrides
from arena.intake.files import (
    MAX_BYTES,
    MAX_PATH,
    NO_FILES,
    Files,
    FolderFiles,
    WithMore,
    content_hash,
    folder_files,
    holds,
    write_files,
)
from arena.intake.notebook import MODULES
from arena.intake.programs import HEAD_BYTES, heading, is_program, quoted
from arena.interfaces import (
    INTERFACES,
    NO_DESCRIPTIONS,
    Descriptions,
    EntryPoint,
    Interfaces,
    Overrides,
    entry_point,
    with_own,
)
from arena.source.trees import MAX_SOURCE

HASH = 16  # Hexadecimal digits.
# Limits of a confined process's answer: items of a list, characters of a sentence.
MAX_ITEMS = 2000
MAX_SENTENCE = 4000
NAMED = 3  # Files that a sentence names; the others are counted.


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission(EntryFacts):
    name: str
    source: Path
    contents: Files = NO_FILES
    content_hash: str
    """16 hexadecimal digits over the names and bytes of its files."""

    house: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        return self.contents.names

    @property
    def file_as_known(self) -> str:
        """The file to enter, as its author knows it: the notebook for a notebook's module."""
        file = self.entry_point.file
        if not is_notebook_module(file):
            return file
        notebook = notebook_of(file)
        # otherwise a notebook was handed in as X.py
        return notebook if notebook in self.files else f"{notebook.removesuffix(NOTEBOOK)}{PYTHON}"

    @property
    def problem(self) -> str | None:
        """Why the bot cannot play, with the setting that would help, or None."""
        if self.reason is None or not self.settings:
            return self.reason
        return one_line(f"{self.reason}: below {heading(self.name)} write {self.settings}")

    @property
    def choice(self) -> str | None:
        if not self.others:
            return None
        return one_line(
            f"{self.file_as_known} plays, and {some_of(self.others, NAMED)} could also "
            f"be the bot: below {heading(self.name)} the contest file can say "
            f"file = {quoted(self.others[0])}",
            MAX_SENTENCE,
        )

    def copy_to(self, folder: Path) -> None:
        """Copy all files or none into `folder`, unless it has them. Raises OSError."""
        if holds(folder, self.content_hash):
            return
        with new_folder(folder) as new:
            write_files(self.contents, new)


def read_submission(
    source: Path, overrides: Overrides | None = None, own: Descriptions = NO_DESCRIPTIONS
) -> Submission:
    """Read a file, folder or archive as one bot, without running it.

    A confined process reads the files. `overrides` replace what is found. Raises OSError; anything
    wrong with the bot becomes its `problem`.
    """
    look = partial(confined, describe, readable=[source])
    return _read(source, look, overrides or Overrides(), own)


def read_own(source: Path) -> Submission:
    """Read a bot that comes with Arena, without a confined process. Raises OSError."""

    def look(*arguments: Any, modules: object) -> Any:
        return json.loads(json.dumps(describe(lambda name: None, *arguments)))

    return _read(source, look, Overrides(), NO_DESCRIPTIONS)


def _read(
    source: Path, look: Callable[..., Any], overrides: Overrides, own: Descriptions
) -> Submission:
    found = FoundEntry(entry_point=entry_of_overrides(overrides))
    # option values may not be JSON, and `describe` does not need them
    named = replace(overrides, options=dict.fromkeys(overrides.options))
    files: Files = NO_FILES
    identity = None
    try:
        loose, packed = _open(source)
        files = loose or NO_FILES
        where = os.path.abspath(loose.folder if loose else packed)
        names = list(loose.names) if loose else None
        notebooks = names is None or any(name.endswith(NOTEBOOK) for name in names)
        modules = MODULES if notebooks else ()
        facts = look(where, names, default_name(source), asdict(named), dict(own), modules=modules)
        if loose is None:
            files = PackedFiles(packed, facts.get("names"), facts.get("executables"))
            identity = text(facts.get("content_hash"), HASH)
        found = checked(facts, files, with_own(own))
        if packed != source:
            note = f"its files are those in {packed.relative_to(source)}"
            found = replace(found, notes=(note, *found.notes))
    except UnreadableError as error:
        found = replace(found, reason=one_line(str(error)), settings=error.settings)
    if found.made is not None:
        files = WithMore(files, {found.entry_point.file: found.made.encode()})
    return Submission(
        name=default_name(source),
        source=source,
        contents=files,
        content_hash=identity or content_hash(files),
        **{fact.name: getattr(found, fact.name) for fact in fields(EntryFacts)},
    )


def _open(source: Path) -> tuple[FolderFiles | None, Path]:
    """Return the files (None for an archive), and the path of the folder or archive."""
    if source.is_dir():
        loose = folder_files(source)
        packed = _only_archive(loose)
        return (loose, source) if packed is None else (None, source / packed)
    size = source.stat().st_size
    if size > MAX_BYTES:
        raise UnreadableError(f"{source.name} is {size >> 20} MB long, more than a bot may be")
    if not os.access(source, os.R_OK):
        raise UnreadableError(f"{source.name} cannot be read")
    if is_any_archive(source.name):
        return None, source
    return FolderFiles(source.parent, (source.name,)), source


def _only_archive(files: Files) -> str | None:
    packed = [name for name in files.names if is_any_archive(name)]
    others = (name for name in files.names if name not in packed)
    has_bot = len(packed) != 1 or any(
        is_source(name) or is_program(name, files.read(name)[:HEAD_BYTES]) for name in others
    )
    return None if has_bot else packed[0]


def checked(facts: Any, files: Files, interfaces: Interfaces = INTERFACES) -> FoundEntry:
    """Return the confined process's answer as a FoundEntry. Raises GarbledError."""
    point = facts.get("entry_point") if isinstance(facts, dict) else None
    if not isinstance(point, dict) or point.get("interface") not in ("", *interfaces):
        raise GarbledError
    entered = EntryPoint()
    if point["interface"]:
        entered = entry_point(interfaces[point["interface"]], text(point.get("name"), MAX_NAME))
    made, reason, parameters = (facts.get(name) for name in ("made", "reason", "parameters"))
    sources = files.names if made is None else (*files.names, str(point.get("file")))
    found = FoundEntry(
        entry_point=replace(entered, file=text(point.get("file"), MAX_PATH)),
        made=None if made is None else text(made, 2 * MAX_SOURCE),
        support=texts(facts.get("support"), MAX_ITEMS, MAX_NAME),
        parameters=None if parameters is None else texts(parameters, MAX_ITEMS, MAX_NAME),
        imports=dict(_places(facts.get("imports"), sources)),
        likeness=text(facts.get("likeness"), HASH),
        others=texts(facts.get("others"), MAX_ITEMS, MAX_PATH),
        notes=texts(facts.get("notes"), MAX_ITEMS, MAX_SENTENCE),
        reason=None if reason is None else one_line(text(reason, MAX_SENTENCE)),
        settings=one_line(text(facts.get("settings"), MAX_SENTENCE)),
    )
    entry = found.entry_point
    known = (*files.names, "") if found.made is None else (entry.file,)
    if found.made is not None and not is_safe_path(entry.file):
        raise GarbledError
    if found.reason is None and (entry.interface not in interfaces or entry.file not in known):
        raise GarbledError
    return found


def _places(found: object, files: Sequence[str]) -> Iterator[tuple[str, tuple[str, int, bool]]]:
    for name, place in found.items() if isinstance(found, dict) else ():
        match place:
            case [str(file), int(line), bool(at_load)] if file in files:
                yield text(name, MAX_NAME), (file, line, at_load)
            case _:
                raise GarbledError
