"""A folder or an archive is read as one bot or as several, by what lies in it.

Every command reads a path this way, so that a bot has the same files and the same name in all of
them. What lies in a folder of bots is one bot each, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from arena.common.errors import GarbledError, UnreadableError
from arena.common.names import NOTEBOOK, is_any_archive, is_archive, is_source
from arena.intake.archive import ArchiveFiles
from arena.intake.collected import COLLECTED
from arena.intake.confined import confined, confined_items, texts
from arena.intake.entry_search import PREFERRED_FILES, imported_stems
from arena.intake.files import MAX_PATH, Files, FolderFiles, is_text, listing, walk
from arena.intake.hints import may_be_meant
from arena.intake.notebook import MODULES, is_notebook, take_apart
from arena.interfaces import INTERFACES, find_entry, is_program, support
from arena.source.scopes import closure
from arena.source.trees import imported_names, parse

QUIET = (".md", ".txt", ".toml", ".csv", ".json", ".pdf", ".yml")
"""Files beside bots that nobody expects to be one."""

TOOLS = (".git", ".venv", ".ipynb_checkpoints")
"""Folders in which tools keep sources of their own."""

BESIDE = re.compile(
    "tests?|test_.*|.*_test|conftest|setup|docs?|data|assets|images?|img|logs?|models?|reports?"
    "|figures|static|resources|v?env|build|dist|notebooks?|old|backup|scripts|examples?",
    re.IGNORECASE,
)
"""Names of files and folders that programs have beside what they do."""

VERSION = r"([ _-]*(old|new|copy|backup|bak|orig(inal)?|final|fixed|draft|test|v?\d+|\(\d+\)))*"
"""What people add to a file's name when they keep an older one."""

MAX_FOLDERS = 8
"""Folders with sources that one person's program has; a folder with more holds a class."""

MAX_TRIES = 5
"""Bots that one person keeps beside the one that is handed in, with this one; a class has more."""

MAX_SOURCES = 1000
"""Sources that are looked into, and modules that one imports."""

AT_ONCE = 25
"""Sources that are looked into together, within the limits of one submission."""

OWN_FILES = frozenset(
    {
        *("contest.toml", "journal.sqlite", "openings.json", "pseudonyms.key", "rows.jsonl"),
        *("leaderboard.csv", "crosstable.csv", "tallies.csv", "arena.log", "arena.jsonl"),
    }
)
"""Files that Arena writes into a contest's folder. Two of them show that a folder is such a one."""

AUTOGRADER = frozenset({"run_autograder", "setup.sh"})
"""Files of an autograder, as it is unpacked."""

A_CONTEST = "a results folder of Arena"
"""What `own_folder` says of the folder of a contest or ladder, or of a part of it."""

UNREADABLE = "/?"
"""How the name of a folder that cannot be looked into ends."""

MIN_CLASS = 3
"""Bots in an archive that are no longer one person's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderReading:
    """The way in which a folder or an archive is read."""

    is_one: bool
    """Whether all of it is one bot."""

    why: str
    """What shows that, as a clause."""

    is_plain: bool = False
    """Whether nothing in it speaks for another reading."""

    is_certain: bool = False
    """Whether files in it show that it is one; else there is only nothing that speaks against."""

    below: str = ""
    """The only folder in it, relative to it, in which everything lies."""

    helpers: tuple[str, ...] = ()
    """Modules that lie beside several bots, are imported by these and are none."""


@dataclass(frozen=True, slots=True)
class _Source:
    imports: Sequence[str] = ()
    """First parts of the names of all modules that it imports, also by way of course modules."""

    is_bot: bool = False
    """Whether it has an entry point."""

    may_be_bot: bool = False
    """Whether it is a bot or was perhaps meant as one."""


_Look = Callable[[Sequence[str]], Mapping[str, _Source]]
"""Finds what files show, by their names."""


def read_folder(folder: Path) -> FolderReading:
    """Return how a folder is read. Raises OSError."""
    here = folder
    while only := only_folder(here):
        here = only
    names: list[str] = []
    for child in visible(here):
        if child.is_file():
            names.append(child.name)
        elif child.is_dir():
            names += _code_in(child) or [f"{child.name}/"]
    reading = _read(names, partial(_looked_into, here), MIN_CLASS - 1)
    return replace(reading, below="" if here == folder else str(here.relative_to(folder)))


def holds_several(path: Path) -> bool:
    """Return True if an archive holds several bots. Raises OSError, UnreadableError."""
    return confined(read_archive, str(path.absolute()), readable=[path]) is True


def read_archive(at: Callable[[str], None], path: str) -> bool:
    """Return True if an archive holds several bots; called in a confined process."""
    files = ArchiveFiles(Path(path))
    names, below = list(files.names), ""
    while len(tops := {name.split("/")[0] for name in names if not _is_quiet(name)}) == 1:
        (top,) = tops
        inside = [name[len(top) + 1 :] for name in names if name.startswith(f"{top}/")]
        if not inside:
            break
        names, below = inside, f"{below}{top}/"

    def look(wanted: Sequence[str]) -> dict[str, _Source]:
        return {name: _Source(*_shown(files, f"{below}{name}")) for name in wanted}

    return not _read(names, look, MIN_CLASS).is_one


def visible(folder: Path) -> list[Path]:
    """Return what counts in a folder, in order. Raises OSError."""
    return [
        child
        for child in listing(folder)
        if is_text(child.name) and not child.is_symlink() and own_folder(child) is None
    ]


def own_folder(path: Path) -> str | None:
    """Return what a folder is that Arena wrote itself; None for others, and any with a source."""
    if path.is_symlink() or not path.is_dir():
        return None
    if (path / COLLECTED).is_file():
        return "submissions that were collected; name this folder itself"
    try:
        children = listing(path)
        names = {child.name for child in children}
        if any(map(_is_code, names)):
            return None
        if len(OWN_FILES & names) > 1:
            return A_CONTEST
        if names >= AUTOGRADER:
            return "an autograder of Arena"
        folders = [child for child in children if child.is_dir()]
        kinds = {own_folder(child) for child in folders}
    except OSError:
        return None
    return A_CONTEST if kinds == {A_CONTEST} else None


def hides_bot(path: Path) -> bool:
    """Return True for a bot's file, or a folder with one, that does not count for its name."""
    name = path.name
    if not name.startswith(".") or name.startswith("._") or name in TOOLS or path.is_symlink():
        return False
    try:
        names = walk(path) if path.is_dir() else iter([name])
        return any(is_source(name) or is_any_archive(name) for name in names)
    except (OSError, UnreadableError):
        return True


