"""A CSV file of which single cells are changed, and every other byte stays as it is.

Course systems read their own files back. What was not asked for must come back as it went out:
quotes, encoding, the byte order mark, line ends, the character between the cells.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from arena.errors import InputError

MARK = "\ufeff"
"""Byte order mark, by which Excel knows UTF-8."""

MAX_BYTES = 64 << 20
"""Bytes of the longest file that is read."""

SEPARATORS = (",", ";", "\t")
"""Characters between cells, in the order in which they are tried."""


class Sheet:
    """A course system's own CSV file, to be filled in."""

    def __init__(self, path: Path, data: bytes) -> None:
        """Read a sheet from the bytes of the file at `path`. Raises InputError."""
        self.path = path
        """The file."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{path}:{line}: not UTF-8 text; use the file as the course's system gave it"
            ) from None
        self._mark = MARK if text.startswith(MARK) else ""
        text = text.removeprefix(MARK)
        head = text[: max(text.find("\n"), 0) or len(text)]
        self._separator = max(SEPARATORS, key=head.count)
        self._lines = list(split(text, self._separator))
        self.header = next(self.rows(), [])
        """The cells of the first row."""
        self.columns = {name.strip().casefold(): at for at, name in enumerate(self.header)}
        """Numbers of the columns by lower-case name."""

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of each row, the header included, without quotes."""
        return ([plain(cell) for cell in cells] for cells, _ in self._lines)

    def line(self, number: int) -> int:
        """Return the line of the file, from 1, in which a row begins."""
        before = self._lines[:number]
        return 1 + sum("".join((*cells, end)).count("\n") for cells, end in before)

    def named(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        """Yield each row below the header: its number, and stripped cells by lower-case column.

        Columns that the sheet lacks are empty.
        """
        for row in range(1, len(self._lines)):
            cells = {name: self.cell(row, at).strip() for name, at in self.columns.items()}
            yield row, defaultdict(str, cells)

    def cell(self, number: int, column: int) -> str:
        """Return a cell without quotes; empty if the row ends before it."""
        cells, _ = self._lines[number]
        return plain(cells[column]) if column < len(cells) else ""

    def fill(self, number: int, column: int, text: str) -> None:
        """Write a cell, quoted where needed."""
        cells, end = self._lines[number]
        cells = [*cells, *[""] * (column + 1 - len(cells))]
        cells[column] = quoted(text, self._separator)
        self._lines[number] = cells, end

    def to_bytes(self) -> bytes:
        """Return the file."""
        lines = (self._separator.join(cells) + end for cells, end in self._lines)
        return (self._mark + "".join(lines)).encode()


def read_sheet(path: Path) -> Sheet:
    """Read a course system's own file. Raises InputError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: longer than a gradebook can be")
        return Sheet(path, path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def split(text: str, separator: str) -> Iterator[tuple[list[str], str]]:
    """Yield the rows of a CSV text: cells as they are written, with quotes, and the line's end."""
    cell = re.compile(
        rf'("(?:[^"]|"")*(?:"|\Z)[^{separator}\r\n]*|[^{separator}\r\n]*)({separator}|\r\n|\n|\r|\Z)'
    )
    cells: list[str] = []
    at = 0
    while at < len(text) or cells:
        found = cell.match(text, at)
        assert found is not None  # any text is a cell
        cells.append(found[1])
        at = found.end()
        if found[2] != separator:
            yield cells, found[2]
            cells = []


def plain(cell: str) -> str:
    """Return what a cell says."""
    if not cell.startswith('"'):
        return cell
    parts = re.fullmatch(r'"((?:[^"]|"")*)"?(.*)', cell, re.DOTALL)
    assert parts is not None  # any text after a quote
    return parts[1].replace('""', '"') + parts[2]


def quoted(text: str, separator: str = ",") -> str:
    """Return a cell that says this."""
    if any(mark in text for mark in (separator, '"', "\r", "\n")) or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
