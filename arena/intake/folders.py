"""Decide whether a folder or archive holds one bot or several.

Every command reads paths this way, so a bot has the same files and name in all of them.
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
from arena.intake.hints import looks_like_bot
from arena.intake.notebook import MODULES, extract_bot, is_notebook
from arena.intake.reading import At
from arena.interfaces import (
    INTERFACES,
    NO_DESCRIPTIONS,
    Descriptions,
    Interfaces,
    find_entry,
    with_own,
)
from arena.interfaces.contract import course_modules
from arena.source.scopes import closure
from arena.source.trees import imported_names, parse

# Suffixes of files that are never a bot.
QUIET = (".md", ".txt", ".toml", ".csv", ".json", ".pdf", ".yml")
TOOLS = (".git", ".venv", ".ipynb_checkpoints")  # Folders of tools, which contain sources.

# Names of files and folders that accompany a program.
BESIDE = re.compile(
    "tests?|test_.*|.*_test|conftest|setup|docs?|data|assets|images?|img|logs?|models?|reports?"
    "|figures|static|resources|v?env|build|dist|notebooks?|old|backup|scripts|examples?",
    re.IGNORECASE,
)

# Suffixes of older copies of a file.
VERSION = r"([ _-]*(old|new|copy|backup|bak|orig(inal)?|final|fixed|draft|test|v?\d+|\(\d+\)))*"
MAX_FOLDERS = 8  # Folders with sources in one person's program; more are many people's.
MAX_TRIES = 5  # Bots that one person keeps in a folder; more are many people's.
MAX_SOURCES = 1000  # Sources that are searched, and modules that a source may import.
AT_ONCE = 25  # Sources searched in one process, within the limits of one submission.

# Files of a results folder; two of them identify such a folder.
OWN_FILES = frozenset(
    {
        *("contest.toml", "journal.sqlite", "openings.json", "pseudonyms.key", "rows.jsonl"),
        *("leaderboard.csv", "crosstable.csv", "tallies.csv", "arena.log", "arena.jsonl"),
    }
)

# Some of the folders in `bots/support`; together they identify it.
WITH_MODULES = frozenset({"make_move", "next_move", "pick_move", "player"})
AUTOGRADER = frozenset({"run_autograder", "setup.sh"})  # Files of an unpacked autograder.
A_CONTEST = "a results folder of Arena"
UNREADABLE = "/?"  # Ends the name of a folder that cannot be read.
MIN_CLASS = 3  # Fewest bots in an archive of many people's bots.


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderReading:
    is_one: bool
    why: str
    is_plain: bool = False
    """Whether no other reading is possible."""

    is_certain: bool = False
    """Whether the files prove that this is one bot, rather than only allow it."""

    below: str = ""
    """Path of a single inner folder that holds everything."""

    helpers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    imports: Sequence[str] = ()  # First parts of imported names, with those of course modules.
    is_bot: bool = False  # Whether it has an entry point.
    may_be_bot: bool = False  # Whether it is a bot or looks like a failed one.


_Look = Callable[[Sequence[str]], Mapping[str, _Source]]


def read_folder(folder: Path, own: Descriptions = NO_DESCRIPTIONS) -> FolderReading:
    """Decide whether a folder holds one bot or several. Raises OSError."""
    here = _innermost(folder)
    names: list[str] = []
    for child in visible(here):
        if child.is_file():
            names.append(child.name)
        elif child.is_dir():
            names += _code_in(child) or [f"{child.name}/"]
    reading = _read(names, partial(_looked_into, here, own), MIN_CLASS - 1)
    return replace(reading, below="" if here == folder else here.relative_to(folder).as_posix())


def holds_several(path: Path) -> bool:
    """Return True if an archive holds several bots. Raises OSError, UnreadableError."""
    return confined(read_archive, str(path.absolute()), readable=[path]) is True


def read_archive(at: At, path: str) -> bool:
    files = ArchiveFiles(Path(path))
    names, below = list(files.names), ""
    while len(tops := {name.split("/")[0] for name in names if not _is_quiet(name)}) == 1:
        (top,) = tops
        inside = [name[len(top) + 1 :] for name in names if name.startswith(f"{top}/")]
        if not inside:
            break
        names, below = inside, f"{below}{top}/"

    def look(wanted: Sequence[str]) -> dict[str, _Source]:
        return {name: _Source(*_shown(files, f"{below}{name}", INTERFACES)) for name in wanted}

    return not _read(names, look, MIN_CLASS).is_one


def visible(folder: Path) -> list[Path]:
    """Return the entries of a folder that may be bots, in order. Raises OSError."""
    found = [child for child in listing(folder) if is_text(child.name)]
    return [child for child in found if not child.is_symlink() and arena_folder(child) is None]


def arena_folder(path: Path) -> str | None:
    """Return words for the kind of folder that Arena wrote; None for others."""
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
        if names >= WITH_MODULES:
            return "modules that courses give to bots"
        folders = [child for child in children if child.is_dir()]
        kinds = {arena_folder(child) for child in folders}
    except OSError:
        return None
    return A_CONTEST if kinds == {A_CONTEST} else None


def hides_bot(path: Path) -> bool:
    name = path.name
    if not name.startswith(".") or name.startswith("._") or name in TOOLS or path.is_symlink():
        return False
    try:
        names = walk(path) if path.is_dir() else iter([name])
        return any(is_source(name) or is_any_archive(name) for name in names)
    except (OSError, UnreadableError):
        return True


def only_folder(folder: Path) -> Path | None:
    """Return the only folder here, apart from text files, or None. Raises OSError."""
    children = [child for child in visible(folder) if not _is_quiet(child.name)]
    return children[0] if len(children) == 1 and children[0].is_dir() else None


def _innermost(folder: Path) -> Path:
    while only := only_folder(folder):
        folder = only
    return folder


def only_archive(folder: Path) -> Path | None:
    """Return the only archive here, apart from text files, or None. Raises OSError."""
    children = [child for child in visible(_innermost(folder)) if not _is_quiet(child.name)]
    return children[0] if len(children) == 1 and is_archive(children[0].name) else None


def _read(names: Sequence[str], look: _Look, least: int) -> FolderReading:
    """Decide whether files are one bot, or `least` or more; `x/` is a folder without sources."""
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
    modules = [top for top in parts if top in sources and not sources[top].may_be_bot]
    helpers = [top for top in modules if _stem(top) in imported]
    why = "none of them imports another"
    return FolderReading(is_one=False, why=why, helpers=tuple(helpers))


def _candidates(
    look: _Look,
    parts: Mapping[str, Sequence[str]],
    folders: set[str],
    sources: Mapping[str, _Source],
) -> list[str]:
    """Return what may be separate bots. Beside a bot's file, folders must hold a bot."""

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
    preferred = next((name for name in PREFERRED_FILES if name in bots), None)
    if preferred and len(bots) <= MAX_TRIES:
        return f"{preferred} in it is a bot"
    stems = sorted((_stem(bot).casefold() for bot in bots), key=len)
    if len(bots) > 1 and all(re.fullmatch(re.escape(stems[0]) + VERSION, stem) for stem in stems):
        return f"its files are versions of {stems[0]}"
    tops = {_stem(top) for top in parts}
    for interface in INTERFACES:
        course = sorted(course_modules(interface) & tops)
        if len(course) > 1 and len(bots) <= MAX_TRIES:
            return f"it has modules of one homework, {course[0]} and {course[1]}"
    given = {top for top in sources if _is_course_module(top, sources)}
    groups = (_linked(bot, imports, given) for bot in bots)
    together = max(groups, key=len, default=set[str]())
    if len(together) > 1 and len(set(bots) - together) < len(together - given):
        return "its files import one another"
    return None


