"""`arena fsck`: is all that a contest's folder holds sound?"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import click
from rich.console import Console

from arena.cli.screen import busy, ready_engine, screen, tracked
from arena.contest import ContestFolder, Session, settle
from arena.contest.finding import Finding
from arena.contest.fsck import Checked, check
from arena.contest.mending import SetAside
from arena.contest.setting_aside import repair
from arena.contest.shortfall import shortfall
from arena.errors import InputError, StorageError
from arena.numbers import counted, some
from arena.quoting import one_line
from arena.referee import GameRecord

MOST_SHOWN = 50
"""Lines with findings that are printed; the others are counted."""

NAMED = 3
"""Files that a line names; the others are counted."""

NAME = 40
"""Characters of the name of another version."""

LONGEST = 900
"""Characters of the longest line."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--repair",
    "repairs",
    is_flag=True,
    help="Repair what can be. What is replaced is moved to set-aside-1/ in FOLDER, never dropped.",
)
@click.option("--json", "as_json", is_flag=True, help="Print findings and notes as JSON.")
def fsck(folder: Path, repairs: bool, as_json: bool) -> int:
    """Check that all that a contest's FOLDER holds is sound.

    Every game in the journal is replayed by the rules, and its end found out anew; bots' files are
    hashed again; tables, pages and the report are compared with what the journal gives now. A line
    for each finding says where, what, and what to do. Nothing in the folder is changed without
    --repair. Exit code 0: nothing is wrong, or all was repaired; 1: something is.

    \b
    Example:
      arena fsck results/homework4
    """
    return check_folder(folder, repairs=repairs, as_json=as_json)


def check_folder(path: Path, *, repairs: bool, as_json: bool) -> int:
    """Check a contest's folder, repair it if that is asked for, and print what was found.

    Returns the exit code. Raises InputError, StorageError.
    """
    folder, console = ContestFolder(path), screen(stderr=True)
    checked = _check(folder, console)
    found, left = checked.findings, checked.findings
    aside = SetAside(path)
    if repairs and found and checked.contest.bots:
        with folder.locked():
            _repair(folder, checked, aside, console)
            checked = _check(folder, console)
            left = checked.findings
    repaired = [finding for finding in found if finding not in left]
    moved = aside.path.name if aside.is_used else None
    if as_json:
        click.echo(json.dumps(_plain(path, checked, repaired, moved), indent=2))
    else:
        _print(path, checked, repaired, moved, may_repair=not repairs)
    return int(bool(left))


def _check(folder: ContestFolder, console: Console) -> Checked:
    """Check a folder, with its tables if nobody is at work. Raises InputError, StorageError."""

    def watch(games: list[GameRecord]) -> Iterable[GameRecord]:
        return tracked(games, "replayed", len(games), "games", console)

    checked = check(folder, watch)
    if checked.games and not checked.is_running and _lacks_games(folder, checked):
        checked.notes.append(
            "tables and pages were not compared, as the journal may lack games that they have; "
            "they are kept as they are"
        )
    elif checked.has_games and not checked.is_running:
        if wrong := len(checked.wrong.get("games", ())):
            checked.notes.append(
                f"the tables were compared without {counted(wrong, 'game')} that cannot be true"
            )
        with busy("comparing tables and pages", console):
            _check_tables(folder, checked)
    if checked.is_running:
        checked.notes.append(
            "another arena is at work on this contest right now: the games that it has kept were "
            "checked, and its tables are not final"
        )
    return checked


def _lacks_games(folder: ContestFolder, checked: Checked) -> bool:
    """Note if the tables have more games; returns True if they have, or may have."""
    if checked.records and not checked.has_games:
        return True
    settled = settle(checked.games, checked.records, checked.contest.schedule.retire_after)
    there = checked.records.keys() | checked.wrong.get("games", {}).keys()
    lost = shortfall(folder.path, settled, there)
    checked.findings += filter(None, [lost])
    return checked.is_damaged or lost is not None


