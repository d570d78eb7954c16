"""Compile the engine: `python -m arena.engine.compile`, once after installing.

Later processes load the machine code from disk. Arguments like `solver` select pieces. Only one
process compiles a piece; others wait and print its progress. They use a file lock, which the kernel
releases if its holder dies. Only processes that compile or load import numba.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import TYPE_CHECKING, Any

from arena.common.system import lock
from arena.engine.machine_code import Piece, cache_folder, is_compiled, marker
from arena.rules import Position, Ruleset

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher

SECONDS = 2.0  # Between two progress lines.
PATIENCE = 0.2  # Seconds between two checks of the lock.
BACKGROUND = "--background"  # Run at the lowest priority.
KEPT = 4  # Folders of machine code, of other versions or environments, that stay.


def load(*, solver: bool) -> None:
    """Load the search and, if `solver`, the solver; compile what is not stored."""
    _use(Piece.SEARCH)
    if solver:
        _use(Piece.SOLVER)


def _use(piece: Piece) -> None:
    """Use all of a piece once, which loads or compiles it."""
    from arena.engine.search import Engine
    from arena.engine.solver import Solver  # every house player imports both

    if piece is Piece.SEARCH:
        Engine(Ruleset()).search(Position(Ruleset()), nodes=1)
    else:
        small = Ruleset(4, 4)
        Solver(small, table_bits=1).solve(Position(small))


def main(*words: str) -> int:
    """Compile the named pieces, by default all, unless compiled; return the exit code."""
    if BACKGROUND in words and hasattr(os, "nice"):
        os.nice(19)
    gc.disable()  # it would collect 30 MB, in some tenths of a second
    os.umask(0o022 | os.umask(0o022))  # Arena loads no file that others can write
    folder = cache_folder()
    for piece in Piece:
        if piece in words or not set(words) - {BACKGROUND}:
            _compile(piece, folder)
    if folder is None:
        _say("not stored: no cache folder is writable; set NUMBA_CACHE_DIR to a folder that is")
    elif is_compiled():
        with suppress(OSError):
            _remove_outdated(folder)
    return 0


def _compile(piece: Piece, folder: Path | None) -> None:
    with _turn(piece, folder) as tell:
        if is_compiled((piece,)):
            return
        functions = _functions(piece)
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
            _use(piece)
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
    said = Path(os.devnull) if folder is None else folder / f"{piece}.progress"
    held, last = None, ""
    try:
        while folder is not None and (held := lock(folder / f"{piece}.lock")) is None:
            with suppress(OSError):
                if (line := said.read_text("utf-8")) and line != last:
                    _say(last := line)
            sleep(PATIENCE)
    except OSError:  # nothing can be stored, so waiting is useless
        yield _say
        return

    def tell(line: str) -> None:
        with suppress(OSError):
            said.write_text(line, "utf-8")
        _say(line)

    yield tell
    if held is not None:
        with suppress(OSError):
            said.unlink()
        held.close()


def _functions(piece: Piece) -> set[Dispatcher]:
    """Return the piece's loop and the functions it calls, which are nearly all of the piece."""
    from numba.core.dispatcher import Dispatcher

    from arena.engine import exact, tree

    found: set[Dispatcher] = set()
    left: list[Any] = [tree.search if piece is Piece.SEARCH else exact.search]
    while left:
        if isinstance(each := left.pop(), Dispatcher) and each not in found:
            found.add(each)
            code = each.py_func.__code__
            left += [each.py_func.__globals__.get(name) for name in code.co_names]
    return found


def _say(line: str) -> None:
    print(line, flush=True)


def _remove_outdated(folder: Path) -> None:
    others = {*folder.parent.glob("arena-engine-*")} - {folder}
    for other in sorted(others, key=os.path.getmtime, reverse=True)[KEPT:]:
        shutil.rmtree(other)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
