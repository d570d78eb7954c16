"""Find the entry point of a submission from its source text; nothing is executed.

`describe` runs in a confined process, as the files may attack the parser.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from arena.common.errors import UnreadableError
from arena.common.names import NOTEBOOK, PYTHON, module_of
from arena.common.text import listed, one_line, some_of
from arena.intake.archive import ArchiveFiles
from arena.intake.files import Files, FolderFiles, WatchedFiles, WithMore, content_hash
from arena.intake.hints import NAMED, no_entry
from arena.intake.likely import UNWRITTEN, likely_moves
from arena.intake.likeness import likeness
from arena.intake.notebook import NotebookBot, extract_bot, extract_definitions, is_notebook
from arena.intake.programs import choose_file, named_program, quoted
from arena.intake.reading import At
from arena.interfaces import (
    Descriptions,
    EntryPoint,
    Interface,
    Interfaces,
    Overrides,
    entry_point,
    find_entry,
    interface_of,
    is_program,
    is_stub,
    with_own,
)
from arena.interfaces.contract import course_folder, course_modules
from arena.interfaces.described import Described
from arena.interfaces.finder import defined_names
from arena.source.classes import (
    FUNCTIONS,
    classes_with,
    last_name,
    own_classes,
    own_functions,
    parameters,
)
from arena.source.scopes import closure
from arena.source.trees import imported_modules, imported_names, parse

MAX_NAME = 200  # Characters of the longest name of a bot's class or function.
# Names of files that test a bot if their contents are tests too.
TEST = re.compile(r"test_.*|.*_tests?|tests?")
# Words in names of files and classes that a course gives, as opponents.
OPPONENT = re.compile(
    "(?<![a-z])(random|human|user(?=_?player)|interactive|dummy)(player|agent|bot)?s?(?![a-z])"
)
# If several files could be the bot, these files or else these classes win, best first.
PREFERRED_FILES = ("bot.py", "main.py", "player.py")
PREFERRED_ENTRIES = ("ComputerPlayer", "AIPlayer", "AlphaBetaPlayer", "MinMaxPlayer")
# Syntax trees, and errors of what cannot be parsed, by file.
Parsed = tuple[dict[str, ast.Module], dict[str, UnreadableError]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFacts:
    entry_point: EntryPoint = field(default_factory=EntryPoint)
    """Includes a house player's options, which a contest file cannot change."""

    support: tuple[str, ...] = ()
    """Course modules that the bot imports and Arena provides."""

    parameters: tuple[str, ...] | None = None
    """Parameters of the bot's class or function; None if the sources do not show them."""

    imports: Mapping[str, tuple[str, int, bool]] = field(default_factory=dict)
    """(file, line, whether at load) of an import of each module, one at load if there is one."""

    likeness: str = ""
    others: tuple[str, ...] = ()
    """Other files that could be the bot, as a contest file names them."""

    notes: tuple[str, ...] = ()
    reason: str | None = None
    """Why the bot cannot play, as a clause; None if the sources show no reason."""

    settings: str = ""
    """Contest file settings that would remove `reason`; empty if none would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntry(EntryFacts):
    made: str | None = None
    """Text of the file to enter, if made from a notebook."""


def describe(
    at: At,
    source: str,
    names: Sequence[str] | None,
    name: str,
    overrides: Mapping[str, Any],
    own: Descriptions,
) -> dict[str, Any]:
    """Return a FoundEntry and an archive's contents as JSON values.

    `source` is a folder with the files `names`, or without these an archive; `name` is the bot's;
    `overrides` has the fields of an Overrides. Raises OSError, UnreadableError.
    """
    packed = None
    if names is None:
        at(PurePosixPath(source).name)
        packed = ArchiveFiles(Path(source))
    files = WatchedFiles(packed or FolderFiles(Path(source), tuple(names or ())), at)
    wanted = Overrides(**overrides)
    found = FoundEntry(entry_point=entry_of_overrides(wanted))
    parsed = trees, _ = trees_of(files, files.names)
    try:
        found = _found(files, parsed, wanted, name, with_own(own))
    except UnreadableError as error:
        found = replace(found, reason=one_line(str(error)), settings=error.settings)
    made = {} if found.made is None else {found.entry_point.file: found.made.encode()}
    entry = found.entry_point.file if found.entry_point.interface else None
    found = replace(found, imports=imports(trees | trees_of(WithMore(files, made), made)[0], entry))
    facts = asdict(found)
    if packed is not None:
        facts["notes"] = [*packed.notes, *found.notes]
        facts["names"] = packed.names
        facts["executables"] = [n for n in packed.names if packed.is_executable(n)]
        facts["content_hash"] = content_hash(WithMore(packed, made))
    return facts


def entry_of_overrides(overrides: Overrides) -> EntryPoint:
    return EntryPoint(
        file=overrides.file or "", interface=overrides.interface or "", name=overrides.entry or ""
    )


def _found(
    files: Files, parsed: Parsed, wanted: Overrides, name: str, known: Interfaces
) -> FoundEntry:
    interface = wanted.interface or named_program(files, wanted.options)
    if interface and is_program(interface):
        file = choose_file(files, interface, wanted.options, wanted.file)
        return FoundEntry(
            entry_point=EntryPoint(file=file, interface=interface, name=interface),
            likeness=likeness(file, parsed[0], files),
        )
    return _enter(files, parsed, wanted, name, known)


def trees_of(files: Files, names: Iterable[str]) -> Parsed:
    trees: dict[str, ast.Module] = {}
    broken: dict[str, UnreadableError] = {}
    for name in names:
        if name.endswith(".py"):
            try:
                trees[name] = parse(files.read(name), name)
            except UnreadableError as error:
                broken[name] = error
    return trees, broken


def _enter(
    files: Files, parsed: Parsed, wanted: Overrides, called: str, interfaces: Interfaces
) -> FoundEntry:
    (trees, broken), (sources, notebooks) = parsed, _python_files(files, wanted.file)
    if wanted.file is None:
        sources = [n for n in sources if not _is_test(n, trees.get(n))] or sources
    entries = _entries({n: trees[n] for n in sources if n in trees}, wanted, interfaces)
    taken, unread = _notebook_bots(files, notebooks, interfaces)
    parts = {
        name: parse(t.source.encode(), name) if t.source.strip() else ast.Module([], [])
        for name, t in taken.items()
    }
    in_notebooks = _entries(parts, wanted, interfaces)
    if not entries:
        entries, trees, broken = in_notebooks, trees | parts, broken | unread
    if not entries:
        searched = {name: tree for name, tree in trees.items() if name in sources} | parts
        raise no_entry(files, wanted, (*sources, *notebooks), searched, broken, interfaces)
    known = {module_of(notebook): name for name, notebook in notebooks.items()}
    chosen = _choose(entries, trees, called, known, interfaces)
    entry_point = replace(entries[chosen], file=chosen)
    if wanted.entry is None and (stub := _stub_beside(trees[chosen], entry_point)):
        raise UnreadableError(
            f"{chosen}: {stub} is not written yet, and {entry_point.name} is an opponent"
        )
    used = reached([chosen], trees, _imported_parts)
    contents, made = files, None
    notes: list[str] = []
    described = interface_of(entry_point)
    if isinstance(described, Described):
        if described.description.refuses:
            raise UnreadableError(f"{described.NAME}: {described.description.refuses}")
        if described.description.entry.definitions_only and chosen in sources:
            taken[chosen] = extract_definitions(files.read(chosen), chosen, entry_point.name)
    notes += _other_fits(trees[chosen], entry_point, wanted, interfaces)
    if chosen in taken:
        made = taken[chosen].source
        contents = WithMore(contents, {chosen: made.encode()})
        where = known.get(chosen, chosen)
        notes.append(f"uses `{entry_point.name}` from {where}: {taken[chosen].how}")
    own = [trees[name] for name in contents.names if name in trees]
    given = _given_modules(entry_point.interface, contents.names, own)
    if given:
        named = listed([f"`{name}{PYTHON}`" for name in given])
        copies = "are not included; the course's copies are"
        if len(given) == 1:
            copies = "is not included; the course's copy is"
        notes.append(f"{named} {copies} used")
    return FoundEntry(
        entry_point=entry_point,
        made=made,
        support=given,
        parameters=parameters(trees[chosen], entry_point.name),
        likeness=likeness(chosen, trees, contents, entry_point.name),
        others=tuple(
            known.get(name, name) for name in {**entries, **in_notebooks} if name not in used
        ),
        notes=tuple(notes),
    )


def _other_fits(
    tree: ast.Module, chosen: EntryPoint, wanted: Overrides, interfaces: Interfaces
) -> Iterator[str]:
    others = [
        f"`{name}` of {interface.NAME}"
        for interface in interfaces.values()
        if chosen.interface != interface.NAME
        and (name := interface.find(tree)) is not None
        and interface.fit(tree, name) > 0
    ]
    if others and wanted.interface is None:
        yield (
            f"it plays as {chosen.interface}; it could also be {some_of(others, NAMED)}: the "
            f"contest file can say which, as interface = {quoted(chosen.interface)}"
        )


def _stub_beside(tree: ast.Module, entry: EntryPoint) -> str | None:
    moves = [each for each in likely_moves(tree) if each.name in interface_of(entry).MOVES]
    bases = {base for each in moves if each.owner == entry.name for base in each.bases}
    stubs = (each for each in moves if each.lack == UNWRITTEN and each.owner not in bases)
    is_opponent = OPPONENT.match(_words(entry.name))
    return next((each.owner for each in stubs), None) if is_opponent else None


def _words(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _is_test(name: str, tree: ast.Module | None) -> bool:
    path = PurePosixPath(name)
    if path.stem == "conftest" or any(TEST.fullmatch(part) for part in path.parts[:-1]):
        return True
    if tree is None or not TEST.fullmatch(path.stem):
        return False
    is_testing = any(
        each.lower().startswith("test") for each in (*own_functions(tree), *own_classes(tree))
    )
    return is_testing or not imported_names(tree).isdisjoint(("pytest", "unittest"))


def _python_files(files: Files, file: str | None) -> tuple[list[str], dict[str, str]]:
    """Return the sources to search, and notebooks' names by file; if `file` is set, only it."""
    sources = [name for name in files.names if name.endswith(PYTHON)]
    notebooks = {name: name for name in files.names if name.endswith(NOTEBOOK)}
    for name in sources:
        if is_notebook(files.read(name)):
            notebooks[name] = f"{name.removesuffix(PYTHON)}{NOTEBOOK}"
    if file is not None:
        if file not in (*sources, *notebooks):
            raise UnreadableError(f"the contest file names {file!r}, which is not among its files")
        sources = [file] if file in sources else []
        notebooks = {file: notebooks[file]} if file in notebooks else {}
    return [name for name in sources if name not in notebooks], notebooks


