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
from arena.contest import ContestFolder, Session
from arena.contest.finding import Finding
from arena.contest.folder import JOURNAL
from arena.contest.fsck import Checked, check
from arena.contest.setting_aside import SetAside, repair
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
    session = Session.open(folder)
    console = screen(stderr=True)
    checked = _check(session, console)
    found, left = checked.findings, checked.findings
    aside = SetAside(folder)
    if repairs and found:
        with session.folder.locked():
            _repair(session, checked, aside, console)
            checked = _check(session, console)
            left = checked.findings
    repaired = [finding for finding in found if finding not in left]
    moved = aside.path.name if aside.is_used else None
    if as_json:
        click.echo(json.dumps(_plain(folder, checked, repaired, moved), indent=2))
    else:
        _print(folder, checked, repaired, moved)
    return int(bool(left))


def _check(session: Session, console: Console) -> Checked:
    """Check a folder, with its tables if nobody is at work. Raises InputError, StorageError."""

    def watch(games: list[GameRecord]) -> Iterable[GameRecord]:
        return tracked(games, "replayed", len(games), "games", console)

    checked = check(session.folder, watch)
    if checked.games and not checked.is_running and _lacks_games(session.folder, checked):
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
            _check_tables(session, checked)
    if checked.is_running:
        checked.notes.append(
            "another arena is at work on this contest right now: the games that it has kept were "
            "checked, and its tables are not final"
        )
    return checked


def _lacks_games(folder: ContestFolder, checked: Checked) -> bool:
    """Note the games that were lost; returns True if there are such, or may be."""
    from arena.report.table_check import GAMES, lost_games  # pandas takes a while

    if lost := lost_games(folder.path, checked):
        it = "it" if lost == 1 else "them"
        again = f"play {it} again: arena resume {shlex.quote(str(folder.path))}"
        what = f"lacks {counted(lost, 'game')} that {GAMES} has"
        checked.findings.append(Finding(JOURNAL, what, again))
    return checked.is_damaged or bool(lost)


def _check_tables(session: Session, checked: Checked) -> None:
    """Compare tables and pages with what the sound games give."""
    from arena.report.files import FEEDBACK, FILES
    from arena.report.html.report import PAGES, REPORT
    from arena.report.report_check import arena_of
    from arena.report.table_check import table_findings  # pandas takes a while

    folder, contest = session.folder, checked.contest
    if contest.publish.pseudonyms and not folder.pseudonym_key.exists():
        again = "put it back from a backup; arena rank draws another, and with it other pseudonyms"
        checked.findings.append(Finding(folder.pseudonym_key.name, "is missing", again))
        return  # the pages cannot be made without it, and it is not to be drawn here
    try:
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


def _repair(session: Session, checked: Checked, aside: SetAside, console: Console) -> None:
    """Repair what can be of a folder that is locked. Raises InputError, StorageError."""
    from arena.report.facts import facts_of
    from arena.report.files import results_of
    from arena.report.html import REPORT
    from arena.report.report_check import name_in

    folder = session.folder
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


def _print(folder: Path, checked: Checked, repaired: list[Finding], moved: str | None) -> None:
    """Print a line for each finding, then what is to be known, then a summary."""
    console = screen()
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
    if left and not repaired:
        console.print(
            f"repair what can be: arena fsck {shlex.quote(str(folder))} --repair", markup=False
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