def _check_tables(folder: ContestFolder, checked: Checked) -> None:
    """Compare tables and pages with what the sound games give."""
    from arena.report.files import FILES
    from arena.report.html.report import PAGES, REPORT
    from arena.report.pseudonyms import FEEDBACK, LOST_KEY, is_key
    from arena.report.report_check import arena_of
    from arena.report.table_check import table_findings  # pandas takes a while

    contest = checked.contest
    key = folder.pseudonym_key
    if contest.publish.pseudonyms and not (key.exists() and is_key(key.read_bytes().strip())):
        what = "is not as it was written" if key.exists() else "is missing"
        checked.findings.append(Finding(key.name, what, LOST_KEY))
        return  # the pages cannot be made without it, and it is not to be drawn here
    try:
        session = Session(folder, contest)
        results = session.count(checked.games, checked.records, checked.analyses)
        found = [*table_findings(folder.path, contest, results.settled, results.analyses)]
    except InputError:
        return  # the roster or the history cannot be read, which is a finding already
    if due := len(results.settled.due):
        missing = f"{counted(due, 'game')} {'is' if due == 1 else 'are'} not played yet"
        checked.notes.append(f"{missing}: arena resume {shlex.quote(str(folder.path))}")
    if (before := arena_of(folder.path)) not in ("", version("arena")):
        checked.notes.append(
            f"tables and pages were made by Arena {one_line(before, NAME)}, and this is "
            f"{version('arena')}: they may differ for that alone"
        )
    checked.has_tables = True
    if folder.is_in_use:  # somebody began meanwhile, and tables may be newer than the copy
        checked.is_running = True
        return
    for finding in found:
        checked.findings.append(finding)
        if finding.where in FILES or finding.where.startswith(f"{FEEDBACK}/"):
            checked.stale.append(finding.where)
        if finding.where == REPORT or finding.where.startswith(f"{PAGES}/"):
            checked.stale += (REPORT, PAGES)  # they are of one edition


def _repair(folder: ContestFolder, checked: Checked, aside: SetAside, console: Console) -> None:
    """Repair what can be of a folder that is locked. Raises InputError, StorageError."""
    from arena.report.facts import facts_of
    from arena.report.files import results_of
    from arena.report.html import REPORT
    from arena.report.report_check import name_in

    if checked.contest.needs_engine:
        ready_engine(console)
    repair(folder, checked, aside)
    if not checked.has_tables:
        return  # they may be all that is left of the games
    with busy("making tables and pages", console):
        settled, _, analyses = Session.open(folder.path).settle()
        facts = facts_of(folder.path, checked.contest, settled, analyses)
        results = results_of(folder.path, facts, name_in(folder.path))
        try:
            for name in checked.stale:
                aside.take(folder.path / name)
        except OSError as error:
            raise StorageError(f"{folder.path}: {error.strerror}") from None
        results.write(folder.path, report=REPORT in checked.stale)


def _plain(
    folder: Path, checked: Checked, repaired: list[Finding], moved: str | None
) -> dict[str, object]:
    """Return what was found, for JSON."""
    return {
        "folder": str(folder),
        "running": checked.is_running,
        "scheduled": len(checked.games),
        "games": len(checked.records),
        "findings": [asdict(finding) for finding in checked.findings],
        "repaired": [asdict(finding) for finding in repaired],
        "set_aside": moved,
        "notes": checked.notes,
    }


def _print(
    folder: Path,
    checked: Checked,
    repaired: list[Finding],
    moved: str | None,
    *,
    may_repair: bool,
) -> None:
    """Print a line for each finding, then what is to be known, then a summary."""
    console = screen(whole_lines=True)
    for findings, style, word in ((repaired, "green", "repaired: "), (checked.findings, "red", "")):
        lines = [f"{word}{line}" for line in _lines(findings, with_repair=not word)]
        for line in lines[:MOST_SHOWN]:
            console.print(line, style=style, markup=False)
        if len(lines) > MOST_SHOWN:
            more = len(lines) - MOST_SHOWN
            console.print(f"{word}{more:,} more lines; --json shows all", style=style)
    if moved:
        console.print(f"what was replaced is in {moved}/", markup=False)
    for note in checked.notes:
        console.print(one_line(note, LONGEST), style="yellow", markup=False)
    left = len(list(_lines(checked.findings, with_repair=True)))
    games = f"{counted(len(checked.records), 'game')} checked, {len(checked.games):,} scheduled"
    said = f"{counted(left, 'finding')} left" if repaired else f"{counted(left, 'finding')}"
    if not left:
        said = "all repaired" if repaired else "nothing is wrong"
    console.print(f"{folder}: {games}: {said}", markup=False)
    if left and may_repair:
        console.print(
            f"repair what can be: arena verify {shlex.quote(str(folder))} --repair", markup=False
        )


def _lines(findings: list[Finding], *, with_repair: bool) -> Iterator[str]:
    """Yield a line for each finding; one for all files with which the same is wrong."""
    alike: dict[tuple[str, str | None], list[str]] = {}
    for finding in findings:
        alike.setdefault((finding.what, finding.repair), []).append(finding.where)
    for (what, again), places in alike.items():
        where = some([one_line(place) for place in places], NAMED)
        to_do = f"; {again}" if again and with_repair else ""
        yield one_line(f"{where}: {what}{to_do}", LONGEST)
