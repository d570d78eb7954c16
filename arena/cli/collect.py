"""`arena collect`: submissions from a course system's export."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.cli.files import ANY_PATH, EXISTING_FILE
from arena.cli.screen import screen
from arena.common.errors import InputError
from arena.common.text import counted, one_line, quote
from arena.courses.collect import Collected
from arena.courses.collect import collect as collect_into
from arena.intake.collected import ROSTER, CollectedEntry, roster_rows


@click.command()
@click.argument("export", type=ANY_PATH)
@click.option(
    "--into",
    type=ANY_PATH,
    metavar="DIR",
    help="The folder to write; the folder of an earlier collect is brought up to date.",
)
@click.option(
    "--roster",
    "lists",
    multiple=True,
    type=EXISTING_FILE,
    metavar="CSV",
    help="The course's own list, for names and e-mails that the export lacks; can be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was collected as JSON.")
def collect(export: Path, into: Path | None, lists: tuple[Path, ...], as_json: bool) -> int:
    """Collect submissions from EXPORT into a folder for `arena run`.

    EXPORT is a download from Gradescope, Canvas, Moodle or GitHub Classroom, packed or unpacked. It
    can also be any folder or archive with a file, a folder or an archive for each submission. The
    newest of several attempts counts. The new folder has a folder for each person or group, and
    roster.csv. --roster takes Canvas's gradebook, Moodle's grading worksheet, and the roster or
    grades of GitHub Classroom.

    \b
    Example:
      arena collect submissions.zip --into homework4
    """
    if into is None:
        raise InputError(
            f"--into is missing, the folder to write: arena collect {quote(str(export))} --into DIR"
        )
    collected = collect_into(export, into, lists)
    if as_json:
        click.echo(json.dumps(_plain(collected), indent=2))
        return 0
    screen().print(table(collected.entries))
    for entry in collected.entries:
        for note in entry.notes:
            click.echo(one_line(f"{entry.path or entry.where}: {note}"))
    for line in collected.left_out:
        click.echo(f"left out: {line}")
    for entry in collected.before:
        click.echo(f"from an earlier export, as it was: {entry.path or entry.where}")
    for remark in collected.remarks:
        click.echo(one_line(remark))
    click.echo(_summary(collected, into))
    return 0


def table(entries: tuple[CollectedEntry, ...]) -> Table:
    late = any(entry.late for entry in entries)
    changed = any(entry.change != "new" for entry in entries)
    shown = Table(header_style="bold")
    shown.add_column("folder", overflow="fold", ratio=2)
    if late:
        shown.add_column("late", no_wrap=True)
    shown.add_column("interface", no_wrap=True)
    shown.add_column("status", overflow="fold", ratio=3)
    if changed:
        shown.add_column("change", no_wrap=True)
    for entry in entries:
        because = entry.kept_because
        status = f"{entry.status}; {because}" if because else entry.status
        row = [Text(one_line(_folder(entry)))]
        row += [Text("late" if entry.late else "", "yellow")] if late else []
        colour = "red" if not entry.interface else "green" if status == "ok" else "yellow"
        row += [Text(entry.interface), Text(one_line(status), colour)]
        row += [Text(entry.change)] if changed else []
        shown.add_row(*row)
    return shown


def _folder(entry: CollectedEntry) -> str:
    who = ", ".join(name for name, _, _ in entry.people)
    if not entry.path:
        return f"none ({who})"
    return entry.path if entry.path == who else f"{entry.path} ({who})"


def _summary(collected: Collected, into: Path) -> str:
    entries = collected.entries
    good = sum(bool(entry.interface) for entry in entries)
    people = sum(len(entry.people) for entry in (*entries, *collected.before))
    text = f"{collected.kind}: {counted(len(entries), 'submission')}, {good:,} with a bot"
    if bad := len(entries) - good:
        text += f", {bad:,} refused"
    return f"{text}; {into / ROSTER} has {counted(people, 'row')}. Next:\n  arena check {into}"


def _plain(collected: Collected) -> dict[str, object]:
    return {
        "kind": collected.kind,
        "submissions": [
            {
                "people": list(roster_rows([entry], collected.kind)),
                "handed_in_as": entry.where,
                "path": entry.path,
                "interface": entry.interface,
                "status": entry.status,
                "change": ": ".join(filter(None, [entry.change, entry.kept_because])),
                "notes": list(entry.notes),
            }
            for entry in collected.entries
        ],
        "before": list(roster_rows(collected.before, collected.kind)),
        "left_out": list(collected.left_out),
        "remarks": list(collected.remarks),
    }
