"""The reports for students, as `arena report --for` and `--for-all` write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.screen import screen
from arena.contest import Contest
from arena.errors import InputError, unwritable
from arena.naming import hint_for, report_name
from arena.numbers import counted
from arena.quoting import one_line
from arena.writing import write_file

if TYPE_CHECKING:
    from arena.report.facts import Facts


def require_bot(contest: Contest, bot: str) -> None:
    """Raise InputError for a name that no bot of the contest has."""
    if bot in contest.bots:
        return
    hint = hint_for(bot, contest.bots, f"bots: {', '.join(contest.bots)}")
    raise InputError(one_line(f"--for {bot}: there is no bot of this name; {hint}"))


def write_handout(
    facts: Facts, contest: str, bot: str | None, folder: Path | None, out: Path | None
) -> None:
    """Write the report for a bot's author, or those for all students into a folder.

    Raises InputError, StorageError.
    """
    from arena.report.html import StudentReports  # pandas takes a while

    bots = [name for name, each in facts.contest.bots.items() if not each.house]
    targets = {name: (folder or Path()) / report_name(name) for name in bots}
    if bot is not None:
        targets = {bot: out or Path(report_name(bot))}
    reports = StudentReports(facts, contest)
    path, size = folder or Path(), 0
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        for name, path in targets.items():
            text = reports(name)
            write_file(path, text)
            size += len(text)
    except OSError as error:
        raise unwritable(path, error) from None
    where = path if folder is None else f"{folder}: {counted(len(targets), 'report')}"
    screen().print(f"{where}, {size / 1e6:.1f} MB", markup=False)
