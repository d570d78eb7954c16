"""`arena exclude`: leave a bot out of a contest's tables, or take it back in."""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path

import click

from arena.cli.rank import print_tables
from arena.cli.screen import ready_engine, screen
from arena.common.errors import InputError
from arena.common.text import listed, one_line
from arena.contest.people import (
    Exclusion,
    read_excluded,
    require_excludable,
    with_excluded,
    write_excluded,
)
from arena.contest.session import Session

log = logging.getLogger("arena.contest")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@click.option("--undo", is_flag=True, help="Take the bots back in.")
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why, for the tables, the report and the bot's own page: all may read it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the leaderboard as JSON.")
def exclude(
    folder: Path, bots: tuple[str, ...], undo: bool, reason: str | None, as_json: bool
) -> int:
    """Leave bots out of a contest's tables, or take them back in.

    An excluded bot has no rank and no grade, its games count for nobody, and arena run and arena
    resume play none of its games. The journal does not change, so --undo brings everything back.
    Tables, feedback and report are written again. excluded.csv in the folder lists the excluded
    bots with date and reason.

    \b
    Example:
      arena exclude results/homework4 bea --reason "handed in another's code"
    """
    if undo and reason is not None:
        raise InputError("--reason: goes with leaving a bot out; leave it out with --undo")
    session = Session.open(folder)
    require_excludable(session.contest, bots, undo=undo)
    names = list(dict.fromkeys(bots))
    Session.read(folder).settle()  # raises errors before anything changes
    with session.folder.locked():
        rows = [row for row in read_excluded(folder) if row.bot not in names]
        if not undo:
            now = datetime.now().isoformat(" ", "minutes")
            rows += (Exclusion(name, now, one_line(reason or "")) for name in names)
        left = list(with_excluded(session.contest, rows).playing)
        if len(left) < 2:
            raise InputError(f"only {listed(left) or 'nobody'} would be left; a contest needs two")
        write_excluded(folder, rows)
        session = Session.open(folder)
        said = "taken back in" if undo else "left out of the tables"
        with session.folder.logged():
            log.info("%s %s %s", listed(names), "is" if len(names) == 1 else "are", said)
        if session.contest.needs_engine:
            ready_engine(screen(stderr=True))
        print_tables(session, as_json)
    return 0
