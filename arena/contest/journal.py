"""The journal: every game ever played in a contest's folder, by key, and what its moves were worth.

A game is in it or it is not: records are added in transactions and never changed. So are analyses;
one made with more nodes is added beside the one before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

from arena.contest.analysis import VERSION, GameAnalysis, MoveAnalysis
from arena.errors import InputError
from arena.referee import GameRecord, Verdict

GAMES = """
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

ANALYSES = """
CREATE TABLE IF NOT EXISTS analyses (
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    moves TEXT NOT NULL,
    PRIMARY KEY (key, version, nodes)
) WITHOUT ROWID
"""
"""Journals of earlier versions have no such table and get it when they are opened."""


class Journal:
    """An open journal."""

    def __init__(self, path: Path) -> None:
        """Open or create it. Raises InputError if the file is no journal or cannot be written."""
        try:
            self._database = sqlite3.connect(path)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(GAMES)
            self._database.execute(ANALYSES)
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

    def add_analyses(self, analyses: Iterable[GameAnalysis]) -> None:
        """Add what is known of games, all or none."""
        with self._database:
            self._database.executemany(
                "INSERT OR IGNORE INTO analyses VALUES (?, ?, ?, ?)",
                (
                    (each.key, VERSION, each.nodes, json.dumps([astuple(m) for m in each.moves]))
                    for each in analyses
                ),
            )

    def analyses(self) -> dict[str, GameAnalysis]:
        """What is known of each game, by its key's digest: the analysis made with most nodes."""
        rows = self._database.execute(
            "SELECT key, nodes, moves FROM analyses WHERE version = ? ORDER BY nodes", (VERSION,)
        )
        return {
            key: GameAnalysis(key=key, nodes=nodes, moves=tuple(map(_move, json.loads(moves))))
            for key, nodes, moves in rows
        }


def _move(row: list[Any]) -> MoveAnalysis:
    """A move from its row of JSON."""
    ply, before, value, matters, best, held_by = row
    return MoveAnalysis(
        ply=ply,
        before=before,
        value=value,
        matters=matters,
        best=tuple(best),
        held_by=tuple(held_by),
    )
