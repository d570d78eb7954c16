"""Repairing a contest's folder: what is wrong is set aside, and what can be is put in its place.

Nothing is dropped: each repair moves what it replaces into a folder of its own, `set-aside-1/`,
where it keeps its name. Rows of the journal are lines of JSON there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from arena.contest.folder import ContestFolder
from arena.contest.fsck import Checked
from arena.contest.machines import MACHINES
from arena.contest.mending import SetAside
from arena.contest.snapshot_check import original, strange_names
from arena.errors import StorageError, UnreadableError

ROWS = "rows.jsonl"
"""Name of the file with rows of the journal: a table, a reason, and the row's values in a line."""


def repair(folder: ContestFolder, checked: Checked, aside: SetAside) -> None:
    """Repair all of a folder that is `locked` but its tables and pages.

    Takes a while if openings are to be drawn, and needs the engine then. Raises InputError,
    StorageError.
    """
    try:
        _repair_journal(folder, checked, aside)
        wrong = {finding.where for finding in checked.findings}
        for path in (folder.round, folder.path / MACHINES):
            if path.name in wrong:
                aside.take(path)
        if folder.openings.name in wrong and (checked.has_games or not checked.records):
            aside.take(folder.openings)
            folder.games(checked.contest)
        _repair_snapshots(folder, checked, wrong, aside)
    except OSError as error:
        raise StorageError(f"{folder.path}: cannot be written to ({error.strerror})") from None
    except UnreadableError as error:
        raise StorageError(f"{folder.path}: {error}") from None


def _repair_journal(folder: ContestFolder, checked: Checked, aside: SetAside) -> None:
    """Mend a damaged journal, bring an early one up to date, and set rows that are wrong aside."""
    if not checked.records and not checked.wrong:
        return  # it is lost: an empty one would only hide that
    journal = folder.journal()
    try:
        if not checked.wrong:
            return
        # an analysis tells of the very game that is to be played again
        gone = dict.fromkeys(checked.wrong.get("games", {}), "is of a game that is set aside")
        wrong = {**checked.wrong, "analyses": gone | checked.wrong.get("analyses", {})}
        lines = [
            json.dumps({"table": table, "why": why[row[0]], "row": row}, default=bytes.hex)
            for table, why in wrong.items()
            for row in journal.rows(table)
            if row[0] in why
        ]
        aside.write(ROWS, "".join(f"{line}\n" for line in lines))
        journal.remove(wrong)
    finally:
        journal.close()


def _repair_snapshots(
    folder: ContestFolder, checked: Checked, wrong: Iterable[str], aside: SetAside
) -> None:
    """Set aside files of bots that are not those that played, and copy the others from sources."""
    wanted = {entry.content_hash: (name, entry) for name, entry in checked.contest.bots.items()}
    for where in wrong:
        parent, _, digest = where.partition("/")
        if parent != folder.snapshots.name or not digest:
            continue
        path = folder.snapshots / digest
        if path.is_dir() and not path.is_symlink() and (strange := strange_names(path)):
            for name in strange:
                aside.take(path / name)
            continue
        found = original(*wanted[digest]) if digest in wanted else None
        if digest not in wanted or found is not None:
            aside.take(path)
        if found is not None:
            folder.keep([found])