def _entries(
    trees: Mapping[str, ast.Module], wanted: Overrides, known: Interfaces
) -> dict[str, EntryPoint]:
    entries = {}
    for name, tree in trees.items():
        match = _match(tree, wanted, known, only=len(trees) == 1)
        if match is not None and len(match.name) > MAX_NAME:
            raise UnreadableError(f"{name}: the name {match.name[:20]}… is too long for a bot")
        if match is not None:
            entries[name] = match
    return entries


def _notebook_bots(
    files: Files, notebooks: Mapping[str, str], known: Interfaces
) -> tuple[dict[str, NotebookBot], dict[str, UnreadableError]]:
    taken: dict[str, NotebookBot] = {}
    broken: dict[str, UnreadableError] = {}
    for name, notebook in notebooks.items():
        try:
            taken[module_of(notebook)] = extract_bot(
                files.read(name), PurePosixPath(notebook).name, known
            )
        except UnreadableError as error:
            broken[name] = error
    return taken, broken


def _given_modules(
    interface: str, names: tuple[str, ...], trees: Iterable[ast.Module]
) -> tuple[str, ...]:
    offered = course_modules(interface)
    if not offered:
        return ()
    own = {part.removesuffix(".py") for name in names for part in name.split("/")}
    wanted = {name for tree in trees for name in imported_names(tree)}
    return tuple(sorted(offered & wanted - own))


