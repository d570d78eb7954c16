"""Finding where to enter a submission, from what its files say; nothing of it is run.

All this happens in a confined process (`describe`), as its files may be made to break a parser.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from arena.errors import UnreadableError
from arena.intake.archive import ArchiveFiles
from arena.intake.files import Files, FolderFiles, Watched, WithMore, content_hash
from arena.intake.likeness import likeness
from arena.intake.near_miss import no_bot
from arena.intake.notebook import Taken, is_notebook, take_apart
from arena.intake.parameters import parameters
from arena.intake.programs import (
    choose_file,
    heading,
    how_python_2_runs,
    named_program,
    quoted,
    what_to_say,
)
from arena.intake.source import imported_modules, imported_names, parse
from arena.interfaces import (
    INTERFACES,
    EntryPoint,
    InterfaceName,
    Overrides,
    Profile,
    find_entry,
    is_program,
    support,
)
from arena.interfaces.source_search import FUNCTIONS, assigned_value, classes_with, idle
from arena.naming import NOTEBOOK, PYTHON, is_archive, module_of
from arena.quoting import one_line

MAX_NAME = 200
"""Characters of the longest name of a class or function that is entered."""

NAMED = 3
"""Files that a sentence names; the others are counted."""

PREFERRED_FILES = ("bot.py", "main.py", "player.py")
PREFERRED_ENTRIES = ("ComputerPlayer", "AIPlayer", "AlphaBetaPlayer", "MinMaxPlayer")
"""Which file, and else which class, to enter if several could be the bot, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a submission's files say of it."""

    entry_point: EntryPoint = field(default_factory=EntryPoint)
    """How to enter it."""

    made: str | None = None
    """Text of the file to enter, if that was taken from a notebook."""

    support: tuple[str, ...] = ()
    """Course modules that it imports and has not."""

    parameters: tuple[str, ...] | None = None
    """Names of what its class or function is built with; None if its sources do not tell."""

    likeness: str = ""
    """See `likeness`."""

    others: tuple[str, ...] = ()
    """Files that could be entered as well, by the names that they have there."""

    notes: tuple[str, ...] = ()
    problem: str | None = None


