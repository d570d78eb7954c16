"""One submission: its files, what identifies it, and where to enter it."""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from arena.intake import archive
from arena.intake.archive import ArchiveFiles
from arena.intake.files import (
    MAX_BYTES,
    NO_FILES,
    Files,
    FolderFiles,
    WithMore,
    folder_files,
)
from arena.intake.near_miss import no_bot
from arena.intake.notebook import Taken, is_notebook, take_apart
from arena.intake.programs import (
    HEAD_BYTES,
    choose_file,
    heading,
    is_runnable,
    named_program,
    quoted,
    what_to_say,
)
from arena.intake.programs import is_program as starts_like_program
from arena.intake.source import Unreadable, imported_modules, imported_names, parse
from arena.interfaces import INTERFACES, Entry, find_entry, is_program, support
from arena.interfaces.interface import FUNCTIONS, assigned_value, classes_with, idle
from arena.quoting import one_line

MAX_NAME = 200
"""Characters of the longest name of a class or function that is entered."""

NAMED = 3
"""Files that a sentence names; the others are counted."""

PREFERRED_FILES = ("bot.py", "main.py", "player.py")
PREFERRED_ENTRIES = ("ComputerPlayer", "AIPlayer", "AlphaBetaPlayer", "MinMaxPlayer")
"""Which file, and else which class, to enter if several could be the bot, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A bot as it was handed in."""

    name: str
    """What tables call it."""

    source: Path
    """The file, folder or archive it was read from."""

    contents: Files = NO_FILES
    """Its files."""

    content_hash: str
    """16 hexadecimal digits over the names and bytes of its files."""

    file: str = ""
    """The file to enter."""

    interface: str = ""
    """Name of its interface."""

    entry: str = ""
    """Class or function to enter."""

    support: tuple[str, ...] = ()
    """Course modules that it imports and has not, which Arena gives it."""

    notes: tuple[str, ...] = ()
    """What was done with it that its author may want to know, a sentence each."""

    problem: str | None = None
    """Why it cannot play, if that is plain already; a clause for its author to read."""

    house: bool = False
    """Whether it is a house player; said by `intake.house` alone."""

    engine: str | None = None
    """Digest of Arena's engine, if it is a house player that plays with that."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """What a house player is built with, by parameter name, unless the contest file differs."""

    @property
    def files(self) -> tuple[str, ...]:
        """Names of its files."""
        return self.contents.names

    @property
    def file_as_known(self) -> str:
        """The file to enter as its author knows it: what was taken from a notebook is that."""
        return self.file.removesuffix(".py") if self.file.endswith(".ipynb.py") else self.file

    def trees(self) -> dict[str, ast.Module]:
        """Syntax trees of its Python files by name, of those that have one."""
        return _trees(self.contents, self.files)[0]

    def called(self, name: str) -> Submission:
        """The same under another name, in what a contest file is advised to say of it, too."""
        old, new = heading(self.name), heading(name)
        problem = self.problem.replace(old, new) if self.problem is not None else None
        return replace(self, name=name, problem=problem)

    def copy_to(self, folder: Path) -> None:
        """Copy its files below `folder`, all or nothing; a folder that is there is kept."""
        if folder.exists():
            return
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        for name in self.files:
            target = partial / name
            target.parent.mkdir(parents=True, exist_ok=True)
            data = self.contents.read(name)
            target.write_bytes(data)
            # archives may have lost the mode of a program
            if self.contents.is_executable(name) or is_runnable(data):
                target.chmod(0o755)
        partial.mkdir(parents=True, exist_ok=True)
        partial.rename(folder)


def read_submission(
    source: Path,
    *,
    file: str | None = None,
    interface: str | None = None,
    entry: str | None = None,
    options: Mapping[str, object] = MappingProxyType({}),
) -> Submission:
    """Read a file, a folder or an archive as one bot, running nothing of it.

    The names override what is found; the bot's options may say how a program is run. Raises
    OSError if a file cannot be read. Everything wrong with the bot itself is its `problem`.
    """
    files, notes, problem = _open(source)
    found = Submission(
        name=default_name(source),
        source=source,
        contents=files,
        content_hash=_content_hash(files),
        file=file or "",
        interface=interface or "",
        entry=entry or "",
        notes=notes,
        problem=problem,
    )
    if problem is not None:
        return found
    try:
        interface = interface or named_program(files, options)
        if interface is not None and is_program(interface):
            file = choose_file(files, interface, options, file)
            return replace(found, file=file, interface=interface, entry=interface)
        return _enter(found, file, interface, entry)
    except Unreadable as error:
        return replace(found, problem=one_line(str(error)))


def default_name(source: Path) -> str:
    """What a bot is called if nobody says otherwise."""
    if not source.is_file():
        return source.name
    return archive.stem(source.name) if archive.is_archive(source.name) else source.stem


def _open(source: Path) -> tuple[Files, tuple[str, ...], str | None]:
    """The files at a path with notes on them, or none and why they cannot be taken."""
    try:
        if source.is_dir():
            loose = folder_files(source)
            if (packed := _only_archive(loose)) is None:
                return loose, (), None
            files = ArchiveFiles(source / packed)
            return files, (f"its files are those in {packed}", *files.notes), None
        size = source.stat().st_size
        if size > MAX_BYTES:
            return NO_FILES, (), f"{source.name} is {size >> 20} MB long, more than a bot may be"
        if not os.access(source, os.R_OK):
            return NO_FILES, (), f"{source.name} cannot be read"
        if archive.is_archive(source.name) or archive.is_foreign(source.name):
            files = ArchiveFiles(source)
            return files, files.notes, None
        return FolderFiles(source.parent, (source.name,)), (), None
    except Unreadable as error:
        return NO_FILES, (), one_line(str(error))


def _only_archive(files: Files) -> str | None:
    """The archive among files none of which is a source or a program: the bot lies in that."""
    packed = [name for name in files.names if archive.is_archive(name)]
    others = (name for name in files.names if name not in packed)
    if len(packed) != 1 or any(
        name.endswith((".py", ".ipynb")) or starts_like_program(name, files.read(name)[:HEAD_BYTES])
        for name in others
    ):
        return None
    return packed[0]


def _content_hash(files: Files) -> str:
    digest = hashlib.sha256()
    for name in files.names:
        data = files.read(name)
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16]


def _trees(
    files: Files, names: Iterable[str]
) -> tuple[dict[str, ast.Module], dict[str, Unreadable]]:
    """Syntax trees of the Python files among the names, and why others have none."""
    trees: dict[str, ast.Module] = {}
    broken: dict[str, Unreadable] = {}
    for name in names:
        if name.endswith(".py"):
            try:
                trees[name] = parse(files.read(name), name)
            except Unreadable as error:
                broken[name] = error
    return trees, broken


def _enter(
    found: Submission, file: str | None, interface: str | None, entry: str | None
) -> Submission:
    """The submission with where to enter it. Raises Unreadable with the reason if there is none."""
    if interface is not None and interface not in INTERFACES:
        raise Unreadable(f"the contest file names an unknown interface {interface!r}")
    sources = [name for name in found.files if name.endswith(".py")]
    notebooks = {name: name for name in found.files if name.endswith(".ipynb")}
    for name in sources:
        if is_notebook(found.contents.read(name)):
            notebooks[name] = f"{name.removesuffix('.py')}.ipynb"
    if file is not None:
        if file not in (*sources, *notebooks):
            raise Unreadable(f"the contest file names {file!r}, which is not among its files")
        sources = [file] if file in sources else []
        notebooks = {file: notebooks[file]} if file in notebooks else {}
    sources = [name for name in sources if name not in notebooks]
    trees, broken = _trees(found.contents, found.files)
    entries = _entries({n: trees[n] for n in sources if n in trees}, interface, entry)
    notes = list(found.notes)
    made: dict[str, ast.Module] = {}
    if not entries and notebooks:
        taken, unread = _taken_apart(found.contents, notebooks)
        made = {name: parse(t.source.encode(), name) for name, t in taken.items()}
        entries = _entries(made, interface, entry)
        trees |= made
        broken |= unread
    if not entries:
        if not sources and not notebooks and (say := what_to_say(found.name, found.contents)):
            raise Unreadable(say)
        searched = {name: tree for name, tree in trees.items() if name in sources} | made
        if entry is not None and searched:
            defined = any(_defines(tree, entry) for tree in searched.values())
            why = "is called in no way Arena knows" if defined else "none of its files defines"
            raise Unreadable(f"the contest file names the entry {entry!r}, which {why}")
        raise _no_entry((*sources, *notebooks), searched, broken, found.files, interface)
    chosen = _choose(entries, trees, found.name)
    contents = found.contents
    if chosen not in sources:
        contents = WithMore(contents, {chosen: taken[chosen].source.encode()})
        notes.append(f"of {chosen.removesuffix('.py')} it plays with {taken[chosen].how}")
    own = [trees[name] for name in contents.names if name in trees]
    given = _given(entries[chosen].interface, contents.names, own)
    if given:
        verb = "is" if len(given) == 1 else "are"
        notes.append(f"has no {' and no '.join(given)}: Arena's {verb} used")
    return replace(
        found,
        contents=contents,
        content_hash=_content_hash(contents),
        file=chosen,
        interface=entries[chosen].interface,
        entry=entries[chosen].name,
        support=given,
        notes=tuple(notes),
    )


def _entries(
    trees: Mapping[str, ast.Module], interface: str | None, entry: str | None
) -> dict[str, Entry]:
    """Where each file can be entered, of those that can. Raises Unreadable."""
    entries = {}
    for name, tree in trees.items():
        match = _match(tree, interface, entry, only=len(trees) == 1)
        if match is not None and len(match.name) > MAX_NAME:
            raise Unreadable(f"{name}: the name {match.name[:20]}… is too long for a bot's class")
        if match is not None:
            entries[name] = match
    return entries


def _taken_apart(
    files: Files, notebooks: Mapping[str, str]
) -> tuple[dict[str, Taken], dict[str, Unreadable]]:
    """What is in the notebooks, by the name of the file it makes; why others hold nothing.

    `notebooks` are their names as notebooks by those of their files.
    """
    taken: dict[str, Taken] = {}
    broken: dict[str, Unreadable] = {}
    for name, notebook in notebooks.items():
        try:
            taken[f"{notebook}.py"] = take_apart(files.read(name), PurePosixPath(notebook).name)
        except Unreadable as error:
            broken[name] = error
    return taken, broken


def _no_entry(
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    broken: Mapping[str, Unreadable],
    files: Sequence[str],
    interface: str | None,
) -> Unreadable:
    """Why there is nothing to enter in these sources, of which those with trees were searched."""
    if not sources:
        more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
        only = f", only {', '.join(files[:NAMED])}{more}" if files else ""
        return Unreadable(f"there is no Python file or notebook in it{only}")
    for name in sources:
        if name in broken:
            return broken[name]
    kinds = [name for name, kind in INTERFACES.items() if kind.PROFILE == "module"]
    wanted = [interface] if interface else kinds
    for name, tree in trees.items():
        for kind in wanted:
            if (why := idle(tree, INTERFACES[kind].MOVES)) is not None:
                return Unreadable(f"{name}: {why}")
    return Unreadable(no_bot(trees, wanted, files))


def _given(interface: str, names: tuple[str, ...], trees: Iterable[ast.Module]) -> tuple[str, ...]:
    """The course modules for this interface that the sources import and do not bring along."""
    offered = support.modules(interface)
    if not offered:
        return ()
    own = {part.removesuffix(".py") for name in names for part in name.split("/")}
    wanted = {name for tree in trees for name in imported_names(tree)}
    return tuple(sorted(offered & wanted - own))


def _match(
    tree: ast.Module, interface: str | None, entry: str | None, *, only: bool
) -> Entry | None:
    """Where to enter a source, if it is a bot of the interface and has the entry that are named."""
    if entry is not None:
        if not (_defines(tree, entry) or (only and interface)):
            return None
        kind = interface or _interface_of(tree, entry)
        return Entry(kind, entry) if kind else None
    if interface is not None:
        name = INTERFACES[interface].find(tree)
        return Entry(interface, name) if name else None
    return find_entry(tree)


def _interface_of(tree: ast.Module, entry: str) -> str | None:
    """The interface by which a class or function of this name is entered, if it has one."""
    methods = {m for kind in INTERFACES.values() for m in kind.MOVES}
    able = {method for method in methods if entry in classes_with(tree, method)}
    others = {node.name for node in tree.body if isinstance(node, FUNCTIONS)} - {entry}
    alone = ast.Module([n for n in tree.body if getattr(n, "name", None) not in others], [])
    for name, kind in INTERFACES.items():
        if able & set(kind.MOVES) or kind.find(alone) == entry:
            return name
    return None


def _choose(entries: Mapping[str, Entry], trees: Mapping[str, ast.Module], name: str) -> str:
    """The one file to enter among those with an entry point."""
    order = list(INTERFACES)
    first = min(order.index(entry.interface) for entry in entries.values())
    candidates = [f for f, entry in entries.items() if entry.interface == order[first]]
    imported = imported_stems({file: trees[file] for file in candidates}, order[first])
    roots = [f for f in candidates if Path(f).stem not in imported] or candidates
    if len(roots) == 1:
        return roots[0]
    for preferred in (*PREFERRED_FILES, f"{name}.py"):
        if preferred in roots:
            return preferred
    for preferred in PREFERRED_ENTRIES:
        named = [file for file in roots if entries[file].name == preferred]
        if len(named) == 1:
            return named[0]
    choices = ", ".join(roots[:5])
    raise Unreadable(
        f"several of its files could be the bot ({choices}); the contest file can say which: "
        f"below {heading(name)} write file = {quoted(roots[0])}"
    )


def imported_stems(trees: Mapping[str, ast.Module], interface: str) -> set[str]:
    """Names of modules that files import from others, also by way of a course module."""
    imported: set[str] = set()
    for file, tree in trees.items():
        parts = {part for module in imported_modules(tree) for part in module.split(".")}
        imported |= parts - {Path(file).stem}
    folder, offered = support.folder(interface), support.modules(interface)
    pending = imported - {Path(file).stem for file in trees}
    while folder is not None and pending & offered:
        name = (pending & offered).pop()
        tree = parse((folder / f"{name}.py").read_bytes(), f"{name}.py")
        pending = pending - {name} | set(imported_modules(tree)) - imported
        imported |= set(imported_modules(tree))
    return imported


def _defines(tree: ast.Module, name: str) -> bool:
    return any(
        getattr(node, "name", None) == name or assigned_value(node, name) is not None
        for node in tree.body
    )
