"""Loading a bot's files: read once, counted by the meter, executed afresh for every game."""

from __future__ import annotations

import ast
import gc
import os
import resource
import sys
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from arena.host.meter import Meter, Search, find_search, instrument
from arena.host.protocol import BotSpec
from arena.interfaces import INTERFACES

MAX_FILES = 500
"""Source files of one bot that are searched for its search function."""

FIRST_FREE = 4
"""Descriptor that is free in a bot's process that has opened nothing."""

WORTH_COLLECTING = 16 << 20
"""Bytes a bot must have needed before the garbage of its last game is looked for."""


class Loader:
    """Gives a bot's modules a fresh namespace on every `load`; third-party modules stay."""

    def __init__(self, spec: BotSpec) -> None:
        """Parse the bot's files. Raises SyntaxError, NoSuchFunction, OSError."""
        self._root = Path(spec.root)
        self._entry = self._root / spec.file
        self._trees = self._parse()
        move = INTERFACES[spec.interface].MOVE
        self.search: Search = find_search(
            self._trees, str(self._entry), spec.entry, move, spec.node_function
        )
        self.meter = Meter(self.search)
        self._codes: dict[str, CodeType] = {}
        self._before = frozenset(sys.modules)
        self._memory = _peak_memory()
        self._file_loader = _loader_class(self)
        sys.path_hooks.insert(0, self._finder)
        sys.path[:0] = dict.fromkeys((str(self._entry.parent), spec.root))

    def load(self, nodes: int | None, columns: int) -> ModuleType:
        """Execute the entry file in a fresh namespace. Raises whatever the bot's code raises."""
        for name in sys.modules.keys() - self._before:
            if self._is_own(sys.modules[name]):
                del sys.modules[name]
        if _peak_memory() > self._memory + WORTH_COLLECTING or _has_open_files():
            gc.collect()  # or the tables and files of games gone by add up to a fault
        self.meter.new_game(nodes, columns)
        name = self._module_name()
        loader = self._file_loader(name, str(self._entry))
        spec = spec_from_file_location(name, self._entry, loader=loader)
        assert spec is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        loader.exec_module(module)
        return module

    def code(self, path: str) -> CodeType:
        """The compiled code of one of the bot's files, with its search function counted."""
        if path not in self._codes:
            tree = self._trees.get(path) or ast.parse(Path(path).read_bytes(), path)
            if not self.search.compiled:
                instrument(tree, (name for file, name in self.search.functions if file == path))
            self._codes[path] = compile(tree, path, "exec", dont_inherit=True)
        return self._codes[path]

    def line_of(self, error: BaseException) -> tuple[str, int] | None:
        """(file in the bot's folder, line) of the innermost frame of the bot's own code.

        Of a recursion that is too deep, the line that calls: the innermost frame never began.
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
        """Whether a module comes from the bot's folder, as a file or as a folder of files."""
        spec = getattr(module, "__spec__", None)
        places = [
            getattr(spec, "origin", None),
            *(getattr(spec, "submodule_search_locations", None) or ()),
        ]
        return any(isinstance(p, str) and Path(p).is_relative_to(self._root) for p in places)

    def _module_name(self) -> str:
        """The file's own name where an import of it can mean nothing else."""
        stem = self._entry.stem
        taken = stem in sys.stdlib_module_names or stem in sys.modules
        return f"bot_{stem}" if taken else stem

    def _parse(self) -> dict[str, ast.Module]:
        """Syntax trees by path: the entry file, which must parse, and every other that does."""
        trees = {str(self._entry): ast.parse(self._entry.read_bytes(), str(self._entry))}
        paths = (os.path.join(top, f) for top, _, fs in os.walk(self._root) for f in fs)
        for path in sorted(path for path in paths if path.endswith(".py"))[:MAX_FILES]:
            if path not in trees:
                try:
                    trees[path] = ast.parse(Path(path).read_bytes(), path)
                except (SyntaxError, ValueError, OSError):
                    continue  # only a fault if the bot imports it, and then Python says so
        return trees

    def _finder(self, path: str) -> FileFinder:
        """Path hook: the bot's own folders are searched for source files and nothing else."""
        if not Path(path).is_relative_to(self._root):
            raise ImportError
        return FileFinder(path, (self._file_loader, [".py"]))


def _peak_memory() -> int:
    """The most memory this process has had resident, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _has_open_files() -> bool:
    """Whether this process has opened something and not closed it."""
    try:
        lowest = os.dup(0)
    except OSError:
        return True  # no number is left, or the bot has closed its input
    os.close(lowest)
    return lowest > FIRST_FREE


def _loader_class(owner: Loader) -> type[SourceFileLoader]:
    """A source loader that never reads or writes byte code, which a submission could forge."""

    class BotFile(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            return owner.code(self.path)

        def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
            return None

        def exec_module(self, module: ModuleType) -> None:
            owner.meter.attach(module.__dict__)
            super().exec_module(module)

        def create_module(self, spec: ModuleSpec) -> ModuleType | None:
            return None

    return BotFile
