"""Facts in a bot's sources: needed modules, search function, parameters."""

from __future__ import annotations

import ast
import os
import site
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from arena.common.errors import GarbledError, NoSuchFunctionError, UnreadableError
from arena.common.names import is_notebook_module
from arena.common.packages import PACKAGES, installed_version, is_promised
from arena.host.loader import PIECE
from arena.host.meter import find_counters, find_search
from arena.intake.archive import ArchiveFiles, PackedFiles
from arena.intake.confined import confined, text, texts
from arena.intake.entry_search import MAX_NAME, trees_of
from arena.intake.files import FolderFiles, WatchedFiles, WithMore
from arena.intake.house_players import options_taken
from arena.intake.reading import At
from arena.intake.submission import MAX_ITEMS, MAX_SENTENCE, Submission
from arena.interfaces import BY_NAME, INTERFACES, interface_of, one_move
from arena.interfaces.binding import plain
from arena.interfaces.contract import course_modules
from arena.interfaces.described import Described

WINDOWS = frozenset(("msvcrt", "winreg", "winsound", "_winapi", "nt"))
PYTHON_2 = frozenset(
    ("cPickle", "ConfigParser", "Queue", "StringIO", "Tkinter", "thread", "urllib2")
)

NOT_PROMISED = "it is not among the packages that this contest promises"
WITH_PYTHON = frozenset((*sys.stdlib_module_names, "__main__", "arena"))


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededImport:
    """An imported module that is not part of the bot, its course or Python."""

    name: str
    file: str
    """File (or notebook cell) of the first import, preferably one that runs at load."""

    line: int
    at_load: bool
    """Whether loading the bot fails without the module."""

    is_installed: bool
    is_promised: bool | None = None
    """Whether the contest file allows its package; None if that lists no packages."""

    like: str = ""

    def __str__(self) -> str:
        when = "at the top" if self.at_load else "not needed at once"
        return f"{self.name} ({self.file}, line {self.line}, {when})"

    @property
    def is_package(self) -> bool:
        """False for modules of other Pythons, which no package has."""
        return self.name not in PYTHON_2 and self.name not in sys.stdlib_module_names

    @property
    def cure(self) -> str:
        """Why the module is missing and what to do, as a clause."""
        if self.name in WINDOWS:
            return f"{self.name} exists on Windows only"
        if self.name in PYTHON_2:
            return f"{self.name} is a module of Python 2"
        if self.name in sys.stdlib_module_names:
            return f"{self.name} is part of Python, but not of the one that runs here"
        if self.name in PACKAGES:
            how = f"pip install {PACKAGES[self.name]}, where Arena runs"
            if self.is_promised:
                return f"the contest file allows it, so an instructor must install it: {how}"
            if self.is_promised is False:
                return NOT_PROMISED
            return f"an instructor can allow it: {how}"
        have = f", which include {self.like}" if self.like else ""
        return f"{self.name} is neither installed where Arena runs nor among its files{have}"