def _match(
    tree: ast.Module, wanted: Overrides, known: Interfaces, *, only: bool
) -> EntryPoint | None:
    interface = known[wanted.interface] if wanted.interface else None
    if wanted.entry is not None:
        if not (wanted.entry in defined_names(tree) or (only and interface)):
            return None
        kind = interface or _interface_of(tree, wanted.entry, known)
        return entry_point(kind, wanted.entry) if kind else None
    if interface is not None:
        name = interface.find(tree)
        return entry_point(interface, name) if name else None
    return find_entry(tree, known)


def _interface_of(tree: ast.Module, entry: str, known: Interfaces) -> Interface | None:
    methods = {m for kind in known.values() for m in kind.MOVES}
    able = {method for method in methods if entry in classes_with(tree, method)}
    others = {node.name for node in tree.body if isinstance(node, FUNCTIONS)} - {entry}
    alone = ast.Module([n for n in tree.body if getattr(n, "name", None) not in others], [])
    for kind in known.values():
        if able & set(kind.MOVES) or kind.find(alone) == entry:
            return kind
    return None


def _choose(
    entries: Mapping[str, EntryPoint],
    trees: Mapping[str, ast.Module],
    name: str,
    known: Mapping[str, str],
    interfaces: Interfaces,
) -> str:
    """Return the file to enter, of the most exact interface; `known` has notebooks by module."""
    written = {f: entry for f, entry in entries.items() if not is_stub(trees[f], entry)}
    entries = written or entries
    own = {f: e for f, e in entries.items() if not OPPONENT.search(_words(f"{f} {e.name}"))}
    entries = own or entries
    order = list(interfaces)
    fits = [
        (-interfaces[entry.interface].fit(trees[file], entry.name), order.index(entry.interface))
        for file, entry in entries.items()
    ]
    first = order[min(fits)[1]]
    candidates = [f for f, entry in entries.items() if entry.interface == first]
    imported = imported_stems({file: trees[file] for file in candidates}, first)
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
        f"several of its files could be the bot ({choices}); the contest file can say which",
        settings=f"file = {quoted(roots[0])}",
    )


