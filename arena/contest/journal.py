"""The journal: every game ever played in a contest's folder, by key.

A game is in it or it is not: records are added in transactions and never changed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.errors import InputError
from arena.referee import GameRecord, Verdict

SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    key TEXT PRIMARY KEY,
    verdict TEXT NOT NULL,
    winner INTEGER,
    reason TEXT NOT NULL,
    opening_plies INTEGER NOT NULL,
    columns TEXT NOT NULL,
    charged_ns TEXT NOT NULL,
    nodes TEXT NOT NULL,
    output TEXT NOT NULL
) WITHOUT ROWID
"""


class Journal:
    """An open journal."""

    def __init__(self, path: Path) -> None:
        """Open or create it. Raises InputError if the file is no journal or cannot be written."""
        try:
            self._database = sqlite3.connect(path)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(SCHEMA)
        except sqlite3.Error as error:
            raise InputError(f"{path}: cannot be used as a journal: {error}") from None

    def close(self) -> None:
        """Close it; everything added is on disk already."""
        self._database.close()

    def keys(self) -> set[str]:
        """The digests of all games in it."""
        return {key for (key,) in self._database.execute("SELECT key FROM games")}

    def add(self, records: Iterable[GameRecord]) -> None:
        """Add games, all or none. A key that is there already keeps its first record."""
        with self._database:
            self._database.executemany(
                "INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        record.key,
                        record.verdict.name,
                        record.winner,
                        record.reason,
                        record.opening_plies,
                        json.dumps(record.columns),
                        json.dumps(record.charged_ns),
                        json.dumps(record.nodes),
                        record.output,
                    )
                    for record in records
                ),
            )

    def records(self, verdicts: Iterable[Verdict] = tuple(Verdict)) -> Iterator[GameRecord]:
        """Every game in it that ended so, in no promised order."""
        names = [verdict.name for verdict in verdicts]
        rows = self._database.execute(
            "SELECT key, verdict, winner, reason, opening_plies, columns, charged_ns, nodes, output"
            f" FROM games WHERE verdict IN ({', '.join('?' * len(names))})",
            names,
        )
        for key, verdict, winner, reason, opening_plies, columns, charged_ns, nodes, output in rows:
            yield GameRecord(
                key=key,
                verdict=Verdict[verdict],
                winner=winner,
                reason=reason,
                opening_plies=opening_plies,
                columns=tuple(json.loads(columns)),
                charged_ns=tuple(json.loads(charged_ns)),
                nodes=tuple(json.loads(nodes)),
                output=output,
            )
