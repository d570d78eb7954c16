"""One submission: its files, what identifies it, and where to enter it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.intake.source import Unreadable, imported_names, parse
from arena.interfaces import INTERFACES, Entry, find_entry
from arena.quoting import one_line

IGNORED = ("__pycache__", "__MACOSX", "Thumbs.db")
MAX_FILES = 2000
MAX_BYTES = 64 << 20
"""Files and bytes of the largest submission that is copied into a contest."""

MAX_PATH = 500
"""Characters of the longest path in a submission's folder; a contest's own comes before it."""

MAX_NAME = 200
"""Characters of the longest name of a class or function that is entered."""

PREFERRED_FILES = ("bot.py", "main.py", "player.py")
"""Which file to enter if several could be the bot, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A bot as it was handed in."""

    name: str
    """What tables call it."""

    source: Path
    """The file or folder it was read from."""

    files: tuple[str, ...]
    """Its files, relative to `source` if that is a folder."""

    content_hash: str
    """16 hexadecimal digits over the names and bytes of its files."""

    file: str = ""
    """The file to enter."""

    interface: str = ""
    """Name of its interface."""

    entry: str = ""
    """Class or function to enter."""

    problem: str | None = None
    """Why it cannot play, if that is plain already; a clause for its author to read."""

    def copy_to(self, folder: Path) -> None:
        """Copy its files below `folder`, all or nothing; a folder that is there is kept."""
        if folder.exists():
            return
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        base = self.source if self.source.is_dir() else self.source.parent
        for name in self.files:
            target = partial / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(base / name, target)
        partial.mkdir(parents=True, exist_ok=True)
        partial.rename(folder)


def read_submission(
    source: Path,
    *,
    file: str | None = None,
    interface: str | None = None,
    entry: str | None = None,
) -> Submission:
    """Read a `.py` file or a folder as one bot, running nothing; the names override what is found.

    Raises OSError if a file cannot be read. Everything wrong with the bot itself is its
    `problem`.
    """
    base, files, problem = _files(source)
    content_hash = _content_hash(base, files)
    name = source.stem if source.is_file() else source.name
    found = file or "", Entry(interface or "", entry or "")
    if problem is None:
        try:
            found = _enter(base, files, name, file, interface, entry)
        except Unreadable as error:
            problem = one_line(str(error))
    return Submission(
        name=name,
        source=source,
        files=files,
        content_hash=content_hash,
        file=found[0],
        interface=found[1].interface,
        entry=found[1].name,
        problem=problem,
    )


def is_one_bot(folder: Path) -> bool:
    """Whether a folder is one bot with helper files, and not a folder of bots.

    It is if one file has an entry point and all the others are imported from there.
    """
    found = (path for path in sorted(folder.glob("*.py")) if not path.is_symlink())
    sources = {path.stem: path for path in found if path.is_file()}
    trees = {}
    for stem, path in sources.items():
        try:
            trees[stem] = parse(path)
        except Unreadable:
            return False
    entries = [stem for stem, tree in trees.items() if find_entry(tree) is not None]
    if len(sources) < 2 or len(entries) != 1:
        return False
    reached, pending = set(), entries
    while pending:
        stem = pending.pop()
        if stem not in reached and stem in trees:
            reached.add(stem)
            pending.extend(imported_names(trees[stem]))
    return reached == set(sources)


def walk(folder: Path) -> Iterator[str]:
    """Names of the files in a folder that count, relative to it, in order; nothing hidden, no link.

    Raises Unreadable for a tree that no student grew, OSError if it cannot be looked into.
    """
    pending = [""]
    while pending:
        below = pending.pop()
        names = sorted(entry.name for entry in os.scandir(folder / below))
        for name in names:
            path = folder / below / name
            relative = os.path.join(below, name)
            if name.startswith(".") or name in IGNORED or not is_text(name) or path.is_symlink():
                continue
            if len(relative) > MAX_PATH:
                raise Unreadable(f"a path in its folder is longer than {MAX_PATH} characters")
            if path.is_dir():
                pending.append(relative)
            elif path.is_file():
                yield relative


def _files(source: Path) -> tuple[Path, tuple[str, ...], str | None]:
    """The folder, the names of the files in it, and why they cannot all be taken, if so."""
    if source.is_file():
        unreadable = None if os.access(source, os.R_OK) else f"{source.name} cannot be read"
        return source.parent, () if unreadable else (source.name,), unreadable
    files: list[str] = []
    size = 0
    try:
        for relative in walk(source):
            if not os.access(source / relative, os.R_OK):
                return source, (), f"{relative} cannot be read"
            size += (source / relative).stat().st_size
            if len(files) >= MAX_FILES or size > MAX_BYTES:
                limit = f"{MAX_FILES} files or {MAX_BYTES >> 20} MB"
                return source, (), f"its folder holds more than {limit}"
            files.append(relative)
    except Unreadable as error:
        return source, (), str(error)
    except OSError as error:
        return source, (), f"its folder cannot be read: {error.strerror}"
    return source, tuple(sorted(files, key=Path)), None


def is_text(name: str) -> bool:
    """Whether a file name can be written down: one with stray bytes cannot."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _content_hash(base: Path, files: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for name in files:
        data = (base / name).read_bytes()
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


def _enter(
    base: Path,
    files: tuple[str, ...],
    name: str,
    file: str | None,
    interface: str | None,
    entry: str | None,
) -> tuple[str, Entry]:
    """The file and the class or function to enter. Raises Unreadable with the reason."""
    sources = [f for f in files if f.endswith(".py")]
    if file is not None:
        if file not in sources:
            raise Unreadable(f"the contest file names {file!r}, which is not among its files")
        sources = [file]
    if not sources:
        raise Unreadable("there is no Python file in it")
    if interface is not None and interface not in INTERFACES:
        raise Unreadable(f"the contest file names an unknown interface {interface!r}")
    found: dict[str, Entry] = {}
    imported: set[str] = set()
    broken: list[str] = []
    for source in sources:
        try:
            tree = parse(base / source)
        except Unreadable as error:
            broken.append(str(error))
            continue
        here = INTERFACES[interface].find(tree) if interface else None
        match = Entry(interface, here) if interface and here else find_entry(tree)
        if entry is not None and (file is not None or len(sources) == 1 or _defines(tree, entry)):
            match = Entry(interface or (match.interface if match else "pick_move"), entry)
        if match is not None and len(match.name) > MAX_NAME:
            raise Unreadable(f"{source}: the name {match.name[:20]}… is too long for a bot's class")
        if match is not None:
            found[source] = match
            imported |= imported_names(tree) - {Path(source).stem}
    if not found:
        looked = "no class or function `pick_move` in " + (
            sources[0] if len(sources) == 1 else f"any of its {len(sources)} Python files"
        )
        raise Unreadable(broken[0] if broken else looked)
    chosen = _choose(found, imported, name)
    return chosen, found[chosen]


def _choose(found: Mapping[str, Entry], imported: set[str], name: str) -> str:
    """The one file to enter among those with an entry point."""
    roots = [f for f in found if Path(f).stem not in imported] or list(found)
    if len(roots) == 1:
        return roots[0]
    for preferred in (*PREFERRED_FILES, f"{name}.py"):
        if preferred in roots:
            return preferred
    choices = ", ".join(roots[:5])
    raise Unreadable(
        f"several of its files could be the bot ({choices}); the contest file can say which: "
        f'[bots."{name}"] file = "{roots[0]}"'
    )


def _defines(tree: object, name: str) -> bool:
    body = getattr(tree, "body", [])
    return any(getattr(node, "name", None) == name for node in body)
