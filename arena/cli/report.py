"""`arena report`: a contest as a page for a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.export import require_bot, write_handout
from arena.cli.screen import screen
from arena.common.errors import InputError, unwritable
from arena.common.text import counted
from arena.contest.session import Session

if TYPE_CHECKING:
    from arena.report.facts import Facts


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The page to write. Default: report.html in FOLDER, or BOT.html here.",
)
@click.option(
    "--for", "bot", metavar="BOT", help="The report for one bot's author: its games, its results."
)
@click.option(
    "--for-all",
    "out_of_all",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The report for each student's bot, as BOT.html in DIR.",
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="In reports for authors, call other students' bots by pseudonyms. Default: as the contest "
    "file says.",
)
def report(
    folder: Path, out: Path | None, bot: str | None, out_of_all: Path | None, pseudonyms: bool
) -> int:
    """Write the report of a contest: leaderboard, crosstable, every bot, every game.

    It is one page for any browser and needs no network. The games of a contest with more than 8,000
    are in a folder report/ beside the page. Every arena run writes it.

    --for and --for-all write reports for students: each has only the games and results of one bot.

    \b
    Example:
      arena report results/homework4
      arena report results/homework4 --for-all handout --pseudonyms
    """
    if bot is not None and out_of_all is not None:
        raise InputError("--for, --for-all: one of them at a time")
    if out is not None and out_of_all is not None:
        raise InputError("--out: --for-all already names the folder to write; remove --out")
    is_for_students = bot is not None or out_of_all is not None
    if pseudonyms and not is_for_students:
        raise InputError("--pseudonyms: for reports for students; add --for BOT or --for-all DIR")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}")
    session = Session.read(folder)
    if bot is not None:
        require_bot(session.contest, bot)
    from arena.report.facts import facts_of  # pandas is slow to import
    from arena.report.pseudonyms import contest_pseudonyms

    contest = session.contest
    settled, _, analyses = session.settle(writes=out is None and not is_for_students)
    facts = facts_of(session.folder.path, contest, settled, analyses)
    if not is_for_students:
        _write_report(session, facts, out)
        return 0
    if pseudonyms or contest.publish.pseudonyms:
        facts = replace(facts, pseudonyms=contest_pseudonyms(session.folder, contest))
    write_handout(facts, folder.resolve().name, bot, out_of_all, out)
    return 0


def _write_report(session: Session, facts: Facts, out: Path | None) -> None:
    from arena.report.html.report import REPORT, write_report

    folder = session.folder.path
    path = out or folder / REPORT
    try:
        written = write_report(path, facts, folder.resolve().name)
    except OSError as error:
        raise unwritable(path, error) from None
    beside = f", with {counted(written.pages, 'file')} in report/ beside it" * bool(written.pages)
    bots = counted(len(session.contest.playing), "bot")
    games = counted(len(facts.settled.games), "game")
    size = f"{written.size / 1e6:.1f} MB"
    screen().print(f"{path}: {bots}, {games}, {size}{beside}", markup=False)