def needed_imports(
    submission: Submission, allowed: Collection[str] = ()
) -> tuple[NeededImport, ...]:
    """Return imported modules that are not part of the bot, its course or Python.

    Those that loading needs come first. `allowed` are the packages that the contest file lists.
    The result is empty if the bot's files cannot be read: then it cannot play either.
    """
    own = _own_modules(submission)
    needed = [
        NeededImport(
            name=name,
            file=where,
            line=line,
            at_load=at_load,
            is_installed=is_installed,
            is_promised=is_promised(name, allowed) if allowed else None,
            like="" if is_installed else _similar_file(name, own),
        )
        for name, (file, line, at_load) in submission.imports.items()
        if name not in own
        for is_installed in [_installed(name)]
        if not is_installed or name not in WITH_PYTHON
        for where, line in [_author_place(submission, file, line)]
    ]
    return tuple(sorted(needed, key=lambda each: (not each.at_load, each.name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageUse:
    """A package, or an unknown module, and the bots of a class that import it."""

    name: str
    bots: int
    at_load: int
    """The number of bots that cannot be loaded without it."""

    version: str
    """The installed version, "yes" if only a module is found; empty if nothing is installed."""

    is_promised: bool | None
    is_known: bool
    """False if this may be a module that was not handed in."""


def package_uses(
    needed: Iterable[Iterable[NeededImport]], allowed: Collection[str] = ()
) -> list[PackageUse]:
    """Return needed and allowed packages besides Arena's own, the most used first."""
    promised = [PACKAGES.get(name, name) for name in allowed]
    bots: dict[str, list[list[NeededImport]]] = {name: [] for name in promised}
    for imports in needed:
        of_bot: dict[str, list[NeededImport]] = {}
        for each in imports:
            if each.is_package and not is_promised(each.name, ()):
                usual = PACKAGES.get(each.name, each.name)
                name = next((name for name in promised if is_promised(each.name, [name])), usual)
                of_bot.setdefault(name, []).append(each)
        for name, its in of_bot.items():
            bots.setdefault(name, []).append(its)
    uses = [
        PackageUse(
            name=name,
            bots=len(found),
            at_load=sum(any(each.at_load for each in its) for its in found),
            version=installed_version(name)
            or ("yes" if any(each.is_installed for its in found for each in its) else ""),
            is_promised=name in promised if promised else None,
            is_known=name in promised or name in PACKAGES.values(),
        )
        for name, found in bots.items()
    ]
    return sorted(uses, key=lambda use: (-use.bots, use.name))


def imported_modules(submission: Submission) -> frozenset[str]:
    """Return a bot's third-party imports; empty if its files cannot be read."""
    return frozenset(submission.imports.keys() - _own_modules(submission) - WITH_PYTHON)


def _own_modules(submission: Submission) -> set[str]:
    """Return the modules that its files or its course have; of any course if that is unknown."""
    own = {part.removesuffix(".py") for name in submission.files for part in name.split("/")}
    known = submission.entry_point.interface
    return own.union(*map(course_modules, [known] if known else INTERFACES))


def _similar_file(name: str, own: Iterable[str]) -> str:
    known = {module.casefold(): module for module in own}
    close = get_close_matches(name.casefold(), known, 1, 0.8)
    return f"{known[close[0]]}.py" if close else ""


def _author_place(submission: Submission, file: str, line: int) -> tuple[str, int]:
    if not is_notebook_module(file):
        return file, line
    above = submission.contents.read(file).decode().split("\n")[:line]
    for start in reversed(range(len(above))):
        if mark := PIECE.match(above[start]):
            return mark[1], line - start - 1
    return file, line


def _installed(name: str) -> bool:
    """Return True if bots can import a module, which excludes user packages and this folder."""
    if name in (*sys.builtin_module_names, "__main__", "arena"):
        return True
    hidden = {"", os.getcwd(), site.getusersitepackages()}
    try:
        return PathFinder.find_spec(name, [p for p in sys.path if p not in hidden]) is not None
    except (ImportError, ValueError):
        return False


def call_on_trees(submission: Submission, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `function(trees, *arguments)`; trees are by file, arguments are JSON.

    Raises OSError, UnreadableError.
    """
    files, made = submission.contents, dict[str, str]()
    if isinstance(files, WithMore):
        made = {name: data.decode() for name, data in files.more.items()}
        files = files.files
    if isinstance(files, PackedFiles):
        where, names = files.path, None
    else:
        assert isinstance(files, FolderFiles)
        where, names = files.folder, list(files.names)
    module = function.__module__
    return confined(
        *(run_on_trees, module, function.__name__, os.path.abspath(where), names, made),
        list(arguments),
        readable=[submission.source],
        modules=[__name__, module],
    )


def run_on_trees(
    at: At,
    module: str,
    function: str,
    where: str,
    names: Sequence[str] | None,
    made: Mapping[str, str],
    arguments: Sequence[Any],
) -> Any:
    path = Path(where)
    files = ArchiveFiles(path) if names is None else FolderFiles(path, tuple(names))
    more = {file: text.encode() for file, text in made.items()}
    trees, _ = trees_of(WatchedFiles(WithMore(files, more), at), WithMore(files, more).names)
    return getattr(sys.modules[module], function)(trees, *arguments)


def search_of(
    submission: Submission, moves: Sequence[str], named: str | None
) -> tuple[str, bool, tuple[str, ...], str]:
    """Return (words, whether calls are counted, counters, doubt) for a bot's search.

    `words` name the search function or say why none was found. `counters` are the bot's own
    variables; `doubt` is why the function may not be the whole search, or empty. `moves` are the
    methods that start a move; `named` is the contest file's function.
    """
    try:
        words, is_counted, counters, _, doubt = _search(submission, moves, named)
    except UnreadableError as error:
        return str(error), False, (), ""
    return words, is_counted, counters, doubt


def wrong_search(submission: Submission, moves: Sequence[str], named: str) -> str | None:
    """Return why the bot has no search function of this name; None if it has."""
    with suppress(UnreadableError):  # loading the bot reports the error
        words, _, _, is_there, _ = _search(submission, moves, named)
        return None if is_there else words
    return None


def _search(
    submission: Submission, moves: Sequence[str], named: str | None
) -> tuple[str, bool, tuple[str, ...], bool, str]:
    place = submission.entry_point.file, submission.entry_point.name
    match call_on_trees(submission, search_in, *place, list(moves), named):
        case [words, bool(is_counted), counters, bool(is_there), doubt]:
            names = texts(counters, MAX_ITEMS, MAX_NAME)
            doubt = text(doubt, MAX_SENTENCE)
            return text(words, MAX_SENTENCE), is_counted, names, is_there, doubt
    raise GarbledError


def search_in(
    trees: Mapping[str, ast.Module], file: str, entry: str, moves: Sequence[str], named: str | None
) -> list[Any]:
    """Return the values of `search_of`, with "`named` exists" before the doubt."""
    try:
        search = find_search(trees, file, entry, moves, named)
    except NoSuchFunctionError as error:
        return [str(error), False, [], False, ""]
    found = find_counters(trees, file, entry, moves, search)
    counters = sorted({name for names in found.values() for name in names})
    return [str(search), search.counts, counters, True, search.doubt if search.counts else ""]


def chosen_values(submission: Submission, options: Mapping[str, object]) -> dict[str, object]:
    """Return the values that Arena gives the bot's parameters, without `options`."""
    parameters = options_taken(submission) or []
    kind = interface_of(submission.entry_point) if submission.problem is None else None
    if isinstance(kind, Described) and kind.NAME in BY_NAME:  # an instructor knows the others
        given, stated = kind.fixed_values(parameters), kind.with_synonyms(options)
        return {name: value for name, value in given.items() if plain(name) not in stated}
    is_free = kind is one_move and one_move.DEPTH not in options
    return {one_move.DEPTH: one_move.DEFAULT_DEPTH} if is_free else {}
