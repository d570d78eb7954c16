"""The people of a contest: who handed in which bot, read from a roster.

A roster is a CSV file by `arena collect` or by an instructor, who may add the columns `penalty` and
`pseudonym`. A contest keeps a copy with a column `bot`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from arena.common.errors import InputError, reading, writing
from arena.common.files import write_file
from arena.common.names import hint_for
from arena.common.text import harmless_csv, one_line, plain_cell, quote
from arena.courses.export import Person
from arena.intake.collected import ROSTER, ROSTER_CSV
from arena.intake.submission import Submission
from arena.settings.contest import BotEntry, Contest, Grading

MAX_BYTES = 16 << 20  # Longest roster; a university's is far shorter.
YES, NO = ("yes", "true", "1", "late"), ("no", "false", "0", "on time")


class RosterRow(NamedTuple):
    line: int
    cells: Mapping[str, str]


def read_people(path: Path, bots: Mapping[str, BotEntry]) -> tuple[Person, ...]:
    return tuple(_person(path, row, bots) for row in _distinct(path, read_rows(path)))


def by_bot(people: Iterable[Person]) -> dict[str, tuple[Person, ...]]:
    found: dict[str, tuple[Person, ...]] = {}
    for person in people:
        if person.bot:
            found[person.bot] = (*found.get(person.bot, ()), person)
    return found


def find_rosters(
    paths: Iterable[Path], submissions: Iterable[Submission], bots: Mapping[str, BotEntry]
) -> tuple[list[Path], list[str]]:
    """Return the rosters beside submissions, not in them, and remarks on other files.

    Raises InputError.
    """
    sources = [submission.source for submission in submissions if not submission.house]
    parents = [source.parent for source in sources]
    shared = [folder for folder in parents if parents.count(folder) > 1]
    folders = [path for path in paths if path.is_dir() and path not in sources]
    rosters, remarks = [], []
    for path in {folder.resolve(): folder / ROSTER for folder in (*folders, *shared)}.values():
        if not path.is_file() or path.is_symlink():
            continue
        if _is_roster(path):
            read_people(path, bots)
            rosters.append(path)
        else:
            remarks.append(f"{path}: not used, as it has no columns name and path")
    return rosters, remarks


def copy_rosters(rosters: Sequence[Path], target: Path, bots: Mapping[str, BotEntry]) -> None:
    """Merge rosters into `target`, keep its other columns, and add a column `bot`.

    Raises InputError and OSError.
    """
    kept = {}
    if target.exists():
        kept = {_identity(row.cells): row.cells for row in read_rows(target)}
    rows = []
    for roster in rosters:
        for row in _distinct(roster, read_rows(roster)):
            person = _person(roster, row, bots)
            # a copy by an older Arena has no column `system`
            before = kept.get(_identity(row.cells)) or kept.get(
                _identity(row.cells, with_system=False), {}
            )
            added = {
                column: cell
                for column, cell in before.items()
                if column not in (*ROSTER_CSV, "bot") and not row.cells.get(column)
            }
            rows.append({**row.cells, **added, "bot": person.bot})
    found = dict.fromkeys(column for row in rows for column in row)
    fixed = [each for each in ROSTER_CSV if each in found or each != "system"]
    columns = [*fixed, *(each for each in found if each not in (*ROSTER_CSV, "bot")), "bot"]
    text = harmless_csv(columns, ([cells.get(each, "") for each in columns] for cells in rows))
    write_file(target, text, durable=True)


def read_rows(path: Path) -> list[RosterRow]:
    """Return the rows; column names are lower case. Raises InputError."""
    with reading(path):
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: longer than a roster can be")
        data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: not UTF-8 text; save it as CSV in UTF-8") from None
    head = text.partition("\n")[0]
    columns = _columns(head)
    if not _is_head(columns):
        raise InputError(
            f"{path}:1: expected the columns of a roster, like {','.join(ROSTER_CSV)} "
            "(name, and path or bot, at least)"
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(head))
    rows = []
    try:
        next(reader)
        before = reader.line_num
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                named = zip(columns, (plain_cell(cell.strip()) for cell in cells), strict=False)
                rows.append(RosterRow(line, dict(named)))
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not a CSV file: {error}") from None
    return rows


def _is_roster(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            return _is_head(_columns(file.readline(MAX_BYTES)))
    except OSError:
        return True


def _columns(head: str) -> list[str]:
    cells = next(csv.reader([head], delimiter=_delimiter(head)), [])
    columns = [cell.strip().casefold() for cell in cells]
    return ["e-mail" if column == "email" else column for column in columns]


def _delimiter(head: str) -> str:
    """Return `,` if there is one, else `;`: spreadsheets with decimal commas write that."""
    return "," if "," in head else ";"


def _is_head(columns: Sequence[str]) -> bool:
    return "name" in columns and ("path" in columns or "bot" in columns)


def _distinct(path: Path, rows: Sequence[RosterRow]) -> Sequence[RosterRow]:
    lines: dict[tuple[str, str], int] = {}
    for line, cells in rows:
        identifier = cells.get("id", "")
        key = cells.get("system", "").casefold(), identifier
        if identifier and lines.setdefault(key, line) != line:
            raise InputError(
                f"{path}:{line}: id {one_line(identifier, 40)} stands in line "
                f"{lines[key]} already; delete one of the two rows"
            )
    return rows


def _identity(cells: Mapping[str, str], *, with_system: bool = True) -> tuple[str, str]:
    system = cells.get("system", "").casefold() if cells.get("id") and with_system else ""
    return system, cells.get("id") or cells.get("e-mail") or cells.get("name", "")


def _person(path: Path, row: RosterRow, bots: Mapping[str, BotEntry]) -> Person:
    cells = {column: one_line(cell) for column, cell in row.cells.items()}
    where = f"{path}:{row.line}"
    late = cells.get("late", "").casefold()
    if late not in ("", *YES, *NO):
        raise InputError(f"{where}: late = {late}: expected yes, no or nothing")
    return Person(
        name=cells.get("name") or cells.get("e-mail") or cells.get("id", ""),
        id=cells.get("id", ""),
        system=cells.get("system", ""),
        email=cells.get("e-mail", ""),
        group=cells.get("group", ""),
        submitted=cells.get("submitted", ""),
        late=None if not late else late in YES,
        penalty=_penalty(where, cells.get("penalty", "")),
        pseudonym=cells.get("pseudonym", ""),
        path=cells.get("path") or cells.get("bot", ""),
        bot=_bot(path.parent, row.cells, bots),
        status=cells.get("status", ""),
    )


def _penalty(where: str, text: str) -> float | None:
    if not text:
        return None
    try:
        points = float(text)
    except ValueError:
        points = float("nan")
    if not (isfinite(points) and points >= 0):
        raise InputError(f"{where}: penalty = {text}: expected grade points, like 1 or 0.5")
    return points


def _bot(folder: Path, cells: Mapping[str, str], bots: Mapping[str, BotEntry]) -> str:
    students = {name: Path(bot.source or "") for name, bot in bots.items() if not bot.house}
    if (name := cells.get("bot", "")) in students:
        return name
    path = cells.get("path", "")
    if not path:
        return ""
    there, parts = (folder / path).resolve(), Path(path).parts
    same = [name for name, source in students.items() if source.resolve() == there]
    like = [name for name, source in students.items() if source.parts[-len(parts) :] == parts]
    found = same or like or [name for name in students if name == path]
    return found[0] if len(found) == 1 else ""  # several matches are ambiguous


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    late: frozenset[str]
    penalties: Mapping[str, float]
    otherwise: frozenset[str] = frozenset()
    """Late bots whose penalty is that of a person on time."""


NOBODY_LATE = Lateness(late=frozenset(), penalties={})


def lateness(people: Iterable[Person], late_penalty: float) -> Lateness:
    """Return the late bots and the penalties of a roster.

    A bot is late if one of its people is, and gets their highest penalty, else `late_penalty`.
    """
    late, penalties, otherwise = set(), {}, set()
    for bot, persons in by_bot(people).items():
        stated = [person.penalty for person in persons if person.penalty is not None]
        is_late = any(person.late for person in persons)
        if is_late:
            late.add(bot)
        if points := max(stated, default=late_penalty if is_late else 0.0):
            penalties[bot] = points
            theirs = [person for person in persons if person.penalty == points]
            if is_late and theirs and not any(person.late for person in theirs):
                otherwise.add(bot)
    return Lateness(late=frozenset(late), penalties=penalties, otherwise=frozenset(otherwise))


def unknown_lateness(folder: Path, grading: Grading, people: Sequence[Person]) -> str:
    named = {"freeze": grading.freeze, "late_penalty": grading.late_penalty}
    settings = [name for name, value in named.items() if value]
    if not settings or people:
        return ""
    change = "changes" if len(settings) == 1 else "change"
    return (
        f"{folder}: [grades] {' and '.join(settings)} {change} nothing: without a roster.csv "
        "nobody is known to be late"
    )


# Bots that an instructor excludes, as if they had never been handed in: their games do not count
# and are not played. The games stay in the journal, so an exclusion can be undone.
EXCLUDED = "excluded.csv"


class Exclusion(NamedTuple):
    """A row of `excluded.csv`, whose columns are these fields."""

    bot: str

    when: str
    """Like `2026-05-01 09:30`."""

    reason: str


def read_excluded(folder: Path) -> tuple[Exclusion, ...]:
    path = folder / EXCLUDED
    again = f"arena rank {quote(str(folder))}"
    mend = f"put it back, or delete it to include all bots again: {again}"
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
    path, rows = folder / EXCLUDED, list(rows)
    with writing(path):
        if rows:
            write_file(path, harmless_csv(Exclusion._fields, rows), durable=True)
        else:
            path.unlink(missing_ok=True)


def with_excluded(contest: Contest, rows: Iterable[Exclusion]) -> Contest:
    reasons: Mapping[str, str] = {row.bot: row.reason for row in rows}
    bots = contest.bots.items()
    changed = {name: replace(entry, excluded=reasons.get(name)) for name, entry in bots}
    return replace(contest, bots=changed)


def require_excludable(contest: Contest, names: Iterable[str], *, undo: bool) -> None:
    students = [name for name, bot in contest.bots.items() if not bot.house]
    for name in names:
        entry = contest.bots.get(name)
        if entry is None:
            hint = hint_for(name, students, f"bots: {', '.join(students)}")
            raise InputError(f"{name}: there is no bot of that name; {hint}")
        if entry.house and not undo:
            raise InputError(f"{name}: is a house player; ratings and grades need it")
        if undo and entry.excluded is None:
            raise InputError(f"{name}: is not excluded, so there is nothing to undo")
        if not undo and entry.excluded is not None:
            raise InputError(f"{name}: is already excluded; --undo includes it again")
