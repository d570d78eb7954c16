"""`arena doctor`: what this machine can confine and measure."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from rich.table import Table
from rich.text import Text

from arena.cli.screen import screen
from arena.host.sandbox import layers
from arena.measure.doctor import examine
from arena.referee.zygote import REFUSAL


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> int:
    """Try every layer of the sandbox and every clock on this machine.

    Exit code 1 if `arena run` refuses to run contests here.

    \b
    Example:
      arena doctor
    """
    findings = examine()
    enough = layers().enough
    if as_json:
        plain = [asdict(finding) for finding in findings]
        click.echo(json.dumps({"confines": enough, "findings": plain}, indent=2))
        return 0 if enough else 1
    table = Table(header_style="bold", show_lines=False)
    for title in ("", "probe", "found"):
        table.add_column(title, no_wrap=title != "found")
    for finding in findings:
        found = Text(finding.found)
        if not finding.ok:
            found.append(f"\nwithout it: {finding.without}", "yellow")
        mark = Text("ok", "green") if finding.ok else Text("no", "yellow")
        table.add_row(mark, finding.probe, found)
    console = screen()
    console.print(table)
    lacking = (
        "" if all(each.ok for each in findings) else " What is missing costs what it says above."
    )
    console.print(f"Contests can be run here.{lacking}" if enough else REFUSAL, markup=False)
    return 0 if enough else 1