def reached(
    starts: Iterable[str],
    trees: Mapping[str, ast.Module],
    imported: Callable[[ast.Module], set[str]],
) -> set[str]:
    def others(name: str) -> list[str]:
        wanted = imported(trees[name])
        return [other for other in trees if PurePosixPath(other).stem in wanted]

    return set(closure(starts, others))


def _imported_parts(tree: ast.Module) -> set[str]:
    return {part for module in imported_modules(tree) for part in module.split(".")}


def imported_stems(trees: Mapping[str, ast.Module], interface: str) -> set[str]:
    """Return the modules that files import, directly or through course modules."""
    imported: set[str] = set()
    for file, tree in trees.items():
        imported |= _imported_parts(tree) - {Path(file).stem}
    folder, offered = course_folder(interface), course_modules(interface)
    pending = imported - {Path(file).stem for file in trees}
    while folder is not None and pending & offered:
        name = (pending & offered).pop()
        tree = parse((folder / f"{name}.py").read_bytes(), f"{name}.py")
        pending = pending - {name} | set(imported_modules(tree)) - imported
        imported |= set(imported_modules(tree))
    return imported


# Exceptions whose handlers can replace a missing module.
MISSES = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))


def imports(trees: Mapping[str, ast.Module], entry: str | None) -> dict[str, tuple[str, int, bool]]:
    """See `EntryFacts.imports`; `entry` is the file that is loaded, None if unknown."""
    entries = trees if entry is None else [entry]
    loaded = reached((file for file in entries if file in trees), trees, _imported_at_load)
    found: dict[str, tuple[str, int, bool]] = {}
    for file in sorted(trees, key=lambda file: file not in loaded):
        for node, at_load in _needed(trees[file]):
            fatal = at_load and file in loaded
            for name in imported_names(node):
                if name not in found or fatal > found[name][2]:
                    found[name] = file, node.lineno, fatal
    return found


def _imported_at_load(tree: ast.Module) -> set[str]:
    return {name for node, at_load in _needed(tree) if at_load for name in imported_names(node)}


def _needed(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield needed imports, no caught ones, and whether they always run when the bot is loaded."""
    pending: list[tuple[ast.AST, bool]] = [(node, True) for node in tree.body]
    for node, at_load in pending:  # the list grows
        body = getattr(node, "body", [])
        match node:
            case ast.Import() | ast.ImportFrom():
                yield node, at_load
            case ast.If(ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")])):
                body = []
            case ast.If(ast.Name("TYPE_CHECKING") | ast.Attribute(_, "TYPE_CHECKING")):
                body = []
            case ast.Try(handlers=handlers) if any(map(_replaces_module, handlers)):
                body = [part for part in body if not isinstance(part, (ast.Import, ast.ImportFrom))]
        runs = isinstance(node, (ast.ClassDef, ast.With, ast.Try)) and at_load
        runs = runs and not getattr(node, "handlers", ())
        pending += [(part, runs) for part in (*body, *getattr(node, "finalbody", ()))]
        for block in ("orelse", "handlers", "cases"):
            pending += [(part, False) for part in getattr(node, block, ())]


def _replaces_module(handler: ast.ExceptHandler) -> bool:
    caught = ast.walk(handler.type) if handler.type is not None else ()
    inside = [node for part in handler.body for node in ast.walk(part)]
    called = [node.func for node in inside if isinstance(node, ast.Call)]
    ends = any(isinstance(node, ast.Raise) for node in inside)
    ends = ends or any(last_name(func) in ("exit", "quit", "_exit") for func in called)
    return not ends and (handler.type is None or any(last_name(node) in MISSES for node in caught))
