"""Opening a damaged journal, and moving its readable rows into a new one.

The damaged file is moved into a folder `set-aside-1/` in the contest's folder. Its rows are read
from the bytes of its files, in any state. SQLite stores a row as a record: a header with a number
for the type and length of each value, then the values (https://www.sqlite.org/fileformat2.html,
sections 2.1, 1.6 and 4). Wherever bytes look like a record that begins with a game's key, 32
characters, a row is read, and its checksum decides. So damage elsewhere cannot hide a row. A bot's
output cannot imitate one: it is stored without the control characters with which a record begins
(`game_row`).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from struct import unpack_from

from arena.common.errors import DamagedJournalError, ForeignJournalError, InputError, StorageError
from arena.common.files import write_file
from arena.common.text import counted
from arena.journal.database import PAGE, Journal
from arena.journal.rows import ANALYSIS, GAME, GAME_BEFORE, TABLES, JournalRow, is_whole

TRIES = 10  # A journal in use is copied at most this number of times, until a copy is whole.
SALTS = slice(16, 24)  # Bytes of a log's header that change when the log restarts.


class SetAside:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        names = (folder / f"set-aside-{number}" for number in count(1))
        self.path = next(path for path in names if not os.path.lexists(path))

    def place(self, path: Path) -> Path:
        target = self.path / path.relative_to(self._folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def take(self, path: Path) -> None:
        if os.path.lexists(path):
            path.rename(self.place(path))

    def write(self, name: str, text: str) -> None:
        write_file(self.place(self._folder / name), text, durable=True)


def own_journal(path: Path) -> Journal:
    """Open or create a journal in a locked folder.

    A damaged journal is moved away. The new one gets all readable rows, also those that a damaged
    log hides, and its `mended` describes the repair. Raises InputError, StorageError.
    """
    log = log_of(path)
    # SQLite deletes a leftover log, with the rows that it cannot read
    held = _held(path) if log.exists() and log.stat().st_size else []
    if is_half_mended(path):
        held += _held_aside(path)
    try:
        journal = Journal(path)
    except (DamagedJournalError, ForeignJournalError) as error:
        held = list(dict.fromkeys([*held, *_held(path)]))
        if isinstance(error, ForeignJournalError) and not held:
            raise
        aside = _replace(path, held)
        journal = Journal(path)
        journal.mended = (
            f"{path} was damaged ({error}): {_count_text(held)} could still be read and are kept; "
            f"the damaged file is now {aside.relative_to(path.parent)}"
        )
    else:
        if held:
            known = journal.keys()
            _add(journal, (row for row in held if row[0] not in known or len(row) != len(GAME)))
        with suppress(OSError):
            _partial(path).unlink()
    return journal


def is_half_mended(path: Path) -> bool:
    return _partial(path).exists()


@contextmanager
def journal_copy(path: Path) -> Iterator[Journal]:
    """Open a temporary copy, like `own_journal`, as SQLite writes even for readers.

    Raises InputError, StorageError.
    """
    with tempfile.TemporaryDirectory(prefix="arena-") as scratch:
        copy = Path(scratch) / path.name
        try:
            _copy(path, copy)
        except OSError as error:
            raise StorageError(
                f"{path}: cannot be copied to {tempfile.gettempdir()} ({error.strerror})"
            ) from None
        try:
            journal = own_journal(copy)
        except (InputError, StorageError) as error:
            raise type(error)(str(error).replace(str(copy), str(path))) from None
        if journal.mended:
            rows = [*journal.rows("games"), *journal.rows("analyses")]
            journal.mended = f"{path} is damaged: {_count_text(rows)} can still be read"
        try:
            yield journal
        finally:
            journal.close()


def _copy(path: Path, copy: Path) -> None:
    """Copy a journal and its log consistently, while another process may write.

    The log may grow, and its pages may be moved into the journal: the copied log still has them
    all. Both are copied again only if the log has restarted.
    """
    for _ in range(TRIES):
        before = _age(path)
        shutil.copyfile(path, copy)
        log_of(copy).unlink(missing_ok=True)
        if log_of(path).exists():
            shutil.copyfile(log_of(path), log_of(copy))
        if _age(path) == before:
            return


def _age(path: Path) -> bytes | int:
    """Return a value that changes when the log of a journal restarts."""
    try:
        with log_of(path).open("rb") as log:
            salts = log.read(SALTS.stop)[SALTS]
    except FileNotFoundError:
        salts = b""
    return salts or path.stat().st_mtime_ns  # without a log SQLite writes to the journal


def _replace(path: Path, rows: list[JournalRow]) -> Path:
    partial = _partial(path)
    try:
        for file in (partial, log_of(partial)):
            file.unlink(missing_ok=True)
        fresh = Journal(partial)
        _add(fresh, rows)
        fresh.close()
        aside = SetAside(path.parent).place(path)
        shutil.copyfile(path, aside)
        if log_of(path).exists():
            log_of(path).replace(log_of(aside))
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"{path}: is damaged, and {error.strerror}") from None
    return aside


def _partial(path: Path) -> Path:
    return path.with_stem(path.stem + ".partial")


def _held_aside(path: Path) -> list[JournalRow]:
    there = {
        int(number): aside
        for aside in path.parent.glob(f"set-aside-*/{path.name}")
        if (number := aside.parent.name.rpartition("-")[2]).isdecimal()
    }
    return _held(there[max(there)]) if there else []


def _add(journal: Journal, rows: Iterable[JournalRow]) -> None:
    rows = list(rows)
    for table, columns in TABLES.items():
        journal.add_rows(table, (row for row in rows if len(row) == len(columns)))


def _count_text(rows: Iterable[JournalRow]) -> str:
    kinds = Counter(map(len, rows))
    games, analyses = counted(kinds[len(GAME)], "game"), kinds[len(ANALYSIS)]
    return f"{games} and the analyses of {analyses:,}" if analyses else games


def _held(path: Path) -> list[JournalRow]:
    try:
        return rows_held(path)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None


# Bytes before the first frame of a write-ahead log, and before the page in each frame.
LOG_HEADER, FRAME_HEADER = 32, 24

# Start of a record: length of its header, then the type of a text of 32 bytes.
BEGINS = re.compile(rb"[\x05-\x1f]\x4d")

# A record of at most INLINE_MOST bytes is on one page. Of a longer one at least INLINE_LEAST bytes
# are on its first page, and the others in overflow pages.
INLINE_MOST = (PAGE - 12) * 64 // 255 - 23
INLINE_LEAST = (PAGE - 12) * 32 // 255 - 23
MOST_BYTES = 1 << 20  # Longest record.

# Combinations of a record's pages that are tried, if pages exist in several versions.
MOST_TRIES = 64
INTEGERS = {0: None, 8: 0, 9: 1}  # Values of types without bytes.
LENGTHS_OF_ROWS = {len(GAME_BEFORE), *map(len, TABLES.values())}
# Bytes of integer types.
LENGTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def rows_held(path: Path) -> list[JournalRow]:
    """Return every row that can be read from a journal's files. Raises OSError."""
    pages = [*_pages(path.read_bytes(), 0, 0)]
    log = log_of(path)
    if log.exists():
        pages += _pages(log.read_bytes(), LOG_HEADER, FRAME_HEADER)
    images: defaultdict[int, list[bytes]] = defaultdict(list)
    for number, page in pages:
        images[number].append(page)
    rows: dict[JournalRow, None] = {}
    for _, page in pages:
        for found in BEGINS.finditer(page):
            for row in islice(_read(page, found.start(), images), MOST_TRIES):
                if len(row) in LENGTHS_OF_ROWS and is_whole(row):
                    rows[(*row, None) if len(row) == len(GAME_BEFORE) else row] = None
                    break
    return list(rows)


