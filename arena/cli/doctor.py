"""`arena doctor`: what this machine can confine and measure."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from rich.table import Table
from rich.text import Text

from arena.cli.screen import screen
from arena.common.errors import MachineError
from arena.common.home import has_sandbox
from arena.common.text import counted
from arena.game.starter import REFUSAL
from arena.machine.facts import shareable_facts

NO_SANDBOX = (
    "This system has no sandbox, so bots play in home mode: they are not confined, and results are "
    "not for grading. Linux has the sandbox."
)


@click.command()
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Show every worker of a Dask cluster instead, as `arena run --cluster` names it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option(
    "--report",
    "as_report",
    is_flag=True,
    help="Print a text for a bug report. It names no user, machine, folder or address.",
)
def doctor(cluster: str | None, as_json: bool, as_report: bool) -> int:
    """Try every layer of the sandbox and every clock on this machine.

    On a system without a sandbox, a line says so. Exit code 1 if `arena run` refuses to run
    contests here; with --cluster, if a worker offers no lane.

    \b
    Examples:
      arena doctor
      arena doctor --report
      arena doctor --cluster tcp://head:8786
    """
    if as_report and (as_json or cluster is not None):
        raise click.UsageError("--report goes with no other option")
    if as_report:
        return _print_report()
    if cluster is not None:
        return _workers(cluster, as_json)
    if not has_sandbox():
        nothing = {"confines": False, "findings": []}
        click.echo(json.dumps(nothing, indent=2) if as_json else NO_SANDBOX)
        return 0
    from arena.doctor import examine  # needs modules that only Linux has
    from arena.host.sandbox.confining import layers

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
        "" if all(each.ok for each in findings) else " The table says what each missing part costs."
    )
    console.print(f"Contests can be run here.{lacking}" if enough else REFUSAL, markup=False)
    return 0 if enough else 1


def _print_report() -> int:
    for line in shareable_facts():
        click.echo(line)
    if not has_sandbox():
        click.echo("home mode: no sandbox on this system")
        return 0
    from arena.doctor import NAMES_A_FOLDER, examine
    from arena.host.sandbox.confining import layers

    try:
        findings = examine()
    except MachineError as error:
        click.echo(f"no probe was possible: {type(error).__name__}")
        return 1
    for each in findings:
        found = "" if each.probe in NAMES_A_FOLDER else f": {each.found}"
        click.echo(f"{'ok' if each.ok else 'NO'} {each.probe}{found}")
    click.echo("contests can be run" if layers().enough else "bots cannot be confined")
    return 0 if layers().enough else 1


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
