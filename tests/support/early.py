"""A contest of an early Arena, with journal format 1; and changes to journal rows.

`early.tar.gz` is its folder: three bots, 12 games, four of them lost by an error, without retries
or a report.
"""

from __future__ import annotations

import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.contest.folder import ContestFolder
from arena.contest.session import Session
from arena.journal.rows import TABLES, sealed, sealed_game
from arena.report.files import write_results

ARCHIVE = Path(__file__).parents[1] / "contest" / "early.tar.gz"
JOURNAL = "journal.sqlite"
Values = dict[str, Any]


def early_contest(folder: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


def sound_contest(folder: Path) -> Path:
    """Return that contest with a current journal and all tables and pages."""
    session = Session.open(early_contest(folder))
    ContestFolder(folder).journal().close()
    settled, _, analyses = session.settle()
    write_results(folder, session.contest, settled, analyses)
    return folder


def with_row(
    folder: Path, change: Callable[[Values], object], which: str = "1", **table: str
) -> str:
    """Change the values of a journal's row, keeping its checksum valid.

    `which` is an SQL condition. Returns the row's old key.
    """
    name = table.get("table", "games")
    with sqlite3.connect(folder / JOURNAL) as database:
        one = f"SELECT * FROM {name} WHERE {which} ORDER BY key LIMIT 1"
        values = dict(zip(TABLES[name], database.execute(one).fetchone(), strict=True))
        key: str = values["key"]
        change(values)
        database.execute(f"DELETE FROM {name} WHERE key = ?", (key,))
        others = [value for column, value in values.items() if column not in ("checksum", "place")]
        row = sealed(others) if name != "games" else sealed_game(others, values["place"])
        database.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
    database.close()
    return key