def _pages(data: bytes, header: int, frame_header: int) -> Iterator[tuple[int, bytes]]:
    """Yield (page number, bytes) of a file; the last page may be shorter."""
    step = frame_header + PAGE
    for index, start in enumerate(range(header, len(data) - frame_header, step), 1):
        number = unpack_from(">I", data, start)[0] if frame_header else index
        yield number, data[start + frame_header : start + step]


def _read(page: bytes, start: int, images: dict[int, list[bytes]]) -> Iterator[JournalRow]:
    end = start + page[start]
    types, at = [], start + 1
    while at < min(end, len(page)):
        kind, at = _number(page, at)
        types.append(kind)
    if at != end or not len(ANALYSIS) <= len(types) <= len(GAME):
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
    for image in images.get(number, ()):
        part = image[4 : 4 + size]
        if len(image) < 4 or len(part) == size:
            yield part
            continue
        (following,) = unpack_from(">I", image)
        for rest in _chain(following, size - len(part), images):
            yield part + rest


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a variable-length integer (seven bits a byte), and where it ends."""
    value = 0
    for at in range(at, min(at + 9, len(data))):  # noqa: B020 (it continues from there)
        value = value << 7 | data[at] & 0x7F
        if data[at] < 0x80:
            break
    return value, at + 1


def _length(kind: int) -> int:
    """Return a value's length in bytes. Raises ValueError for types that no row has."""
    if kind in INTEGERS:
        return 0
    if kind in LENGTHS:
        return LENGTHS[kind]
    if kind < 13 or kind % 2 == 0:
        raise ValueError("neither text nor integer")
    return (kind - 13) // 2


def _values(types: list[int], data: bytes) -> JournalRow:
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
