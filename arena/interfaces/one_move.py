"""Programs with a one-move mode, the interface of the MaxConnect4 course.

`PROGRAM one-move IN OUT DEPTH` is started for every move, in the bot's working directory. The file
IN holds the board, six lines of seven digits with the top row first, then the digit of the player
to move. The program writes the same with one more disc to the file OUT. Its options are `command`
or `interpreter`, see `program`, and `depth`.
"""

from __future__ import annotations

import ast
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress

from arena.common.errors import BrokenProgramError, NoMoveError, UnsuitableError
from arena.common.text import one_line
from arena.interfaces import program
from arena.interfaces.contract import Profile, Setup
from arena.interfaces.program import PythonProgram
from arena.rules import Grid, Ruleset

NAME = "one-move"
PROFILE = Profile.PROGRAM
HAS_BUDGET = False
MOVES: tuple[str, ...] = ()
ROWS, COLUMNS, CONNECT = 6, 7, 4
MODE = "one-move"  # The program's first argument.
IN, OUT = "arena-in.txt", "arena-out.txt"
DEPTH = "depth"
DEFAULT_DEPTH = 4  # In plies.
MOST_BYTES = 4096  # Part of an output file that is read.

BoardText = list[str]  # Rows of digits, the top one first.


def find(tree: ast.Module) -> str | None:
    nodes = list(ast.walk(tree))
    knows = any(isinstance(node, ast.Constant) and node.value == MODE for node in nodes)
    looks = any(getattr(node, "attr", getattr(node, "id", "")) == "argv" for node in nodes) or any(
        isinstance(node, ast.alias) and node.name in ("argv", "argparse") for node in nodes
    )
    return NAME if knows and looks else None


def fit(tree: ast.Module, name: str) -> int:
    return 12


def refuses(rules: Ruleset) -> str | None:
    if (rules.rows, rules.columns) != (ROWS, COLUMNS):
        return f"the {MODE} file format holds a {ROWS}×{COLUMNS} board only"
    if rules.connect != CONNECT:
        return f"the {MODE} file format is for lines of four only"
    return None


def adapt(entry: str, setup: Setup) -> FilesAdapter:
    depth = setup.options.get(DEPTH, DEFAULT_DEPTH)
    if type(depth) is not int:
        raise UnsuitableError(f"has the depth {depth!r}: expected a whole number")
    words = program.command(entry, setup.options, DEPTH)
    try:
        open(IN, "w").close()
    except OSError as error:  # on a machine without Landlock bots may not write files
        raise UnsuitableError(
            f"writes a file for every move, which this machine lets no bot do ({error.strerror}; "
            "arena doctor explains more)"
        ) from None
    words += [MODE, IN, OUT, str(depth)]
    if program.is_python(entry, setup.options) and hasattr(os, "fork"):
        return FilesAdapter(PythonProgram(words).run)
    return FilesAdapter(lambda: program.start(words).wait())


class FilesAdapter:
    def __init__(self, run: Callable[[], int]) -> None:
        """Prepare moves; `run` runs the program once and returns its exit status."""
        self._run = run
        self._grid = Grid()

    def see(self, player: int, column: int) -> None:
        self._grid = self._grid.play(column)

    def pick(self) -> int:
        """Return the program's move. Raises NoMoveError, BrokenProgramError."""
        for name in (IN, OUT):
            _remove(name)
        with open(IN, "w", encoding="ascii", newline="\n") as file:
            file.write(self._grid.text())
        files, since = set(os.listdir()), program.printed()
        status = self._run()
        try:
            if not os.path.lexists(OUT):
                raise NoMoveError(f"wrote no output file{_instead(files)}")
            # as in the course, a valid file counts whatever the exit status
            return move_between(self._grid.rows(), _board(_content()), self._grid.to_move)
        except NoMoveError:
            if status != 0:
                raise program.failure(status, since) from None
            raise


def move_between(before: BoardText, after: BoardText, player: int) -> int:
    """Return the column of the one disc that was added. Raises NoMoveError."""
    cells = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]
    changed = [(r, c) for r, c in cells if before[r][c] != after[r][c]]
    if not changed:
        raise NoMoveError("made no move: its output file has the board it was given")
    for row, column in changed:
        if before[row][column] != "0":
            did = "took away" if after[row][column] == "0" else "changed the colour of"
            raise NoMoveError(f"{did} a disc in column {column}")
    if len(changed) > 1:
        raise NoMoveError(f"dropped {len(changed)} discs in one move")
    ((row, column),) = changed
    if after[row][column] != str(player + 1):
        raise NoMoveError(f"dropped a disc of its opponent's in column {column}")
    if row + 1 < ROWS and before[row + 1][column] == "0":
        raise NoMoveError(f"left its disc in the air in column {column}")
    return column


def _content() -> bytes:
    try:
        fd = os.open(OUT, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return os.read(fd, MOST_BYTES)
        finally:
            os.close(fd)
    except OSError as error:
        raise NoMoveError(f"wrote no output file that can be read: {error.strerror}") from None


def _board(data: bytes) -> BoardText:
    """Return the rows of a board; the digit below them is often wrong, and ignored."""
    lines = [line.strip() for line in data.decode("utf-8-sig", "replace").splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise NoMoveError("wrote an empty output file")
    for number, line in enumerate(lines[:ROWS], 1):
        if len(line) != COLUMNS or not set(line) <= set("012"):
            raise NoMoveError(
                f"wrote no board: line {number} of its output file is {one_line(line, 20)!r} and "
                "not seven digits 0, 1 or 2"
            )
    if len(lines) < ROWS:
        raise NoMoveError(f"wrote no board: its output file has {len(lines)} of six rows")
    return lines[:ROWS]


def _remove(name: str) -> None:
    try:
        with suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(name).st_mode):
                shutil.rmtree(name)
            else:
                os.unlink(name)
    except OSError as error:
        raise BrokenProgramError(
            f"left something that cannot be removed: {error.strerror}"
        ) from None


def _instead(before: set[str]) -> str:
    others = sorted(set(os.listdir()) - before)
    return f", but {one_line(others[0], 60)!r}" if others else ""
