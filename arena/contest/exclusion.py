"""Bots that an instructor excludes from a contest: `excluded.csv` in its folder.

An excluded bot is treated as if it had never been handed in: its games do not count and are not
played. They stay in the journal, so an exclusion can be undone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from arena.common.errors import InputError, unwritable
from arena.common.files import write_file
from arena.common.names import hint_for
from arena.common.text import harmless_cell, one_line, plain_cell
from arena.settings.contest import Contest

EXCLUDED = "excluded.csv"


class Exclusion(NamedTuple):
    """A row of `excluded.csv`, whose columns are these fields."""

    bot: str

    when: str
    """Like `2026-05-01 09:30`."""

    reason: str
    """One line, or empty."""


def read_excluded(folder: Path) -> tuple[Exclusion, ...]:
    """Return the excluded bots of a contest; none without a file.

    Raises InputError with the line number.
    """
    path = folder / EXCLUDED
    mend = f"put it back, or delete it to include all bots again: arena rank {folder}"
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8; {mend}") from None
    rows = csv.reader(io.StringIO(text, newline=""))
    found: dict[str, Exclusion] = {}
    try:
        if tuple(next(rows, ())) != Exclusion._fields:
            raise ValueError(f"expected the columns {','.join(Exclusion._fields)}")
        for cells in rows:
            if len(cells) != len(Exclusion._fields) or not cells[0]:
                raise ValueError(f"expected {len(Exclusion._fields)} cells, the first a bot")
            row = Exclusion(*(one_line(plain_cell(cell)) for cell in cells))
            found[row.bot] = row
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path}:{max(rows.line_num, 1)}: {error}; {mend}") from None
    return tuple(found.values())


def write_excluded(folder: Path, rows: Iterable[Exclusion]) -> None:
    """Write `excluded.csv`, or delete it if there are no rows. Raises StorageError."""
    path, rows = folder / EXCLUDED, list(rows)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Exclusion._fields)
    writer.writerows([harmless_cell(cell) for cell in row] for row in rows)
    try:
        if rows:
            write_file(path, text.getvalue(), durable=True)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from None


def with_excluded(contest: Contest, rows: Iterable[Exclusion]) -> Contest:
    """Return the contest with exactly these bots excluded."""
    reasons: Mapping[str, str] = {row.bot: row.reason for row in rows}
    bots = contest.bots.items()
    changed = {name: replace(entry, excluded=reasons.get(name)) for name, entry in bots}
    return replace(contest, bots=changed)


def require_excludable(contest: Contest, names: Iterable[str], *, undo: bool) -> None:
    """Raise InputError if a bot cannot be excluded (with `undo`: included again)."""
    students = [name for name, bot in contest.bots.items() if not bot.house]
    for name in names:
        entry = contest.bots.get(name)
        if entry is None:
            hint = hint_for(name, students, f"bots: {', '.join(students)}")
            raise InputError(f"{name}: there is no bot of that name; {hint}")
        if entry.house:
            raise InputError(f"{name}: is a house player; ratings and grades need it")
        if undo and entry.excluded is None:
            raise InputError(f"{name}: is not excluded, so there is nothing to undo")
        if not undo and entry.excluded is not None:
            raise InputError(f"{name}: is already excluded; --undo includes it again")
