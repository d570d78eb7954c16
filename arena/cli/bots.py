"""`arena check` and `arena new`: a bot before the contest."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from arena.cli.options import contest_from, contest_options, runs_bots
from arena.cli.run import lane_cores
from arena.cli.screen import screen
from arena.contest import Contest, Lanes
from arena.errors import InputError
from arena.intake import A_BOT, find_roster
from arena.interfaces import INTERFACES
from arena.preflight import Preflight, check_bots


@click.command()
@click.argument("bots", nargs=-1, required=True, type=click.Path(path_type=Path))
@contest_options
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time; default: one a core.")
@runs_bots
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def check(bots: tuple[Path, ...], lanes: int | None, as_json: bool, **options: Any) -> int:
    """Check BOTS before a contest: can each be loaded, and does it play?

    Every bot plays two short games against `random`, one from each side. Exit code 1 if any bot
    cannot play.

    \b
    Example:
      arena check my_bot.py --preset cs4100
    """
    contest = contest_from(Contest(), options)
    roster = find_roster(bots)
    if not roster.submissions:
        where = ", ".join(map(str, bots))
        raise InputError(f"{where}: no bots here; a bot is {A_BOT}")
    for ignored in roster.ignored:
        click.echo(f"left out: {ignored}", err=True)
    found: dict[str, Preflight] = {}
    errors = screen(stderr=True)
    with tempfile.TemporaryDirectory() as scratch:
        cores = lane_cores(lanes)
        with Lanes(cores) as executor, errors.status("checking …") as status:
            for done in check_bots(
                roster.submissions, contest, executor, len(cores), Path(scratch)
            ):
                found[done.submission.name] = done
                said = f"checked {len(found)} of {len(roster.submissions)} bots"
                status.update(said)
                if not errors.is_terminal and len(found) % 10 == 0:
                    errors.print(said)
    results = [found[submission.name] for submission in roster.submissions]
    if as_json:
        click.echo(json.dumps([_plain(result) for result in results], indent=2))
    else:
        screen().print(_table(results))
        fit = sum(result.fault is None for result in results)
        click.echo(f"{fit} of {len(results)} bots played both games without a fault")
    return int(any(result.fault for result in results))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--interface",
    type=click.Choice(list(INTERFACES)),
    default="pick_move",
    show_default=True,
    help="How the bot is called.",
)
def new(file: Path, interface: str) -> int:
    """Write a small bot to FILE to start from.

    \b
    Example:
      arena new my_bot.py --interface pick_move
    """
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(INTERFACES[interface].STARTER)
    except FileExistsError:
        raise InputError(f"{file}: exists already; name another file") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be written to ({error.strerror})") from None
    click.echo(f"{file}: a bot to start from. Try it with:\n  arena check {file}")
    return 0


def _table(results: list[Preflight]) -> Table:
    table = Table(header_style="bold")
    table.add_column("bot", no_wrap=True)
    table.add_column("verdict", overflow="fold", ratio=2)
    for title in ("against random", "search function", "enters"):
        table.add_column(title, overflow="fold", ratio=1)
    for result in results:
        bot = result.submission
        fault = result.fault
        verdict = Text("no fault", "green") if fault is None else Text(f"it {fault}", "red")
        if result.missing:
            verdict.append(f"\nnot installed: {', '.join(result.missing)}", "yellow")
        enters = ": ".join(filter(None, (bot.file, bot.entry))) if bot.entry else ""
        cells = (result.result, result.search, enters)
        table.add_row(Text(bot.name), verdict, *map(Text, cells))
    return table


def _plain(result: Preflight) -> dict[str, Any]:
    bot = result.submission
    return {
        "bot": bot.name,
        "interface": bot.interface,
        "file": bot.file,
        "entry": bot.entry,
        "search": result.search,
        "missing": list(result.missing),
        "against_random": result.result,
        "fault": result.fault,
    }