def describe(
    at: Callable[[str], None],
    source: str,
    names: Sequence[str] | None,
    name: str,
    overrides: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what a submission's files say of it, as JSON: a Found and what an archive holds.

    `source` is a folder with files of these `names`, or an archive if there are none. `name` is
    what the bot is called, `overrides` the fields of an Overrides. Raises OSError, and
    UnreadableError for an archive that is none.
    """
    packed = None
    if names is None:
        at(PurePosixPath(source).name)
        packed = ArchiveFiles(Path(source))
    files = Watched(packed or FolderFiles(Path(source), tuple(names or ())), at)
    wanted = read_overrides(overrides)
    found = Found(entry_point=stated(wanted))
    try:
        found = _found(files, wanted, name)
    except UnreadableError as error:
        found = replace(found, problem=one_line(str(error)))
    facts = asdict(found)
    if packed is not None:
        facts["notes"] = [*packed.notes, *found.notes]
        facts["names"] = packed.names
        facts["executables"] = [n for n in packed.names if packed.is_executable(n)]
        made = {} if found.made is None else {found.entry_point.file: found.made.encode()}
        facts["content_hash"] = content_hash(WithMore(packed, made))
    return facts


def stated(overrides: Overrides) -> EntryPoint:
    """Return the entry point as far as an instructor's overrides state it."""
    return EntryPoint(
        file=overrides.file or "",
        interface=overrides.interface or InterfaceName.NONE,
        name=overrides.entry or "",
    )


def read_overrides(values: Mapping[str, Any]) -> Overrides:
    """Return the overrides whose fields were sent as JSON."""
    interface = values["interface"]
    return Overrides(
        **{**values, "interface": None if interface is None else InterfaceName(interface)}
    )


def _found(files: Files, wanted: Overrides, name: str) -> Found:
    """Where to enter a submission with these files. Raises UnreadableError if there is nowhere."""
    interface = wanted.interface or named_program(files, wanted.options)
    if interface and is_program(interface):
        file = choose_file(files, interface, wanted.options, wanted.file)
        trees, _ = trees_of(files, files.names)
        return Found(
            entry_point=EntryPoint(file=file, interface=interface, name=interface.value),
            likeness=likeness(file, trees, files),
        )
    return _enter(files, wanted, name)


def trees_of(
    files: Files, names: Iterable[str]
) -> tuple[dict[str, ast.Module], dict[str, UnreadableError]]:
    """Syntax trees of the Python files among the names, and why others have none."""
    trees: dict[str, ast.Module] = {}
    broken: dict[str, UnreadableError] = {}
    for name in names:
        if name.endswith(".py"):
            try:
                trees[name] = parse(files.read(name), name)
            except UnreadableError as error:
                broken[name] = error
    return trees, broken


def _enter(files: Files, wanted: Overrides, called: str) -> Found:
    """Return where to enter a bot in Python. Raises UnreadableError with the reason if nowhere."""
    file, interface, entry = wanted.file, wanted.interface, wanted.entry
    sources = [name for name in files.names if name.endswith(".py")]
    notebooks = {name: name for name in files.names if name.endswith(NOTEBOOK)}
    for name in sources:
        if is_notebook(files.read(name)):
            notebooks[name] = f"{name.removesuffix(PYTHON)}{NOTEBOOK}"
    if file is not None:
        if file not in (*sources, *notebooks):
            raise UnreadableError(f"the contest file names {file!r}, which is not among its files")
        sources = [file] if file in sources else []
        notebooks = {file: notebooks[file]} if file in notebooks else {}
    sources = [name for name in sources if name not in notebooks]
    trees, broken = trees_of(files, files.names)
    entries = _entries({n: trees[n] for n in sources if n in trees}, interface, entry)
    notes: list[str] = []
    taken, unread = _taken_apart(files, notebooks)
    parts = {
        name: parse(t.source.encode(), name) if t.source.strip() else ast.Module([], [])
        for name, t in taken.items()
    }
    playing = _entries(parts, interface, entry)
    if not entries:
        entries = playing
        trees |= parts
        broken |= unread
    if not entries:
        if not sources and not notebooks and (say := what_to_say(called, files)):
            raise UnreadableError(say)
        searched = {name: tree for name, tree in trees.items() if name in sources} | parts
        if entry is not None and searched:
            defined = any(_defines(tree, entry) for tree in searched.values())
            why = "is called in no way Arena knows" if defined else "none of its files defines"
            raise UnreadableError(f"the contest file names the entry {entry!r}, which {why}")
        if python_2 := how_python_2_runs(called, files):
            for name in broken.keys() & {*sources}:
                broken[name] = _why_broken(files, name, python_2)
        raise _no_entry((*sources, *notebooks), searched, broken, files.names, interface)
    known = {module_of(notebook): name for name, notebook in notebooks.items()}
    chosen = _choose(entries, trees, called, known)
    reached = _reached(chosen, trees)
    others = [name for name in {**entries, **playing} if name not in reached]
    contents = files
    made = None
    if chosen not in sources:
        made = taken[chosen].source
        contents = WithMore(contents, {chosen: made.encode()})
        notes.append(f"of {known[chosen]} it plays with {taken[chosen].how}")
    own = [trees[name] for name in contents.names if name in trees]
    given = _given(entries[chosen].interface, contents.names, own)
    if given:
        verb = "is" if len(given) == 1 else "are"
        notes.append(f"has no {' and no '.join(given)}: Arena's {verb} used")
    return Found(
        entry_point=replace(entries[chosen], file=chosen),
        made=made,
        support=given,
        parameters=parameters(trees[chosen], entries[chosen].name),
        likeness=likeness(chosen, trees, files),
        others=tuple(known.get(name, name) for name in others),
        notes=tuple(notes),
    )


def _entries(
    trees: Mapping[str, ast.Module], interface: InterfaceName | None, entry: str | None
) -> dict[str, EntryPoint]:
    """Where each file can be entered, of those that can. Raises UnreadableError."""
    entries = {}
    for name, tree in trees.items():
        match = _match(tree, interface, entry, only=len(trees) == 1)
        if match is not None and len(match.name) > MAX_NAME:
            raise UnreadableError(
                f"{name}: the name {match.name[:20]}… is too long for a bot's class"
            )
        if match is not None:
            entries[name] = match
    return entries


def _taken_apart(
    files: Files, notebooks: Mapping[str, str]
) -> tuple[dict[str, Taken], dict[str, UnreadableError]]:
    """What is in the notebooks, by the name of the file it makes; why others hold nothing.

    `notebooks` are their names as notebooks by those of their files.
    """
    taken: dict[str, Taken] = {}
    broken: dict[str, UnreadableError] = {}
    for name, notebook in notebooks.items():
        try:
            taken[module_of(notebook)] = take_apart(files.read(name), PurePosixPath(notebook).name)
        except UnreadableError as error:
            broken[name] = error
    return taken, broken


def _no_entry(
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    broken: Mapping[str, UnreadableError],
    files: Sequence[str],
    interface: InterfaceName | None,
) -> UnreadableError:
    """Why there is nothing to enter in these sources, of which those with trees were searched."""
    if not sources:
        more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
        only = f", only {', '.join(files[:NAMED])}{more}" if files else ""
        if any(map(is_archive, files)):
            only += ": unpack what is packed, or have arena collect do it"
        return UnreadableError(f"there is no Python file or notebook in it{only}")
    for name in sources:
        if name in broken:
            return broken[name]
    kinds = [name for name, kind in INTERFACES.items() if kind.PROFILE is Profile.MODULE]
    wanted = [interface] if interface else kinds
    for name, tree in trees.items():
        for kind in wanted:
            if (why := idle(tree, INTERFACES[kind].MOVES)) is not None:
                return UnreadableError(f"{name}: {why}")
    return UnreadableError(no_bot(trees, wanted, files))


def _why_broken(files: Files, name: str, python_2: str) -> UnreadableError:
    """Why a source of a program cannot be parsed."""
    try:
        parse(files.read(name), name, python_2=python_2)
    except UnreadableError as error:
        return error
    return UnreadableError(f"{name} changed while it was read")


def _given(
    interface: InterfaceName, names: tuple[str, ...], trees: Iterable[ast.Module]
) -> tuple[str, ...]:
    """The course modules for this interface that the sources import and do not bring along."""
    offered = support.modules(interface)
    if not offered:
        return ()
    own = {part.removesuffix(".py") for name in names for part in name.split("/")}
    wanted = {name for tree in trees for name in imported_names(tree)}
    return tuple(sorted(offered & wanted - own))


def _match(
    tree: ast.Module, interface: InterfaceName | None, entry: str | None, *, only: bool
) -> EntryPoint | None:
    """Where to enter a source, if it is a bot of the interface and has the entry that are named."""
    if entry is not None:
        if not (_defines(tree, entry) or (only and interface)):
            return None
        kind = interface or _interface_of(tree, entry)
        return EntryPoint(interface=kind, name=entry) if kind else None
    if interface is not None:
        name = INTERFACES[interface].find(tree)
        return EntryPoint(interface=interface, name=name) if name else None
    return find_entry(tree)


def _interface_of(tree: ast.Module, entry: str) -> InterfaceName | None:
    """The interface by which a class or function of this name is entered, if it has one."""
    methods = {m for kind in INTERFACES.values() for m in kind.MOVES}
    able = {method for method in methods if entry in classes_with(tree, method)}
    others = {node.name for node in tree.body if isinstance(node, FUNCTIONS)} - {entry}
    alone = ast.Module([n for n in tree.body if getattr(n, "name", None) not in others], [])
    for name, kind in INTERFACES.items():
        if able & set(kind.MOVES) or kind.find(alone) == entry:
            return name
    return None


def _choose(
    entries: Mapping[str, EntryPoint],
    trees: Mapping[str, ast.Module],
    name: str,
    known: Mapping[str, str],
) -> str:
    """The one file to enter among those with an entry point; `known` are the names that those have
    which were made of notebooks."""
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
    roots = [known.get(root, root) for root in roots]
    choices = ", ".join(roots[:5])
    raise UnreadableError(
        f"several of its files could be the bot ({choices}); the contest file can say which: "
        f"below {heading(name)} write file = {quoted(roots[0])}"
    )


def _reached(start: str, trees: Mapping[str, ast.Module]) -> set[str]:
    """A file and all those that it comes to import."""
    reached: set[str] = set()
    pending = [start]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            wanted = {part for m in imported_modules(trees[name]) for part in m.split(".")}
            pending += [other for other in trees if PurePosixPath(other).stem in wanted]
    return reached


def imported_stems(trees: Mapping[str, ast.Module], interface: InterfaceName) -> set[str]:
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