def only_folder(folder: Path) -> Path | None:
    """The folder that is all there is in another, but for notes. Raises OSError."""
    children = [child for child in visible(folder) if not _is_quiet(child.name)]
    return children[0] if len(children) == 1 and children[0].is_dir() else None


def only_archive(folder: Path) -> Path | None:
    """The archive that is all there is in a folder, but for notes. Raises OSError."""
    here = folder
    while only := only_folder(here):
        here = only
    children = [child for child in visible(here) if not _is_quiet(child.name)]
    return children[0] if len(children) == 1 and is_archive(children[0].name) else None


def _read(names: Sequence[str], look: _Look, least: int) -> FolderReading:
    """Return how files are read: as several bots if there are `least`; `x/` has no sources."""
    parts: dict[str, list[str]] = {}
    for name in names:
        parts.setdefault(name.split("/")[0], []).append(name)
    folders = {top for top, inner in parts.items() if inner != [top]}
    if "__init__.py" in parts:
        return FolderReading(is_one=True, why="it is a package")
    if sum(inner[0] != f"{top}/" for top, inner in parts.items() if top in folders) > MAX_FOLDERS:
        return FolderReading(is_one=False, why="it holds many folders", is_plain=True)
    sources = look([name for name in names if name.endswith(".py")][:MAX_SOURCES])
    bots = _candidates(look, parts, folders, sources)
    imports = {
        top: frozenset[str]().union(*(sources[name].imports for name in inner if name in sources))
        for top, inner in parts.items()
    }
    why = _why_one(bots, parts, sources, imports)
    if why is not None or len(bots) < least:
        is_plain = sum(is_source(name) for name in names) <= 1
        return FolderReading(
            is_one=True,
            why=why or "nothing else in it can be a bot",
            is_plain=is_plain,
            is_certain=why is not None,
        )
    imported = frozenset[str]().union(*imports.values())
    helpers = [
        top
        for top in parts
        if top in sources and not sources[top].may_be_bot and _stem(top) in imported
    ]
    why = "none of them imports another"
    return FolderReading(is_one=False, why=why, helpers=tuple(helpers))


def _candidates(
    look: _Look,
    parts: Mapping[str, Sequence[str]],
    folders: set[str],
    sources: Mapping[str, _Source],
) -> list[str]:
    """Return the files and folders that may be bots of their own.

    Beside a file with a bot a folder or a notebook is one only if it has a bot, too: programs have
    folders, and people keep notes in notebooks.
    """

    def is_loose(top: str) -> bool:
        if top not in sources:
            return is_any_archive(top)
        is_beside = _is_course_module(top, sources) or BESIDE.fullmatch(_stem(top))
        return sources[top].is_bot or (sources[top].may_be_bot and not is_beside)

    loose = [top for top in parts if top not in folders and is_loose(top)]
    notebooks = [top for top in parts if top.endswith(NOTEBOOK) and top not in folders]
    if loose:
        shown = look(notebooks)
        notebooks = [name for name in notebooks if shown[name].may_be_bot]
    is_anchored = any(top in sources for top in loose) or bool(notebooks)
    with_bots = [
        top
        for top in folders
        if not is_anchored
        or any(name.endswith((NOTEBOOK, UNREADABLE)) for name in parts[top])
        or any(name in sources and sources[name].may_be_bot for name in parts[top])
    ]
    return [*loose, *notebooks, *(top for top in with_bots if not BESIDE.fullmatch(top))]


