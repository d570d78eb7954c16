"""`arena check`: bots before the contest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.cli.files import ANY_PATH, FILE, FOLDER, write_text
from arena.cli.options import (
    contest_from,
    contest_options,
    executing,
    on_executors,
    one_bot,
    runs_bots,
)
from arena.cli.screen import Interruption, ready_engine, screen, tracked
from arena.common.errors import InputError, writing
from arena.common.names import page_name
from arena.common.text import counted
from arena.contest.session import Session
from arena.courses.roster import A_BOT, duplicates, find_roster
from arena.intake.facts import package_uses
from arena.intake.submission import Submission
from arena.report.check import (
    check_lines,
    check_page,
    check_record,
    check_table,
    install_line,
    package_table,
)
from arena.settings.contest import Contest
from arena.settings.file import read_interface
from arena.trials.preflight import Preflight, check_bots

LEGEND = (
    "won: games won against random; slow: within a contest's limits, too long for a check\n"
    "first, later: mean time of its moves; boards: others it plays on, of those tried\n"
)


@click.command()
@click.argument("bots", nargs=-1, required=True, type=ANY_PATH)
@contest_options
@on_executors
@one_bot
@runs_bots
@click.option(
    "--pages", type=FOLDER, metavar="DIR", help="Write a page about each bot to DIR/NAME.md."
)
@click.option(
    "--interface",
    type=FILE,
    metavar="FILE",
    help="Try the interface that this TOML file describes: the bots print each call and answer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@Interruption("stopped; a check keeps nothing: the same command checks again")
def check(
    bots: tuple[Path, ...],
    one_bot: bool,
    pages: Path | None,
    interface: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Check BOTS before a contest: can each be loaded, and does it play?

    BOTS are paths or names of house players. Every bot plays a game against `random` from each
    side, moves in difficult positions (full columns, the last cells, a line to complete), quick
    games for a score, and a few moves on other boards. For one bot its page is printed, for several
    a table. Exit code 1 if a bot cannot play or breaks a rule.

    A check allows 13 s of thinking, and 10 s for a move; a slower bot gets fewer tests. A bot that
    needs longer, but no longer than the contest allows, is called slow, which is no fault.

    \b
    Example:
      arena check submissions --preset cs4100 --pages pages
    """
    contest = contest_from(Contest(), options)
    if interface is not None:
        contest = _with_interface(contest, interface)
    roster = find_roster(bots, own=contest.interfaces, one_bot=one_bot)
    if interface is not None:
        _require_fit(roster.submissions, interface)
    submissions = (*roster.submissions, *roster.house)
    if not submissions:
        where = ", ".join(map(str, bots))
        raise InputError(f"{where}: no bots here; a bot is {A_BOT}")
    if pages is not None:
        with writing(pages):
            pages.mkdir(parents=True, exist_ok=True)
    with Session.throwaway(contest, submissions) as session:
        for remark in (*roster.remarks(), *session.remarks):
            click.echo(remark, err=True)
        results = _checked(session)
    if pages is not None:
        for result in results:
            page = check_page(result, contest.rules, contest.limits)
            write_text(pages / page_name(result.submission.name), page)
    if as_json:
        click.echo(json.dumps([check_record(result) for result in results], indent=2))
    elif len(results) == 1:
        click.echo(check_page(results[0], contest.rules, contest.limits), nl=False)
    else:
        _print_table(results, contest)
    for line in duplicates(submissions):
        click.echo(line, err=as_json)
    return int(any(result.fault or result.open for result in results))


def _with_interface(contest: Contest, file: Path) -> Contest:
    name, table = read_interface(file)
    shown = json.dumps(table | {"explain": True}, sort_keys=True)
    return replace(contest, interfaces={name: shown})


def _require_fit(submissions: Sequence[Submission], interface: Path) -> None:
    for bot in submissions:
        played = bot.entry_point.interface
        if bot.problem is None and played != interface.stem:
            raise InputError(
                f"{bot.source}: does not fit {interface}: compare [entry], and the number of "
                f"arguments in [move]; it plays as {played}"
            )


def _checked(session: Session) -> list[Preflight]:
    found: dict[str, Preflight] = {}
    names, console = [*session.submissions], screen(stderr=True)
    ready_engine(console, session.contest.engine)
    with executing(session, console) as executor:
        checked = check_bots(session.contest, session.bots, session.submissions, executor)
        for done in tracked(checked, "checked", len(names), "bots", console):
            found[done.submission.name] = done
    return [found[name] for name in names]


def _print_table(results: list[Preflight], contest: Contest) -> None:
    console = screen()
    console.print(check_table(results))
    console.print(LEGEND, style="dim")
    for line in check_lines(results):
        console.print(line)
    imports = [result.imports for result in results]
    if uses := package_uses(imports, contest.packages.allow):
        console.print(package_table(uses))
        console.print(install_line(uses), style="yellow", markup=False, soft_wrap=True)
    bots = counted(len(results), "bot")
    fit = sum(result.fault is None and not result.open for result in results)
    console.print(f"\n{fit} of {bots} can play on {contest.rules} without a fault")
