"""Programs that speak a protocol of lines, for bots in any language.

The program is started for every game. It gets one line at the start, and one at each of its turns:

    game ROWS COLUMNS CONNECT GOAL PLAYER
    move COLUMN…

GOAL is `first` or `most`. PLAYER is 1 or 2; player 1 begins. The columns of `move` are all played
so far, counted from 0. The program answers each `move` with one line, its column. It may ignore
other lines and print anything to standard error. It is killed at the end of the game. Its options
are `command` or `interpreter`, see `program`.
"""

from __future__ import annotations

import ast
import os
import re
import select
import subprocess
import threading
from contextlib import suppress
from queue import SimpleQueue

from arena.common.errors import BrokenProgramError, NoMoveError
from arena.common.text import one_line
from arena.interfaces import program
from arena.interfaces.contract import Profile, Setup
from arena.rules import Ruleset

NAME = "lines"
PROFILE = Profile.PROGRAM
HAS_BUDGET = False
MOVES: tuple[str, ...] = ()
LONGEST = 1000  # Bytes of an answer that may arrive before its line end.
QUOTED = 40  # Characters of an answer that messages quote.
END_SECONDS = 1.0  # Waiting time for the program's end after it closed its output.


def find(tree: ast.Module) -> str | None:
    nodes = list(ast.walk(tree))
    words = {node.value for node in nodes if isinstance(node, ast.Constant)}
    reads = any(isinstance(node, ast.Attribute) and node.attr == "stdin" for node in nodes)
    return NAME if reads and words >= {"game", "move"} else None


def fit(tree: ast.Module, name: str) -> int:
    return 3


def refuses(rules: Ruleset) -> None:
    return None


def adapt(entry: str, setup: Setup) -> LinesAdapter:
    return LinesAdapter(setup, program.command(entry, setup.options))


class _Pipe:
    def __init__(self, descriptor: int) -> None:
        self._from = descriptor

    def is_there(self) -> bool:
        """Return whether something can be read, or the pipe is closed."""
        return bool(select.select([self._from], [], [], 0)[0])

    def read(self) -> bytes:
        """Wait for something to read; b"" if the pipe is closed."""
        return os.read(self._from, 4096)


class _ReadPipe(_Pipe):
    """The same for Windows, where select knows no pipes: a thread reads."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self._pieces = SimpleQueue[bytes]()
        threading.Thread(target=self._read_on, daemon=True).start()

    def is_there(self) -> bool:
        return not self._pieces.empty()

    def read(self) -> bytes:
        piece = self._pieces.get()
        if not piece:
            self._pieces.put(piece)  # it stays closed
        return piece

    def _read_on(self) -> None:
        while data := super().read():
            self._pieces.put(data)
        self._pieces.put(b"")


class LinesAdapter:
    def __init__(self, setup: Setup, words: list[str]) -> None:
        self._since = program.printed()
        self._process = program.start(words, piped=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to = self._process.stdin.fileno()
        pipe = _Pipe if hasattr(select, "poll") else _ReadPipe
        self._output = pipe(self._process.stdout.fileno())
        self._read = b""
        self._columns: list[int] = []
        rules, disc = setup.rules, setup.player + 1
        self._write_line(f"game {rules.rows} {rules.columns} {rules.connect} {rules.goal} {disc}")

    def see(self, player: int, column: int) -> None:
        self._columns.append(column)

    def pick(self) -> int:
        """Return the program's move. Raises NoMoveError, BrokenProgramError."""
        if self._read.strip() or self._output.is_there():
            early = self._line()
            raise NoMoveError(f"answered {_quoted(early)} before it was asked for its move")
        self._read = b""
        self._write_line(" ".join(["move", *map(str, self._columns)]))
        line = self._line()
        if not re.fullmatch(rb"[+-]?\d{1,4}", line):
            raise NoMoveError(
                f"answered {_quoted(line)}, which is no column number; only answers belong on "
                "standard output"
            )
        return int(line)

    def _write_line(self, line: str) -> None:
        """Write a line to the program. If it closed the pipe, reading its answer reports this."""
        data = memoryview(f"{line}\n".encode())
        with suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._to, data) :]

    def _line(self) -> bytes:
        while True:
            line, end, rest = self._read.partition(b"\n")
            if end:
                self._read = rest
                if line.strip():
                    return line.strip()
            elif len(line) > LONGEST:
                raise NoMoveError(f"answered {_quoted(line)} without ending the line")
            else:
                data = self._output.read()
                if not data:
                    raise self._why_silent()
                self._read += data

    def _why_silent(self) -> BrokenProgramError:
        try:
            status = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return BrokenProgramError("closed its standard output")
        return program.failure(status, self._since)


def _quoted(line: bytes) -> str:
    return repr(one_line(line[:LONGEST].decode("utf-8", "replace"), QUOTED))
