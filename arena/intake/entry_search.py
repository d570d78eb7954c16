"""Find a submission's entry point in its sources, or explain why there is none.

Nothing is executed. `describe` runs in a confined process, as the files may attack the parser. A
hint is given only if its repair works: the source's tree is repaired and searched again.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any

from arena.common.errors import EmptyFileError, UnreadableError
from arena.common.names import (
    NOTEBOOK,
    PYTHON,
    is_archive,
    is_notebook_module,
    module_of,
    notebook_of,
)
from arena.common.text import one_line, some_of
from arena.intake.archive import ArchiveFiles
from arena.intake.files import Files, FolderFiles, WatchedFiles, WithMore, content_hash
from arena.intake.likeness import likeness
from arena.intake.notebook import NotebookBot, extract_bot, extract_definitions, is_notebook
from arena.intake.programs import (
    choose_file,
    how_python_2_runs,
    named_program,
    quoted,
    unstated_program,
)
from arena.interfaces import (
    CODED,
    Descriptions,
    EntryPoint,
    Interface,
    Interfaces,
    Overrides,
    Profile,
    entry_point,
    find_entry,
    interface_of,
    is_program,
    is_stub,
    with_own,
)
from arena.interfaces.contract import course_folder, course_modules
from arena.interfaces.described import Described
from arena.source.classes import (
    FUNCTIONS,
    Function,
    assigned_value,
    classes_with,
    idle,
    own_classes,
    parameters,
)
from arena.source.scopes import closure
from arena.source.trees import imported_modules, imported_names, parse

MAX_NAME = 200  # Characters of the longest name of a bot's class or function.
PREFERRED_FILES = ("bot.py", "main.py", "player.py")
# If several files could be the bot, these files or else these classes win, best first.
PREFERRED_ENTRIES = ("ComputerPlayer", "AIPlayer", "AlphaBetaPlayer", "MinMaxPlayer")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFacts:
    entry_point: EntryPoint = field(default_factory=EntryPoint)
    """Includes a house player's options, which a contest file cannot change."""

    support: tuple[str, ...] = ()
    """Course modules that the bot imports and Arena provides."""

    parameters: tuple[str, ...] | None = None
    """Parameters of the bot's class or function; None if the sources do not show them."""

    likeness: str = ""
    others: tuple[str, ...] = ()
    """Other files that could be the bot, as a contest file names them."""

    notes: tuple[str, ...] = ()
    """Sentences for the author on how the bot was read."""

    reason: str | None = None
    """Why the bot cannot play, as a clause; None if the sources show no reason."""

    settings: str = ""
    """Contest file settings that would remove `reason`; empty if none would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntry(EntryFacts):
    made: str | None = None
    """Text of the file to enter, if made from a notebook."""


def describe(
    at: Callable[[str], None],
    source: str,
    names: Sequence[str] | None,
    name: str,
    overrides: Mapping[str, Any],
    own: Descriptions,
) -> dict[str, Any]:
    """Return a FoundEntry and an archive's contents as JSON values.

    `source` is a folder with the files `names`, or an archive if `names` is None. `name` is the
    bot's name, and `overrides` holds the fields of an Overrides. Raises OSError, and
    UnreadableError for a broken archive.
    """
    packed = None
    if names is None:
        at(PurePosixPath(source).name)
        packed = ArchiveFiles(Path(source))
    files = WatchedFiles(packed or FolderFiles(Path(source), tuple(names or ())), at)
    wanted = Overrides(**overrides)
    found = FoundEntry(entry_point=entry_of_overrides(wanted))
    try:
        found = _found(files, wanted, name, with_own(own))
    except UnreadableError as error:
        found = replace(found, reason=one_line(str(error)), settings=error.settings)
    facts = asdict(found)
    if packed is not None:
        facts["notes"] = [*packed.notes, *found.notes]
        facts["names"] = packed.names
        facts["executables"] = [n for n in packed.names if packed.is_executable(n)]
        made = {} if found.made is None else {found.entry_point.file: found.made.encode()}
        facts["content_hash"] = content_hash(WithMore(packed, made))
    return facts


def entry_of_overrides(overrides: Overrides) -> EntryPoint:
    """Return an entry point made only from the instructor's overrides."""
    return EntryPoint(
        file=overrides.file or "",
        interface=overrides.interface or "",
        name=overrides.entry or "",
    )


