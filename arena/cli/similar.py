"""`arena similar`: submissions that are alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from arena.cli.files import ANY_PATH, EXISTING_PATH, FILE, FOLDER, write_text
from arena.cli.screen import Interruption, busy, remark, screen, tracked
from arena.common.errors import InputError
from arena.common.packages import pip_install
from arena.common.text import counted
from arena.contest.folder import ContestFolder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.similar.page import AlikePair
    from arena.similar.submissions import SourceCode

FIRST = 10  # Pairs that are printed.


@click.command()
@click.argument("paths", nargs=-1, type=ANY_PATH)
@click.option(
    "--against",
    "earlier",
    multiple=True,
    type=ANY_PATH,
    metavar="PATH",
    help="Also compare with these submissions, such as last year's; can be repeated.",
)
@click.option(
    "--base",
    multiple=True,
    type=EXISTING_PATH,
    metavar="PATH",
    help="Code that everybody was given, such as the course's template; can be repeated.",
)
@click.option(
    "--results",
    type=FOLDER,
    metavar="FOLDER",
    help="A contest of these bots: also compare how they play. Without PATHS, its copies of "
    "their sources are compared.",
)
@click.option(
    "--out", type=FILE, default="likeness.html", show_default=True, help="The page to write."
)
@click.option("--csv", "table", type=FILE, metavar="FILE", help="Also write the pairs as CSV.")
@click.option(
    "--least",
    type=click.FloatRange(0.05, 1),
    default=0.3,
    show_default=True,
    metavar="SHARE",
    help="List pairs in which one shares at least this part of its code with the other.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the pairs as JSON.")
@Interruption("stopped; nothing was written")
def similar(
    paths: tuple[Path, ...],
    earlier: tuple[Path, ...],
    base: tuple[Path, ...],
    results: Path | None,
    out: Path,
    table: Path | None,
    least: float,
    as_json: bool,
) -> int:
    """Show which submissions at PATHS are alike.

    PATHS are folders, files, archives, or exports of a course system. Each pair of submissions has
    one row, however many files they have. Names, comments and layout do not count, nor does code of
    Arena's own bots and starters. The page shows the sources side by side. It shows likeness and
    accuses nobody.

    \b
    Example:
      arena similar submissions --against last-year --base template.py --out likeness.html
    """
    if find_spec("copydetect") is None:
        needed = pip_install(["copydetect"])
        raise InputError(f"arena similar needs one more package: {needed}")
    if not paths and results is None:
        raise click.UsageError("nothing to compare: name PATHS, or a contest with --results")
    for path in filter(None, (out, table)):
        if not path.parent.is_dir():
            raise InputError(f"{path}: there is no folder {path.parent}")
    from arena.similar.page import CSV_COLUMNS, alike_pairs, likeness_page, pairs_csv
    from arena.similar.pairs import alike_sources, own_code
    from arena.similar.play import likeness_of_play

    console = screen(stderr=True)
    folder = None if results is None else ContestFolder(results, only_read=True)
    with busy("comparing", console):  # first, as its journal may be refused
        plays = [] if folder is None else likeness_of_play(folder)
    codes, earlier_names, given, remarks = _read(paths, earlier, base, folder)
    remark(*remarks)
    if all(code.name in earlier_names for code in codes):
        where = ", ".join(map(str, paths or [results]))
        raise InputError(f"{where}: no submission has code that can be compared")
    with busy("comparing", console):
        own, common = own_code(codes, given)
        sources = alike_sources(own, least, earlier_names)
    pairs = alike_pairs(sources, plays)
    title = (results or paths[0]).resolve().name
    by_name = {code.name: code for code in codes}
    write_text(out, likeness_page(title, pairs, by_name, common, remarks, len(plays)))
    if table is not None:
        write_text(table, pairs_csv(pairs))
    remark(*map(str, common))
    if as_json:
        rows = [dict(zip(CSV_COLUMNS, pair.values, strict=True)) for pair in pairs]
        click.echo(json.dumps(rows, indent=2))
    else:
        _print(pairs, len(codes), out, has_play=bool(plays))
    return 0


def _print(pairs: Sequence[AlikePair], compared: int, out: Path, *, has_play: bool) -> None:
    if not pairs:
        click.echo(f"no pair of {counted(compared, 'submission')} is alike; {out} is written")
        return
    screen().print(_table(pairs[:FIRST], has_play=has_play))
    first = f", the first {FIRST} above" if len(pairs) > FIRST else ""
    among = f"{counted(len(pairs), 'alike pair')} among {counted(compared, 'submission')}{first}"
    click.echo(f"{among}; {out} shows them. Likeness is no proof: read both sources")


def _read(
    paths: Sequence[Path],
    earlier: Sequence[Path],
    base: Sequence[Path],
    folder: ContestFolder | None,
) -> tuple[list[SourceCode], set[str], NDArray[np.uint64], list[str]]:
    """Return all code, the names of earlier submissions, hashes of given code, remarks."""
    from arena.similar.submissions import base_hashes, contest_bots, read_code, submissions_at

    console = screen(stderr=True)
    with TemporaryDirectory() as scratch:
        with busy("looking for submissions", console):
            roster = submissions_at(paths, Path(scratch))
            found, remarks = [*roster.submissions], [*roster.remarks()]
            if folder is not None and not paths:
                found = contest_bots(folder)
            current = len(found)
            for path in earlier:
                roster = submissions_at([path], Path(scratch))
                found += [replace(one, name=f"{path}/{one.name}") for one in roster.submissions]
                remarks += roster.remarks()
            given = base_hashes(base)
        codes = []
        for code, left_out in tracked(read_code(found), "read", len(found), "submissions", console):
            codes += [] if code is None else [code]
            remarks += left_out
    return codes, {each.name for each in found[current:]}, given, remarks


def _table(pairs: Sequence[AlikePair], *, has_play: bool) -> Table:
    shown = Table(header_style="bold")
    for name in ("one", "other"):
        shown.add_column(name, overflow="fold")
    for name in ("of one", "of other", "lines", *(["surprise of play"] if has_play else [])):
        shown.add_column(name, justify="right")
    for pair in pairs:
        row = ["–", "–", "–"]
        if (source := pair.source) is not None:
            row = [f"{source.one.share:.0%}", f"{source.other.share:.0%}", str(source.lines)]
        if has_play:
            row.append("–" if pair.play is None else f"{pair.play.surprise:.1f}")
        shown.add_row(Text(pair.one), Text(pair.other), *row)
    return shown
