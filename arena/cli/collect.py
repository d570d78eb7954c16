"""`arena collect`: submissions out of what a course's system exports."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.cli.screen import screen
from arena.intake.collect import ROSTER, Collected, Entry, roster_rows
from arena.intake.collect import collect as collect_into
from arena.quoting import one_line


@click.command()
@click.argument("export", type=click.Path(path_type=Path))
@click.option(
    "--into",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder to write; one that was collected into before is brought up to date.",
)
@click.option(
    "--roster",
    "lists",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="CSV",
    help="The course's own list, for names and e-mails that the export lacks; can be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was collected as JSON.")
def collect(export: Path, into: Path, lists: tuple[Path, ...], as_json: bool) -> int:
    """Collect submissions from EXPORT into a folder that `arena run` takes.

    EXPORT is what Gradescope, Canvas, Moodle or GitHub Classroom give to download, as it came or
    unpacked, or any folder or archive with a file, a folder or an archive for each submission. Of
    several attempts the newest counts. The folder gets a folder for each person or group, and
    roster.csv. As --roster, Canvas's gradebook, Moodle's grading worksheet and the roster and
    grades of GitHub Classroom are understood.

    \b
    Example:
      arena collect submissions.zip --into homework4
    """
    collected = collect_into(export, into, lists)
    if as_json:
        click.echo(json.dumps(_plain(collected), indent=2))
        return 0
    screen().print(_table(collected.entries))
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


def _table(entries: tuple[Entry, ...]) -> Table:
    table = Table(header_style="bold")
    for title in ("who", "handed in as", "folder"):
        table.add_column(title, overflow="fold", ratio=2)
    for title in ("late", "interface"):
        table.add_column(title, no_wrap=True)
    table.add_column("status", overflow="fold", ratio=3)
    table.add_column("change", overflow="fold", ratio=1)
    for entry in entries:
        who = ", ".join(name for name, _, _ in entry.people)
        late = {True: "late", False: "", None: ""}[entry.late]
        good = bool(entry.interface)
        table.add_row(
            *(Text(one_line(text)) for text in (who, entry.where, entry.path)),
            Text(late, "yellow"),
            Text(entry.interface),
            Text(one_line(entry.status), "green" if good else "red"),
            Text(one_line(entry.change)),
        )
    return table


def _summary(collected: Collected, into: Path) -> str:
    """What there is now, in one line."""
    entries = collected.entries
    good = sum(bool(entry.interface) for entry in entries)
    people = sum(len(entry.people) for entry in (*entries, *collected.before))
    text = f"{collected.kind}: {len(entries)} submissions, {good} with a bot"
    if bad := len(entries) - good:
        text += f", {bad} refused"
    return f"{text}; {into / ROSTER} has {people} people. Next:\n  arena check {into}"


def _plain(collected: Collected) -> dict[str, object]:
    return {
        "kind": collected.kind,
        "submissions": [
            {
                "people": list(roster_rows([entry])),
                "handed_in_as": entry.where,
                "path": entry.path,
                "interface": entry.interface,
                "status": entry.status,
                "change": entry.change,
                "notes": list(entry.notes),
            }
            for entry in collected.entries
        ],
        "before": list(roster_rows(collected.before)),
        "left_out": list(collected.left_out),
        "remarks": list(collected.remarks),
    }