def _found(files: Files, wanted: Overrides, name: str, known: Interfaces) -> FoundEntry:
    interface = wanted.interface or named_program(files, wanted.options)
    if interface and is_program(interface):
        file = choose_file(files, interface, wanted.options, wanted.file)
        trees, _ = trees_of(files, files.names)
        return FoundEntry(
            entry_point=EntryPoint(file=file, interface=interface, name=interface),
            likeness=likeness(file, trees, files),
        )
    return _enter(files, wanted, name, known)


def trees_of(
    files: Files, names: Iterable[str]
) -> tuple[dict[str, ast.Module], dict[str, UnreadableError]]:
    """Return the syntax trees and the errors of the Python files among `names`."""
    trees: dict[str, ast.Module] = {}
    broken: dict[str, UnreadableError] = {}
    for name in names:
        if name.endswith(".py"):
            try:
                trees[name] = parse(files.read(name), name)
            except UnreadableError as error:
                broken[name] = error
    return trees, broken


def _enter(files: Files, wanted: Overrides, called: str, interfaces: Interfaces) -> FoundEntry:
    sources, notebooks = _python_files(files, wanted.file)
    trees, broken = trees_of(files, files.names)
    entries = _entries({n: trees[n] for n in sources if n in trees}, wanted, interfaces)
    taken, unread = _notebook_bots(files, notebooks, interfaces)
    parts = {
        name: parse(t.source.encode(), name) if t.source.strip() else ast.Module([], [])
        for name, t in taken.items()
    }
    in_notebooks = _entries(parts, wanted, interfaces)
    if not entries:
        entries = in_notebooks
        trees |= parts
        broken |= unread
    if not entries:
        searched = {name: tree for name, tree in trees.items() if name in sources} | parts
        raise no_entry(files, wanted, (*sources, *notebooks), searched, broken)
    known = {module_of(notebook): name for name, notebook in notebooks.items()}
    chosen = _choose(entries, trees, called, known, interfaces)
    entry_point = replace(entries[chosen], file=chosen)
    reached = _reached(chosen, trees)
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
        named = " and ".join(f"`{name}{PYTHON}`" for name in given)
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
            known.get(name, name) for name in {**entries, **in_notebooks} if name not in reached
        ),
        notes=tuple(notes),
    )


def _other_fits(
    tree: ast.Module, chosen: EntryPoint, wanted: Overrides, interfaces: Interfaces
) -> Iterator[str]:
    """Yield a note if a file fits other interfaces too, unless the instructor named one."""
    others = [
        f"`{name}` of {interface.NAME}"
        for interface in interfaces.values()
        if chosen.interface != interface.NAME
        and (name := interface.find(tree)) is not None
        and interface.fit(name) > 0
    ]
    if others and wanted.interface is None:
        yield (
            f"it plays as {chosen.interface}; it could also be {some_of(others, NAMED)}: the "
            f"contest file can say interface = …"
        )


