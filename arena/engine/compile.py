"""Compile the engine: `python -m arena.engine.compile`, once after installing.

Later processes load the machine code from disk. Arguments like `solver` select pieces. Only one
process compiles a piece; others wait and print its progress. They use a file lock, which the kernel
releases if its holder dies.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

from numba.core.dispatcher import Dispatcher

from arena.engine import exact, tree
from arena.engine.machine_code import Piece, cache_folder, is_compiled, marker
from arena.engine.search import Engine
from arena.engine.solver import Solver
from arena.rules import Position, Ruleset

SECONDS = 2.0  # Between two progress lines.
PATIENCE = 0.2  # Seconds between two checks of the lock.
BACKGROUND = "--background"  # Run at the lowest priority.


def compile_search() -> None:
    Engine(Ruleset()).search(Position(Ruleset()), nodes=1)


def compile_solver() -> None:
    """Compile the solver by solving a small board, which uses all of it."""
    small = Ruleset(4, 4)
    Solver(small, table_bits=1).solve(Position(small))


# What compiles each piece, and its loop, which contains nearly all of its functions.
PIECES = {
    Piece.SEARCH: (compile_search, tree.search),
    Piece.SOLVER: (compile_solver, exact.search),
}


def main(*words: str) -> int:
    """Compile the named pieces, by default all, unless compiled; return the exit code."""
    if BACKGROUND in words:
        os.nice(19)
    folder = cache_folder()
    for piece, (use, loop) in PIECES.items():
        if piece in words or not set(words) - {BACKGROUND}:
            _compile(piece, use, _callees(loop), folder)
    if folder is None:
        _say("not stored: no cache folder is writable; set NUMBA_CACHE_DIR to a folder that is")
    elif is_compiled():
        with suppress(OSError):
            _remove_outdated(folder)
    return 0


def _compile(
    piece: Piece, use: Callable[[], None], functions: set[Dispatcher], folder: Path | None
) -> None:
    with _turn(piece, folder) as tell:
        if is_compiled(piece):
            return
        ended = Event()

        def watch() -> None:
            running = True
            while running:
                running = not ended.wait(SECONDS)
                done = sum(bool(function.signatures) for function in functions)
                tell(f"{piece}: {done} of {len(functions)} functions")

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            use()
        finally:
            ended.set()
            watcher.join()
        if folder is not None:
            try:
                (folder / marker(piece)).touch()
            except OSError:
                _say(f"not stored: {folder} cannot be written")


@contextmanager
def _turn(piece: Piece, folder: Path | None) -> Iterator[Callable[[str], None]]:
    """Wait until no other process compiles this piece; yield a function that prints a line."""
    try:
        if folder is None:
            raise OSError
        file = (folder / f"{piece}.lock").open("a+", encoding="utf-8")
    except OSError:  # nothing can be stored, so waiting is useless
        yield _say
        return
    with file:
        last = ""
        while not _locked(file):
            file.seek(0)
            if (line := file.read()) and line != last:
                _say(last := line)
            sleep(PATIENCE)

        def tell(line: str) -> None:
            file.truncate(0)
            file.write(line)
            file.flush()
            _say(line)

        yield tell
        file.truncate(0)


def _locked(file: Any) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _callees(function: Dispatcher) -> set[Dispatcher]:
    """Return the compiled functions that `function` calls directly or indirectly, and itself."""
    found: set[Dispatcher] = set()
    left: list[Any] = [function]
    while left:
        if isinstance(each := left.pop(), Dispatcher) and each not in found:
            found.add(each)
            code = each.py_func.__code__
            left += [each.py_func.__globals__.get(name) for name in code.co_names]
    return found


def _say(line: str) -> None:
    print(line, flush=True)


def _remove_outdated(folder: Path) -> None:
    if folder.parent.parent == Path(__file__).parent:
        for other in folder.parent.glob("arena-engine-*"):
            if other != folder:
                shutil.rmtree(other)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
