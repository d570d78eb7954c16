"""The history of a ladder, `history.csv`: the place of every bot after each round.

A round's rows are added together after its tables are written; rows never change. A stopped round
has no rows yet; the next command continues it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import get_args, get_type_hints

from arena.common.errors import InputError, writing
from arena.common.files import write_file
from arena.common.text import harmless_csv, plain_cell

HISTORY = "history.csv"
ROUNDS = "history"  # Folder with a folder for each round; it marks a ladder from the start.


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """A bot's place after a round: a row of `history.csv`; fields are columns."""

    day: date
    round: int
    bot: str

    rank: int | None = None
    """None if the bot did not take part; so are the numbers down to `rating_high`."""

    rank_low: int | None = None
    rank_high: int | None = None
    """`rank_low` and `rank_high` are the best and worst plausible rank."""

    points: float | None = None
    games: int | None = None
    rating: float | None = None
    rating_low: float | None = None
    rating_high: float | None = None
    """As in `leaderboard.csv`; the interval of the rating is 95 %."""

    grade: float | None = None
    """None also if the contest gives no grades."""

    content_hash: str = ""
    refused: str = ""
    """The rest of a sentence about the bot: why it did not take part; else empty."""


HISTORY_CSV = tuple(each.name for each in fields(Placing))
_KINDS = get_type_hints(Placing).items()  # a class for each column, or `… | None` for a number
_NUMBERS = {name: get_args(kind)[0] for name, kind in _KINDS if get_args(kind)}


@dataclass(frozen=True)
class History:
    placings: tuple[Placing, ...] = ()

    @cached_property
    def rounds(self) -> tuple[tuple[Placing, ...], ...]:
        found: dict[int, list[Placing]] = {}
        for placing in self.placings:
            found.setdefault(placing.round, []).append(placing)
        return tuple(map(tuple, found.values()))

    @property
    def last(self) -> tuple[Placing, ...]:
        return self.rounds[-1] if self.rounds else ()

    def of(self, bot: str) -> tuple[Placing, ...]:
        return tuple(placing for placing in self.placings if placing.bot == bot)

    def is_last(self, placings: Iterable[Placing]) -> bool:
        found, last = ([astuple(each)[2:] for each in rows] for rows in (placings, self.last))
        return bool(last) and found == last


def is_ladder(folder: Path) -> bool:
    return any((folder / name).exists() for name in (ROUNDS, HISTORY))


def new_versions(own: tuple[Placing, ...]) -> list[bool]:
    before = (*own[:1], *own)[: len(own)]
    return [one.content_hash != two.content_hash for one, two in zip(before, own, strict=True)]


def read_history(folder: Path) -> History:
    path = folder / HISTORY
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return History()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
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
                raise ValueError(f"round {placing.round} of {placing.day} follows a later round")
            if (placing.round, placing.bot) in seen:
                raise ValueError(f"{placing.bot} occurs twice in round {placing.round}")
            seen.add((placing.round, placing.bot))
            placings.append(placing)
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path}:{rows.line_num}: {error}; {_MEND}") from None
    return History(tuple(placings))


_MEND = "put it back as Arena wrote it, or move it away to begin a new history"


def add_round(folder: Path, placings: Iterable[Placing]) -> None:
    """Append a round to the history, all of it or nothing. Raises StorageError."""
    path = folder / HISTORY
    text = harmless_csv(HISTORY_CSV, map(astuple, placings))
    with writing(path):
        there = path.read_bytes() if path.exists() else b""
        if there:
            text = text.partition("\n")[2]
        between = b"\n" if there and not there.endswith(b"\n") else b""
        write_file(path, there + between + text.encode(), durable=True)


def _placing(row: Mapping[str | None, str | None]) -> Placing:
    cells = {column: row.get(column) for column in HISTORY_CSV}
    if None in row or None in cells.values():
        raise ValueError(f"expected {len(HISTORY_CSV)} cells")
    plain = {column: plain_cell(cell or "") for column, cell in cells.items()}
    numbers = {name: _number(plain, name, kind) for name, kind in _NUMBERS.items()}
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
    cell = row[column]
    try:
        return kind(cell) if cell else None
    except ValueError:
        raise ValueError(f'{column} "{cell}": expected a number') from None