def _why_one(
    bots: Sequence[str],
    parts: Mapping[str, Sequence[str]],
    sources: Mapping[str, _Source],
    imports: Mapping[str, frozenset[str]],
) -> str | None:
    """Return what shows that several that may be bots belong to one; None if nothing does."""
    preferred = next((name for name in PREFERRED_FILES if name in bots), None)
    if preferred and len(bots) <= MAX_TRIES:
        return f"{preferred} in it is a bot"
    stems = sorted((_stem(bot).casefold() for bot in bots), key=len)
    if len(bots) > 1 and all(re.fullmatch(re.escape(stems[0]) + VERSION, stem) for stem in stems):
        return f"its files are versions of {stems[0]}"
    tops = {_stem(top) for top in parts}
    for interface in INTERFACES:
        course = sorted(support.modules(interface) & tops)
        if len(course) > 1 and len(bots) <= MAX_TRIES:
            return f"it has modules of one homework, {course[0]} and {course[1]}"
    course_modules = {top for top in sources if _is_course_module(top, sources)}
    together = max(
        (_linked(bot, imports, course_modules) for bot in bots), key=len, default=set[str]()
    )
    if len(together) > 1 and len(set(bots) - together) < len(together - course_modules):
        return "its files import one another"
    return None


def _linked(
    start: str, imports: Mapping[str, frozenset[str]], course_modules: set[str]
) -> set[str]:
    # modules of the course join nobody: they may lie beside the bots of a class
    def joined(top: str) -> Iterator[str]:
        for other in imports if top not in course_modules else ():
            if _stem(other) in imports[top] or _stem(top) in imports[other]:
                yield other

    return set(closure([start], joined))


def _is_course_module(top: str, sources: Mapping[str, _Source]) -> bool:
    """Return True for a module that a course hands out, and no bot."""
    return not sources[top].is_bot and any(_stem(top) in support.modules(i) for i in INTERFACES)


def _looked_into(folder: Path, names: Sequence[str]) -> dict[str, _Source]:
    """Return what files in a folder show, by name; one that cannot be read may be a bot."""
    found: dict[str, _Source] = {}
    modules = MODULES if any(name.endswith(NOTEBOOK) for name in names) else ()
    pending = list(names)
    while pending:
        items = confined_items(
            look_into, str(folder.absolute()), pending[:AT_ONCE], readable=[folder], modules=modules
        )
        try:
            for name, item in zip(pending[:AT_ONCE], items, strict=True):
                found[name] = _checked(item)
        except (UnreadableError, OSError, ValueError):
            if pending[0] not in found:  # it had all the time that there is for itself
                found[pending[0]] = _Source(may_be_bot=True)  # reading it as a bot says why
        pending = [name for name in pending if name not in found]
    return found


def look_into(at: Callable[[str], None], folder: str, names: Sequence[str]) -> Iterator[list[Any]]:
    """Yield what each file shows, as the fields of a `_Source`; called in a confined process."""
    files = FolderFiles(Path(folder), tuple(names))
    for name in names:
        at(name)
        yield _shown(files, name)


def _shown(files: Files, name: str) -> list[Any]:
    """Return what a file shows, as the fields of a `_Source`."""
    try:
        data = files.read(name)
        if name.endswith(NOTEBOOK) or is_notebook(data):
            text = take_apart(data, PurePosixPath(name).name).source
            is_bot = bool(text.strip()) and find_entry(parse(text.encode(), name)) is not None
            return [[], is_bot, is_bot]
        tree = parse(data, name)
    except (UnreadableError, OSError):
        return [[], False, True]
    entry = find_entry(tree)
    imports = imported_names(tree)
    if entry is not None:
        return [sorted(imports | imported_stems({name: tree}, entry.interface)), True, True]
    kinds = [kind for kind in INTERFACES if not is_program(kind)]
    return [sorted(imports), False, may_be_meant(tree, kinds, files.names)]


def _checked(item: Any) -> _Source:
    """Return what a confined process found in a file. Raises GarbledError for what cannot be."""
    match item:
        case [list(imports), bool(is_bot), bool(may_be_bot)]:
            return _Source(texts(imports, MAX_SOURCES, MAX_PATH), is_bot, may_be_bot)
    raise GarbledError


def _code_in(folder: Path) -> list[str]:
    """Names of the sources and archives in a folder, relative to the one around it."""
    try:
        found = [name for name in walk(folder) if _is_code(name)]
    except (UnreadableError, OSError):
        return [f"{folder.name}{UNREADABLE}"]  # reading it as a bot says why
    return [f"{folder.name}/{name}" for name in found]


def _is_code(name: str) -> bool:
    return is_source(name) or is_any_archive(name)


def _is_quiet(name: str) -> bool:
    return PurePosixPath(name).suffix in QUIET and "/" not in name


def _stem(top: str) -> str:
    """Return the name by which a file or folder is imported."""
    return PurePosixPath(top).stem if is_source(top) else top