def _linked(start: str, imports: Mapping[str, frozenset[str]], given: set[str]) -> set[str]:
    # course modules connect no bots: they may lie beside the bots of many people
    def joined(top: str) -> Iterator[str]:
        for other in imports if top not in given else ():
            if _stem(other) in imports[top] or _stem(top) in imports[other]:
                yield other

    return set(closure([start], joined))


def _is_course_module(top: str, sources: Mapping[str, _Source]) -> bool:
    return not sources[top].is_bot and any(_stem(top) in course_modules(i) for i in INTERFACES)


def _looked_into(folder: Path, own: Descriptions, names: Sequence[str]) -> dict[str, _Source]:
    found: dict[str, _Source] = {}
    modules = MODULES if any(name.endswith(NOTEBOOK) for name in names) else ()
    pending = list(names)
    while pending:
        items = confined_items(
            *(look_into, str(folder.absolute()), pending[:AT_ONCE], dict(own)),
            readable=[folder],
            modules=modules,
        )
        try:
            for name, item in zip(pending[:AT_ONCE], items, strict=True):
                found[name] = _checked(item)
        except (UnreadableError, OSError, ValueError):
            if pending[0] not in found:  # the file had the whole time limit
                # reading the file as a bot reports why
                found[pending[0]] = _Source(may_be_bot=True)
        pending = [name for name in pending if name not in found]
    return found


def look_into(at: At, folder: str, names: Sequence[str], own: Descriptions) -> Iterator[list[Any]]:
    files = FolderFiles(Path(folder), tuple(names))
    for name in names:
        at(name)
        yield _shown(files, name, with_own(own))


def _shown(files: Files, name: str, known: Interfaces) -> list[Any]:
    try:
        data = files.read(name)
        if name.endswith(NOTEBOOK) or is_notebook(data):
            text = extract_bot(data, PurePosixPath(name).name, known).source
            is_bot = (
                bool(text.strip()) and find_entry(parse(text.encode(), name), known) is not None
            )
            return [[], is_bot, is_bot]
        tree = parse(data, name)
    except (UnreadableError, OSError):
        return [[], False, True]
    entry = find_entry(tree, known)
    imports = imported_names(tree)
    if entry is not None:
        return [sorted(imports | imported_stems({name: tree}, entry.interface)), True, True]
    return [sorted(imports), False, looks_like_bot(tree, known, files.names)]


def _checked(item: Any) -> _Source:
    match item:
        case [list(imports), bool(is_bot), bool(may_be_bot)]:
            return _Source(texts(imports, MAX_SOURCES, MAX_PATH), is_bot, may_be_bot)
    raise GarbledError


def _code_in(folder: Path) -> list[str]:
    try:
        found = [name for name in walk(folder) if _is_code(name)]
    except (UnreadableError, OSError):
        return [f"{folder.name}{UNREADABLE}"]  # reading the folder as a bot reports why
    return [f"{folder.name}/{name}" for name in found]


def _is_code(name: str) -> bool:
    return is_source(name) or is_any_archive(name)


def _is_quiet(name: str) -> bool:
    return PurePosixPath(name).suffix in QUIET and "/" not in name


def _stem(top: str) -> str:
    return PurePosixPath(top).stem if is_source(top) else top
