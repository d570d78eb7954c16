"""Loading a bot's files: parsed once, instrumented, executed again for every game."""

from __future__ import annotations

import ast
import copy
import gc
import importlib
import linecache
import os
import re
import sys
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from itertools import takewhile
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from arena.common.errors import UnsuitableError
from arena.common.names import is_notebook_module
from arena.common.system import peak_bytes
from arena.host.meter import (
    COMPILE,
    EXEC,
    Counters,
    Meter,
    Search,
    count_made_code,
    find_counters,
    find_search,
    instrument,
)
from arena.host.protocol import BotSpec
from arena.interfaces import interface_of
from arena.interfaces.contract import course_folder
from arena.source.classes import FUNCTIONS, assigned_value
from arena.source.trees import syntax_tree

MAX_FILES = 500  # Source files of one bot that are searched for its search function.
FIRST_FREE = 5  # First free descriptor in a bot's process that has opened no file.

# Garbage of the last game is collected if the bot's memory has grown by more bytes than this.
WORTH_COLLECTING = 16 << 20

# Global of the entry file that holds the bot's class or function. Its own name may mean something
# else by the end of the file.
ENTRY = "__arena_entry__"
KAGGLE = "/kaggle_simulations/agent"  # Folder of a bot's files on Kaggle.

# Line that names each piece of a file taken from a notebook.
PIECE = re.compile(r"^# %% (.+, cell \d+)$", re.MULTILINE)


