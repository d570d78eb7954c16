"""Rows out of the bytes of a journal and its log, whatever has become of the files around them.

SQLite keeps a row as one record: a header with a number for the type and length of each value, and
the values behind it (https://www.sqlite.org/fileformat2.html, sections 2.1, 1.6 and 4). A record
begins with the game's key, a text of 32 characters: where bytes look like that, a row is read, and
its checksum tells whether it is one. Nothing else of the format matters here, so nothing else that
is damaged can hide a row. And what a bot printed cannot pass for one: it is kept without the
control characters with which a record begins (`game_row`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from struct import unpack_from

from arena.contest.journal import PAGE
from arena.contest.rows import ANALYSIS, GAME, TABLES, Row, is_plausible, is_whole, sealed

LOG_HEADER, FRAME_HEADER = 32, 24
"""Bytes before the first frame of a write-ahead log, and before the page in each frame."""

BEGINS = re.compile(rb"[\x05-\x1f]\x4d")
"""The beginning of a record: the length of its header, then the type of a text of 32 bytes."""

INLINE_MOST = (PAGE - 12) * 64 // 255 - 23
INLINE_LEAST = (PAGE - 12) * 32 // 255 - 23
"""Bytes of a record that stay on its page; the others are in a chain of overflow pages."""

MOST_BYTES = 1 << 20
"""Bytes of the longest record that is looked for."""

MOST_TRIES = 64
"""Ways to put a record's pages together that are tried, where they are there in several forms."""

INTEGERS = {0: None, 8: 0, 9: 1}
LENGTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Types of values that take no bytes, and the bytes of those that are integers."""


def log_of(path: Path) -> Path:
    """The write-ahead log that belongs to a journal."""
    return path.with_name(path.name + "-wal")


def rows_held(path: Path) -> list[Row]:
    """Every row that a journal's files still hold.

    Journals of format 0 have no checksums: there, all rows are taken that can be right. Raises
    OSError.
    """
    pages = [*_pages(path.read_bytes(), 0, 0)]
    log = log_of(path)
    if log.exists():
        pages += _pages(log.read_bytes(), LOG_HEADER, FRAME_HEADER)
    images: defaultdict[int, list[bytes]] = defaultdict(list)
    for number, page in pages:
        images[number].append(page)
    rows: dict[Row, None] = {}
    early: dict[Row, None] = {}
    for _, page in pages:
        for found in BEGINS.finditer(page):
            for row in islice(_read(page, found.start(), images), MOST_TRIES):
                if len(row) in map(len, TABLES.values()) and is_whole(row):
                    rows[row] = None
                    break
                if len(row) in (len(GAME) - 1, len(ANALYSIS) - 1) and is_plausible(row):
                    early[row] = None
    return list(rows) or [sealed(row) for row in early]


def _pages(data: bytes, header: int, frame_header: int) -> Iterator[tuple[int, bytes]]:
    """(number, bytes) of the pages in a file; the last may be cut short."""
    step = frame_header + PAGE
    for index, start in enumerate(range(header, len(data) - frame_header, step), 1):
        number = unpack_from(">I", data, start)[0] if frame_header else index
        yield number, data[start + frame_header : start + step]


def _read(page: bytes, start: int, images: dict[int, list[bytes]]) -> Iterator[Row]:
    """Yield what can be the row of a record that begins there, once for each form of its pages."""
    end = start + page[start]
    types, at = [], start + 1
    while at < min(end, len(page)):
        kind, at = _number(page, at)
        types.append(kind)
    if at != end or not len(ANALYSIS) - 1 <= len(types) <= len(GAME):
        return
    try:
        size = page[start] + sum(map(_length, types))
    except ValueError:
        return
    if size > MOST_BYTES:
        return
    inline = size
    if size > INLINE_MOST:
        inline = INLINE_LEAST + (size - INLINE_LEAST) % (PAGE - 4)
        inline = INLINE_LEAST if inline > INLINE_MOST else inline
    held = page[end : start + inline]
    if inline == size:
        rests = iter([b""])
    elif len(page) >= start + inline + 4:
        (following,) = unpack_from(">I", page, start + inline)
        rests = _chain(following, size - inline, images)
    else:
        return
    for rest in rests:
        try:
            yield _values(types, held + rest)
        except ValueError:
            continue


def _chain(number: int, size: int, images: dict[int, list[bytes]]) -> Iterator[bytes]:
    """Return what can stand in a chain of overflow pages that begins with this one."""
    for image in images.get(number, ()):
        part = image[4 : 4 + size]
        if len(image) < 4 or len(part) == size:
            yield part
            continue
        (following,) = unpack_from(">I", image)
        for rest in _chain(following, size - len(part), images):
            yield part + rest


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, seven bits a byte, and where it ends."""
    value = 0
    for at in range(at, min(at + 9, len(data))):  # noqa: B020 (it goes on from there)
        value = value << 7 | data[at] & 0x7F
        if data[at] < 0x80:
            break
    return value, at + 1


def _length(kind: int) -> int:
    """Bytes of a value. Raises ValueError for types that no row of a journal has."""
    if kind in INTEGERS:
        return 0
    if kind in LENGTHS:
        return LENGTHS[kind]
    if kind < 13 or kind % 2 == 0:
        raise ValueError("neither text nor integer")
    return (kind - 13) // 2


def _values(types: list[int], data: bytes) -> Row:
    """The values in a record's body. Raises ValueError."""
    values: list[str | int | None] = []
    at = 0
    for kind in types:
        part = data[at : (at := at + _length(kind))]
        if len(part) != _length(kind):
            raise ValueError("cut short")
        if kind in INTEGERS:
            values.append(INTEGERS[kind])
        elif kind in LENGTHS:
            values.append(int.from_bytes(part, "big", signed=True))
        else:
            values.append(part.decode("utf-8"))
    return tuple(values)
