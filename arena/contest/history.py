"""The history of a ladder, `history.csv`: the place of every bot after each round.

A round's rows are added together once its tables are written, and no row is ever changed. So a
round that was stopped left no row, and the next command goes on with it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import get_type_hints

from arena.common.errors import InputError, unwritable
from arena.common.files import write_file
from arena.common.text import harmless_cell, plain_cell

HISTORY = "history.csv"
"""Name of the file in a contest's folder."""

ROUNDS = "history"
"""Name of the folder beside it, with a folder for each round. A ladder has it from the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """The place of a bot after a round: a row of `history.csv`, whose columns are its fields."""

    day: date
    """The day on which the command was typed that ended the round, or that it was told."""

    round: int
    """The number of the round, from 1."""

    bot: str
    """Name of the bot."""

    rank: int | None = None
    """Its rank; None, as all that follows, if it did not take part."""

    rank_low: int | None = None
    rank_high: int | None = None
    """From the best to the worst rank that it may have in truth."""

    points: float | None = None
    games: int | None = None
    rating: float | None = None
    rating_low: float | None = None
    rating_high: float | None = None
    """Points, games, and the rating with its 95 % interval, as in `leaderboard.csv`."""

    grade: float | None = None
    """Its grade; None also if there are no grades."""

    content_hash: str = ""
    """Digest of its files: another one means that another version was handed in."""

    refused: str = ""
    """Why it did not take part, the predicate of a sentence; empty if it did."""


HISTORY_CSV = tuple(each.name for each in fields(Placing))
"""Columns of `history.csv`."""


@dataclass(frozen=True)
class History:
    """The rounds of a ladder."""

    placings: tuple[Placing, ...] = ()
    """In the order of the rounds, and of the table in each."""

    @cached_property
    def rounds(self) -> tuple[tuple[Placing, ...], ...]:
        """The placings of each round."""
        found: dict[int, list[Placing]] = {}
        for placing in self.placings:
            found.setdefault(placing.round, []).append(placing)
        return tuple(map(tuple, found.values()))

    @property
    def last(self) -> tuple[Placing, ...]:
        """The placings of the last round; none if there was no round."""
        return self.rounds[-1] if self.rounds else ()

    @cached_property
    def _by_bot(self) -> Mapping[str, tuple[Placing, ...]]:
        found: dict[str, list[Placing]] = {}
        for placing in self.placings:
            found.setdefault(placing.bot, []).append(placing)
        return {bot: tuple(placings) for bot, placings in found.items()}

    def of(self, bot: str) -> tuple[Placing, ...]:
        """Return the placings of a bot."""
        return self._by_bot.get(bot, ())

    def with_round(self, placings: Iterable[Placing]) -> History:
        """Return the history with the placings of a further round."""
        return History((*self.placings, *placings))

    def is_last(self, placings: Iterable[Placing]) -> bool:
        """Return True if these are the last round's placings, but for its day and number."""

        def told(placing: Placing) -> tuple[object, ...]:
            return astuple(placing)[2:]

        return bool(self.rounds) and [*map(told, placings)] == [*map(told, self.last)]


def is_ladder(folder: Path) -> bool:
    """Return True if the folder is a ladder's."""
    return any((folder / name).exists() for name in (ROUNDS, HISTORY))


def new_versions(own: tuple[Placing, ...]) -> list[bool]:
    """Return for each of a bot's placings whether its files are others than the time before."""
    before = (*own[:1], *own)[: len(own)]
    return [one.content_hash != two.content_hash for one, two in zip(before, own, strict=True)]


def read_history(folder: Path) -> History:
    """Return the history of the contest in a folder, empty if there is none.

    Raises InputError, with the line, for what Arena did not write.
    """
    path = folder / HISTORY
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return History()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8; {_MEND}") from None
    rows = csv.DictReader(io.StringIO(text, newline=""))
    placings: list[Placing] = []
    seen: set[tuple[int, str]] = set()
    try:
        if tuple(rows.fieldnames or ()) != HISTORY_CSV:
            raise ValueError(f"expected the columns {','.join(HISTORY_CSV)}")
        for row in rows:
            placing = _placing(row)
            if placings and (placing.round, placing.day) < (placings[-1].round, placings[-1].day):
                raise ValueError(f"round {placing.round} of {placing.day} after a later one")
            if (placing.round, placing.bot) in seen:
                raise ValueError(f"{placing.bot} is twice in round {placing.round}")
            seen.add((placing.round, placing.bot))
            placings.append(placing)
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path}:{rows.line_num}: {error}; {_MEND}") from None
    return History(tuple(placings))


_MEND = "put it back as Arena wrote it, or move it away to begin a new history"


def add_round(folder: Path, placings: Iterable[Placing]) -> None:
    """Add a round to the history in a folder, all of it or nothing. Raises StorageError."""
    path = folder / HISTORY
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    try:
        there = path.read_bytes() if path.exists() else b""
        if not there:
            writer.writerow(HISTORY_CSV)
        for placing in placings:
            cells = ("" if cell is None else cell for cell in astuple(placing))
            # a rating may be negative, and is a number all the same
            writer.writerow(harmless_cell(c) if isinstance(c, str) else c for c in cells)
        between = b"\n" if there and not there.endswith(b"\n") else b""
        write_file(path, there + between + out.getvalue().encode(), durable=True)
    except OSError as error:
        raise unwritable(path, error) from None


def _placing(row: Mapping[str | None, str | None]) -> Placing:
    """Return the placing of a row. Raises ValueError, with a sentence."""
    cells = {column: row.get(column) for column in HISTORY_CSV}
    if None in row or None in cells.values():
        raise ValueError(f"expected {len(HISTORY_CSV)} cells")
    plain = {column: plain_cell(cell or "") for column, cell in cells.items()}
    kinds = {int | None: int, float | None: float}
    hints = get_type_hints(Placing).items()
    numbers = {name: _number(plain, name, kinds[hint]) for name, hint in hints if hint in kinds}
    try:
        day = date.fromisoformat(plain["day"])
    except ValueError:
        raise ValueError(f'day "{plain["day"]}": expected YYYY-MM-DD') from None
    number = _number(plain, "round", int)
    if not number or number < 1 or not plain["bot"]:
        raise ValueError("expected the number of a round and the name of a bot")
    return Placing(
        day=day,
        round=int(number),
        bot=plain["bot"],
        content_hash=plain["content_hash"],
        refused=plain["refused"],
        **numbers,  # type: ignore[arg-type]
    )


def _number(
    row: Mapping[str, str], column: str, kind: type[int] | type[float]
) -> int | float | None:
    """Return a cell's number; None if it is empty. Raises ValueError, with a sentence."""
    cell = row[column]
    try:
        return kind(cell) if cell else None
    except ValueError:
        raise ValueError(f'{column} "{cell}": expected a number') from None