class Loader:
    """Executes a bot's modules again on every `load`; third-party modules stay."""

    def __init__(self, spec: BotSpec, sources: Collection[str] | None = None) -> None:
        """Parse the bot's files. Raises SyntaxError, NoSuchFunctionError, OSError.

        `sources` are the paths of its Python files; None for all in its folder.
        """
        self._root = Path(spec.root)
        self._sources = sources
        self._entry = self._root / spec.entry_point.file
        self._name = spec.entry_point.name
        self._trees = self._parse()
        moves = self._moves = interface_of(spec.entry_point).MOVES
        self.search: Search = find_search(
            self._trees, str(self._entry), self._name, moves, spec.entry_point.node_function
        )
        self.meter = Meter(self.search)
        self.counters = Counters(
            find_counters(self._trees, str(self._entry), self._name, moves, self.search)
        )
        self._codes: dict[str, list[CodeType]] = {}
        # later imports come after this one in sys.modules; touching the earlier ones would copy
        # some hundred pages of memory that a new process shares
        self._preloaded = next(reversed(sys.modules))
        self._memory = peak_bytes()
        self._file_loader = _loader_class(self)
        self._top = self._find_top()
        self._course_folder = course_folder(spec.entry_point.interface)
        folders = [self._entry.parent, self._top, self._root, self._course_folder]
        self._folders = [folder for folder in folders if folder is not None]
        self._prefixes = tuple(f"{folder}{os.sep}" for folder in self._folders)
        sys.path_hooks.insert(0, self._finder)
        sys.path[:0] = dict.fromkeys(map(str, self._folders))
        for folder in sys.path[: len(self._folders)]:
            sys.path_importer_cache.pop(folder, None)  # it may be the working directory
        self._module = self._module_name()
        # one loader for all games, because making it takes longer than executing a small bot
        self._entry_loader = self._file_loader(self._module, str(self._entry))
        module_spec = spec_from_file_location(self._module, self._entry, loader=self._entry_loader)
        assert module_spec is not None
        self._module_spec = module_spec
        count_made_code(self.meter, self._holds)

    def load(self, nodes: int | None, columns: int) -> object:
        """Execute the entry file in a new namespace; return the bot's class or function.

        Raises UnsuitableError if this is missing, and errors of the bot's code before its
        definition.
        """
        for name in self._new_modules():
            if self._is_own(sys.modules[name]):
                del sys.modules[name]
        if peak_bytes() > self._memory + WORTH_COLLECTING or _has_open_files():
            gc.collect()  # else tables and files of earlier games add up to a limit
        self.meter.new_game(nodes, columns)
        self.counters.new_game()
        module = self._imported()
        entry = module.__dict__.get(ENTRY) or getattr(module, self._name, None)
        if not (callable(entry) or any(hasattr(entry, move) for move in self._moves)):
            raise UnsuitableError(f"has no class or function {self._name!r} once it is imported")
        return entry

    def _new_modules(self) -> list[str]:
        return list(takewhile(self._preloaded.__ne__, reversed(sys.modules)))

    def _imported(self) -> ModuleType:
        name = self._module
        if package := name.rpartition(".")[0]:
            importlib.import_module(package)  # may import the entry file itself
            if name in sys.modules:
                return sys.modules[name]
        module = sys.modules[name] = module_from_spec(self._module_spec)
        self._entry_loader.exec_module(module)
        return module

    def sources(self) -> Mapping[str, ast.Module]:
        """Return the bot's syntax trees by import name.

        If the entry file uses relative imports, the names begin with its outermost package.
        """
        loaded = {
            getattr(sys.modules[name], "__file__", None): name for name in self._new_modules()
        }
        found = {}
        for path, tree in self._trees.items():
            folder = self._top if Path(path).is_relative_to(self._top) else self._root
            parts = Path(path).relative_to(folder).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if path in loaded:
                found[loaded[path]] = tree
            elif parts and all(part.isidentifier() for part in parts):
                found[".".join(parts)] = tree
        return found

    def execute(self, path: str, namespace: dict[str, Any]) -> None:
        """Execute one of the bot's files.

        In the entry file, once the entry is defined, errors other than MemoryError are only
        printed. In the bot's other files, `exit()` and attempts to ask for input are only printed.
        All other errors are raised.
        """
        try:
            for code in self._code(path):
                EXEC(code, namespace)
        except (Exception, SystemExit) as error:
            asked = isinstance(error, (EOFError, SystemExit))  # asked for input or to exit
            if isinstance(error, MemoryError) or not (asked or ENTRY in namespace):
                raise
            if path == str(self._entry) and ENTRY not in namespace:
                raise
            file, line = self.line_of(error) or (Path(path).name, 0)
            print(f"(importing {Path(path).name} ended at {file}, line {line}, with")
            print(f"{type(error).__name__}: {error}; it plays with what was defined by then)")

    def _code(self, path: str) -> list[CodeType]:
        if self._course_folder is not None and path.startswith(f"{self._course_folder}{os.sep}"):
            return course_code(path)
        if path not in self._codes:
            data = Path(path).read_bytes()
            tree = self._trees.get(path) or syntax_tree(data, path)
            instrument(tree, self.search.steps(path))
            if path == str(self._entry):
                _keep_entry(tree, self._name)
            _move_kaggle_paths(tree, str(self._entry.parent))
            self._codes[path] = [
                COMPILE(part, name, "exec", dont_inherit=True)
                for name, part in _pieces(tree, path, data)
            ]
        return self._codes[path]

    def line_of(self, error: BaseException) -> tuple[str, int] | None:
        """Return (file in the bot's folder, line) of the bot's innermost frame, if any.

        If a recursion is too deep: the line of the call, because the last frame never began.
        """
        found: list[tuple[str, int]] = []
        trace = error.__traceback__
        while trace is not None:
            path = Path(trace.tb_frame.f_code.co_filename)
            if path.is_relative_to(self._root):
                found.append((str(path.relative_to(self._root)), trace.tb_lineno))
                del found[:-2]
            trace = trace.tb_next
        return found[0 if isinstance(error, RecursionError) else -1] if found else None

    def _is_own(self, module: ModuleType) -> bool:
        spec = getattr(module, "__spec__", None)
        places = [
            getattr(spec, "origin", None),
            *(getattr(spec, "submodule_search_locations", None) or ()),
        ]
        return any(isinstance(place, str) and self._is_brought(place) for place in places)

    def _is_brought(self, path: str) -> bool:
        """Return whether a path is the bot's or its course's, even in a folder with other bots."""
        if self._sources is None or path.startswith(f"{self._course_folder}{os.sep}"):
            return self._holds(path)
        return path in self._sources or any(
            source.startswith(f"{path}{os.sep}") for source in self._sources
        )

    def _holds(self, path: str) -> bool:
        return f"{os.path.normpath(path)}{os.sep}".startswith(self._prefixes)

    def _module_name(self) -> str:
        if self._top != self._entry.parent:
            return ".".join(self._entry.relative_to(self._top).with_suffix("").parts)
        stem = self._entry.stem.replace(".", "_")
        taken = stem in sys.stdlib_module_names or stem in sys.modules
        return f"bot_{stem}" if taken else stem

    def _find_top(self) -> Path:
        top = self._entry.parent
        if not _levels(self._trees[str(self._entry)]):
            return top
        for path, tree in self._trees.items():
            for level in _levels(tree):
                for folder in Path(path).parents[level : level + 1]:
                    if top.is_relative_to(folder) and folder.is_relative_to(self._root):
                        top = folder
        return top

    def _parse(self) -> dict[str, ast.Module]:
        """Return syntax trees by path: of the entry file, which must parse, and others that do."""
        trees = {str(self._entry): syntax_tree(self._entry.read_bytes(), str(self._entry))}
        paths: Iterable[str] = self._sources or ()
        if self._sources is None:
            paths = (os.path.join(top, f) for top, _, fs in os.walk(self._root) for f in fs)
        for path in sorted(path for path in paths if path.endswith(".py"))[:MAX_FILES]:
            if path not in trees:
                try:
                    trees[path] = syntax_tree(Path(path).read_bytes(), path)
                except (SyntaxError, ValueError, OSError):
                    continue  # if the bot imports this file, Python reports the error
        return trees

    def _finder(self, path: str) -> FileFinder:
        """Path hook: find only source files in the bot's own folders."""
        if not self._holds(path):
            raise ImportError
        if path == str(self._course_folder):
            return _CourseFinder(path, self._folders[:-1], (self._file_loader, [".py"]))
        return FileFinder(path, (self._file_loader, [".py"]))