def _python_files(files: Files, file: str | None) -> tuple[list[str], dict[str, str]]:
    """Return the Python files to search, and the notebooks' `.ipynb` names by file.

    If an instructor set `file`, only this file is searched. Raises UnreadableError if it is
    missing.
    """
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
    """Return the notebooks' bots by module name, and the errors by file name."""
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
        if not (defines(tree, wanted.entry) or (only and interface)):
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
    known: Descriptions,
    interfaces: Interfaces,
) -> str:
    """Return the file to enter; `known` maps notebooks' modules to notebook names.

    Files of the most exact interface come first, and among equals those of the first interface.
    """
    written = {f: entry for f, entry in entries.items() if not is_stub(trees[f], entry)}
    entries = written or entries
    order = list(interfaces)
    fits = [
        (-interfaces[entry.interface].fit(entry.name), order.index(entry.interface))
        for entry in entries.values()
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


def _reached(start: str, trees: Mapping[str, ast.Module]) -> set[str]:
    def imported(name: str) -> list[str]:
        wanted = {part for m in imported_modules(trees[name]) for part in m.split(".")}
        return [other for other in trees if PurePosixPath(other).stem in wanted]

    return set(closure([start], imported))


def imported_stems(trees: Mapping[str, ast.Module], interface: str) -> set[str]:
    """Return the modules that files import, directly or through course modules."""
    imported: set[str] = set()
    for file, tree in trees.items():
        parts = {part for module in imported_modules(tree) for part in module.split(".")}
        imported |= parts - {Path(file).stem}
    folder, offered = course_folder(interface), course_modules(interface)
    pending = imported - {Path(file).stem for file in trees}
    while folder is not None and pending & offered:
        name = (pending & offered).pop()
        tree = parse((folder / f"{name}.py").read_bytes(), f"{name}.py")
        pending = pending - {name} | set(imported_modules(tree)) - imported
        imported |= set(imported_modules(tree))
    return imported


# The functions of each interface, as the documents write them.
SHAPES = {
    "pick_move": "pick_move(rack)",
    "next_move": "next_move(board)",
    "make_move": "make_move(board)",
    "player": "player(board)",
    "agent": "agent(observation, configuration)",
}

BOARDS = ("board", "rack", "grid", "state")  # Board parameters of functions that pick a move.

# Names of functions that pick a move, in lower case without underscores.
VERBS = "pick|choose|decide|find|get|select|make|next|best|my|ai|computer|play"
PICKS_MOVE = re.compile(f"({VERBS}).*(move|column|col|turn)")
MIN_SIMILARITY = 0.75  # Least similarity of names, from 0 to 1.
SHOWN_NAME = 40  # Characters of a name that are shown.
MAX_AROUND = 100  # Levels kept around a function; only chains of `elif` are deeper.
NAMED = 3  # Functions, classes and files that are named; the others are counted.
DOCUMENT = (
    "docs/reference/interfaces.md lists the functions a bot can have, and "
    "docs/howto/other-interface.md shows how an instructor adds another"
)


def no_bot(trees: Mapping[str, ast.Module], wanted: Sequence[str], files: Collection[str]) -> str:
    """Return a sentence on what was searched for and what the sources have instead.

    `trees` are the searched sources, `files` everything that was handed in.
    """
    where = notebook_of(next(iter(trees))) if len(trees) == 1 else f"its {len(trees)} Python files"
    shapes = [SHAPES.get(name, name) for name in wanted]
    searched = f"no bot in {where}: no {_either(shapes)} that picks a move"
    if hint := _hint(trees, wanted, files):
        return f"{searched}; {hint}"
    there = _contents(trees, wanted)
    return f"{searched}; it has {there}; {DOCUMENT}" if there else f"{searched}; {DOCUMENT}"


def _hint(
    trees: Mapping[str, ast.Module], wanted: Sequence[str], files: Collection[str]
) -> str | None:
    for name, tree in trees.items():
        for line, sentence in (*_mistakes(tree, wanted), *_missing_files(tree, wanted, files)):
            # a notebook's lines are counted in its cells, not in its module
            at = notebook_of(name) if is_notebook_module(name) else f"{name}, line {line}"
            return f"{sentence} ({at})"
    return None


def _mistakes(tree: ast.Module, wanted: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield line and sentence for each mistake whose repair makes Arena find a bot."""
    plain = {name.replace("_", ""): name for name in wanted}
    for function, around in _functions(tree):
        name, owner = function.name, around[-1]
        spelling = plain.get(name.replace("_", "").lower())
        if spelling is None:
            continue
        is_nested = not isinstance(owner, (ast.Module, ast.ClassDef))
        if not is_nested and name != spelling and _is_found(tree, function, spelling, owner):
            sentence = f"its {_short(name)} must be renamed to {spelling}"
            yield function.lineno, sentence
        homes = [each for each in around if isinstance(each, (ast.ClassDef, ast.Module))]
        if is_nested and name == spelling and _is_found(tree, function, spelling, homes[-1]):
            place = "not at the top level"
            if isinstance(owner, FUNCTIONS):
                place = f"inside the function {_short(owner.name)}"
            yield function.lineno, f"its {name} is {place}; check its indentation"
    for node in tree.body:
        for name in wanted:
            value = assigned_value(node, name)
            if isinstance(value, ast.Lambda):
                made = ast.FunctionDef(name, value.args, [ast.Return(value.body)], [])
                if _is_found(tree, made, name, tree):
                    yield node.lineno, f"its {name} is assigned, not defined with def"


def _is_found(tree: ast.Module, function: Function, name: str, home: ast.AST) -> bool:
    moved = copy.copy(function)
    moved.name = name
    if home is tree:
        body = [node for node in tree.body if node is not function]
        changed, entry = ast.Module([*body, moved], []), name
    else:
        assert isinstance(home, ast.ClassDef)
        kind = copy.copy(home)
        kind.body = [*(node for node in home.body if node is not function), moved]
        body = [kind if node is home else node for node in tree.body]
        changed, entry = ast.Module(body, []), home.name
    found = find_entry(changed)
    return found is not None and found.interface == name and found.name == entry


def _missing_files(
    tree: ast.Module, wanted: Sequence[str], files: Collection[str]
) -> Iterator[tuple[int, str]]:
    given = {*sys.stdlib_module_names}.union(*(course_modules(kind) for kind in CODED))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = node.module.split(".")[0]
            here = any(module in file.removesuffix(".py").split("/") for file in files)
            for alias in node.names:
                about = alias.name.lower()
                is_bot = alias.name in wanted or "player" in about or "agent" in about
                if is_bot and not here and module not in given:
                    what = f"it imports {_short(alias.name)} from {_short(module)}"
                    yield node.lineno, f"{what}, which is not among its files"


def _contents(trees: Mapping[str, ast.Module], wanted: Sequence[str]) -> str:
    other, functions, classes = [], [], []
    for tree in trees.values():
        classes += [_short(name) for name in own_classes(tree)]
        functions += [_short(f.name) for f in tree.body if isinstance(f, FUNCTIONS)]
        for function, around in _functions(tree):
            if function.name in wanted:
                takes = [*function.args.posonlyargs, *function.args.args]
                names = [arg.arg for arg in takes if arg.arg != "self"]
                home = around[-1]
                of = f" of {_short(home.name)}" if isinstance(home, ast.ClassDef) else ""
                other.append(f"{function.name}({', '.join(map(_short, names))}){of}")
    if {"actions", "result"} <= {*functions} and "player" in wanted and "player" in functions:
        return "a player beside actions and result, which says whose turn it is"
    if other:
        return some_of(other, NAMED)
    parts = []
    for what, names in (("class", classes), ("function", functions)):
        if names:
            more = "es" * (what == "class") or "s"
            parts.append(f"the {what}{more * (len(names) > 1)} {some_of(names, NAMED)}")
    return " and ".join(parts)


def looks_like_bot(tree: ast.Module, wanted: Sequence[str], files: Collection[str]) -> bool:
    """Return True if a source looks like a failed attempt at a bot."""
    plain = [name.replace("_", "") for name in wanted]
    methods = [name for name in plain if name in ("pickmove", "nextmove", "makemove")]
    for function, around in _functions(tree):
        name = function.name.replace("_", "").lower()
        names = methods if isinstance(around[-1], ast.ClassDef) else plain
        takes = [arg.arg.lower() for arg in (*function.args.posonlyargs, *function.args.args)]
        if name in plain or get_close_matches(name[:SHOWN_NAME], names, 1, MIN_SIMILARITY):
            return True
        if PICKS_MOVE.fullmatch(name) and any(arg in BOARDS for arg in takes):
            return True
    values = (assigned_value(node, name) for node in tree.body for name in wanted)
    if any(isinstance(value, (ast.Lambda, ast.Name, ast.Attribute)) for value in values):
        return True
    return any(True for _ in _missing_files(tree, wanted, files))


def _functions(tree: ast.Module) -> Iterator[tuple[Function, tuple[ast.AST, ...]]]:
    """Yield each function that is not a test, with its surrounding statements, outermost first."""
    pending: list[tuple[ast.AST, ...]] = [(tree,)]
    for around in pending:
        for node in ast.iter_child_nodes(around[-1]):
            if isinstance(node, FUNCTIONS) and not node.name.startswith("test"):
                yield node, around
            if isinstance(node, (ast.stmt, ast.excepthandler)):
                kept = isinstance(node, (ast.ClassDef, *FUNCTIONS)) or len(around) < MAX_AROUND
                pending.append((*around, node) if kept else (*around[:-1], node))


def _either(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _short(name: str) -> str:
    return name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}…"


def no_entry(
    files: Files,
    wanted: Overrides,
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    broken: Mapping[str, UnreadableError],
) -> UnreadableError:
    """Return the error that says why no bot was found.

    Of the Python `sources`, those in `trees` were searched and those in `broken` were not.
    """
    if not sources and (unstated := unstated_program(files)):
        return unstated
    if wanted.entry is not None and trees:
        defined = any(defines(tree, wanted.entry) for tree in trees.values())
        why = "has no interface that Arena supports" if defined else "none of its files defines"
        return UnreadableError(f"the contest file names the entry {wanted.entry!r}, which {why}")
    python_2 = how_python_2_runs(files)
    # an empty file is the reason only if there is no other
    damaged = [name for name in sources if not isinstance(broken.get(name), EmptyFileError)]
    for name in damaged or sources:
        if name in broken:
            is_python = name.endswith(PYTHON) and not is_notebook(files.read(name))
            return _why_broken(files, name, python_2) if python_2 and is_python else broken[name]
    return _nothing_found(files.names, sources, trees, wanted.interface)


def _nothing_found(
    files: Sequence[str],
    sources: Sequence[str],
    trees: Mapping[str, ast.Module],
    interface: str | None,
) -> UnreadableError:
    if not sources:
        only = f", only {some_of(files, NAMED)}" if files else ""
        if any(map(is_archive, files)):
            only += ": unpack the archive, or let arena collect do it"
        return UnreadableError(f"there is no Python file or notebook in it{only}")
    kinds = [name for name, kind in CODED.items() if kind.PROFILE is Profile.MODULE]
    wanted = [interface] if interface else kinds
    for name, tree in trees.items():
        for kind in wanted:
            if (why := idle(tree, CODED[kind].MOVES)) is not None:
                return UnreadableError(f"{name}: {why}")
    return UnreadableError(no_bot(trees, wanted, files))


def _why_broken(files: Files, name: str, python_2: str) -> UnreadableError:
    try:
        parse(files.read(name), name, python_2=python_2)
    except UnreadableError as error:
        return error
    return UnreadableError(f"{name} changed while it was read")


def defines(tree: ast.Module, name: str) -> bool:
    """Return True if a source defines or assigns `name` at its top level."""
    named = any(getattr(node, "name", None) == name for node in tree.body)
    return named or any(assigned_value(node, name) is not None for node in tree.body)
