"""`arena report`: a contest as a page for a browser."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from arena.cli.rank import say_mended
from arena.cli.screen import ready_engine, screen
from arena.contest import GameAnalysis, Session, Settled
from arena.errors import InputError, unwritable
from arena.numbers import counted


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The page to write. Default: report.html in FOLDER.",
)
def report(folder: Path, out: Path | None) -> int:
    """Write the report of the contest in FOLDER: leaderboard, crosstable, every bot, every game.

    It is one page that any browser opens, with no network. Of a contest of more than 8,000 games it
    finds the games in a folder report/ beside it. Every arena run ends with it.

    \b
    Example:
      arena report results/homework4
    """
    from arena.report.facts import facts_of  # pandas takes a while
    from arena.report.html import REPORT, write_report

    path = out or folder / REPORT
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}")
    session = Session.open(folder)
    if session.contest.needs_engine:
        ready_engine(screen(stderr=True))
    settled, analyses = _settled(session)
    say_mended(session.folder)
    facts = facts_of(session.folder.path, session.contest, settled, analyses)
    try:
        written = write_report(path, facts, folder.resolve().name)
    except OSError as error:
        raise unwritable(path, error) from None
    beside = f", with {counted(written.pages, 'file')} in report/ beside it" * bool(written.pages)
    bots = counted(len(session.contest.playing), "bot")
    games = counted(len(settled.games), "game")
    size = f"{written.size / 1e6:.1f} MB"
    screen().print(f"{path}: {bots}, {games}, {size}{beside}", markup=False)
    return 0


def _settled(session: Session) -> tuple[Settled, Mapping[str, GameAnalysis]]:
    """Return the games as they count, and their analyses; other records are not kept."""
    results = session.settle()
    return results.settled, results.analyses