@cache
def course_code(path: str) -> list[CodeType]:
    """Return the code of a course module; bots inherit what the zygote compiled."""
    tree = syntax_tree(Path(path).read_bytes(), path)
    return [COMPILE(tree, path, "exec", dont_inherit=True)]


class _CourseFinder(FileFinder):
    """Finds course modules, except those that the bot replaces by a folder.

    Without this class, Python would prefer the course's file to a folder without `__init__.py`.
    """

    def __init__(self, path: str, own: Sequence[Path], *loaders: Any) -> None:
        super().__init__(path, *loaders)
        self._own = own

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        if any((folder / fullname).is_dir() for folder in self._own):
            return None
        return super().find_spec(fullname, target)


def _levels(tree: ast.Module) -> set[int]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {node.level for node in nodes if node.level}


def _keep_entry(tree: ast.Module, name: str) -> None:
    """Make the entry file store the last top-level definition of `name` as ENTRY.

    If a later assignment makes another callable of it, the file stores that.
    """
    defined: list[int] = []
    made: list[int] = []
    assigned: list[int] = []
    for index, node in enumerate(tree.body):
        value = assigned_value(node, name)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.name == name:
            defined.append(index)
            made.clear()
        elif value is not None:
            uses = any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value))
            (made if uses else assigned).append(index)
    kept = ast.parse(f"{ENTRY} = {name}").body[0]
    wrapped = ast.parse(f"if callable({name}): {ENTRY} = {name}").body[0]
    for index in reversed(made if defined else []):
        _insert(tree, index + 1, wrapped)
    for index in (defined or assigned)[-1:]:
        _insert(tree, index + 1, kept)


def _move_kaggle_paths(tree: ast.Module, folder: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            head, found, rest = node.value.partition(KAGGLE)
            if found and not head and (not rest or rest.startswith("/")):
                node.value = folder + rest


def _insert(tree: ast.Module, index: int, node: ast.stmt) -> None:
    statement = copy.deepcopy(node)
    for part in ast.walk(statement):
        ast.copy_location(part, tree.body[index - 1])
    tree.body.insert(index, statement)


def _pieces(tree: ast.Module, path: str, data: bytes) -> list[tuple[str, ast.Module]]:
    """Split a file's tree at its PIECE lines; each piece has its own file name and line numbers."""
    if not is_notebook_module(path):
        return [(path, tree)]
    text = data.decode("utf-8")
    pieces: list[tuple[str, ast.Module]] = []
    marks = list(PIECE.finditer(text))
    if not marks:  # no notebook: the author chose such a name
        return [(path, tree)]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    body = deque(tree.body)
    head = ast.Module([], [])
    while body and marks and body[0].lineno <= text.count("\n", 0, marks[0].start()):
        head.body.append(body.popleft())
    pieces.append((path, head))
    for mark, end in zip(marks, ends, strict=True):
        start, stop = (text.count("\n", 0, at) + 1 for at in (mark.start(), end))
        name = os.path.join(os.path.dirname(path), mark[1])
        lines = text[mark.end() : end].split("\n")[1:]
        linecache.cache[name] = (len(text), None, [f"{line}\n" for line in lines], name)
        part = ast.Module([], [])
        while body and (end == len(text) or body[0].lineno < stop):
            part.body.append(ast.increment_lineno(body.popleft(), -start))
        pieces.append((name, part))
    return pieces


def _has_open_files() -> bool:
    try:
        lowest = os.dup(0)
    except OSError:
        return True  # no descriptor is left, or the bot closed its input
    os.close(lowest)
    return lowest > FIRST_FREE


def _loader_class(owner: Loader) -> type[SourceFileLoader]:
    """Return a loader that never reads byte code, which could be forged."""

    class BotFile(SourceFileLoader):
        def exec_module(self, module: ModuleType) -> None:
            owner.counters.attach(self.path, module.__dict__)
            owner.execute(self.path, module.__dict__)

        def create_module(self, spec: ModuleSpec) -> ModuleType | None:
            return None

    return BotFile
