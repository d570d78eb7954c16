"""`arena doctor`: what this machine can confine and measure."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from arena.cli.screen import screen
from arena.common.text import counted
from arena.doctor import examine, examine_packages
from arena.game.bot_process import REFUSAL
from arena.host.sandbox.confining import layers
from arena.settings.contest import Contest
from arena.settings.file import read_contest_file


@click.command()
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Show every worker of a Dask cluster instead, as `arena run --cluster` names it.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also import each package that this contest file allows.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(cluster: str | None, config: Path | None, as_json: bool) -> int:
    """Try every layer of the sandbox and every clock on this machine.

    Exit code 1 if `arena run` refuses to run contests here; with --cluster, if a worker offers no
    lane.

    \b
    Examples:
      arena doctor
      arena doctor --config contest.toml
      arena doctor --cluster tcp://head:8786
    """
    if cluster is not None:
        return _workers(cluster, as_json)
    contest = Contest() if config is None else read_contest_file(config, Contest())
    findings = [*examine(), *examine_packages(contest.packages.allow, contest.limits)]
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
        "" if all(each.ok for each in findings) else " The table says what each missing part costs."
    )
    console.print(f"Contests can be run here.{lacking}" if enough else REFUSAL, markup=False)
    return 0 if enough else 1


def _workers(cluster: str, as_json: bool) -> int:
    from arena.cluster.connection import ClusterAddress
    from arena.cluster.start import examine_workers

    found = examine_workers(ClusterAddress.parse(cluster))
    if as_json:
        click.echo(json.dumps({"workers": [asdict(report) for report in found]}, indent=2))
    else:
        table = Table(header_style="bold")
        for title in ("", "worker", "machine", "found"):
            table.add_column(title, no_wrap=title != "found")
        for report in found:
            lines = [counted(report.lanes, "lane")]
            if machine := report.machine:
                lines += [
                    f"{machine['processor']}, {counted(machine['cores'], 'core')}, "
                    f"{counted(report.threads, 'thread')}",
                    f"{report.free_mb:,} of {machine['memory_mb']:,} MB free; {report.layers}",
                    ", ".join(f"{name} {version}" for name, version in report.versions.items()),
                ]
            text = Text("\n".join(lines))
            if report.why:
                text.append(f"\n{report.why}", "yellow")
            mark = Text("ok", "green") if report.lanes else Text("no", "yellow")
            table.add_row(mark, Text(report.address), Text(report.host), text)
        screen().print(table)
    return int(not all(report.lanes for report in found))
