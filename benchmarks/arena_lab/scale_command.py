"""`arena lab scale`: the ratings of the house players, which hold a contest's scale."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from arena.cli.options import contest_from, lane_cores, rules_options
from arena.cli.screen import ready_engine, screen, tracked
from arena.game.record import GameRecord
from arena.settings.contest import Contest
from arena.settings.known_ratings import read_table
from arena_lab.house_scale import WEAK_TO_STRONG, HouseScale, measure, write_table

MASTER = "master"


@click.command()
@rules_options
@click.option(
    "--openings",
    type=click.IntRange(2, 20_000),
    default=50,
    show_default=True,
    help="Openings of each pairing, each played twice. With 500, neighbours differ to ± 15 Elo.",
)
@click.option("--lanes", type=click.IntRange(min=1), help="Games at a time. Default: all cores.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the games here: the same command continues, and more openings add to them.",
)
@click.option(
    "--csv",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the ratings to this table, in place of those of the same board.",
)
@click.option(
    "--master", is_flag=True, help="Also measure master, which takes longer than all others."
)
@click.option("--json", "as_json", is_flag=True, help="Print the ratings as JSON.")
def scale(
    openings: int,
    lanes: int | None,
    into: Path | None,
    table: Path | None,
    master: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Measure the house players' ratings, and compare them with Arena's table.

    Contests on a board with a table hold these ratings, so that a rating means the same in each
    class. The command plays the house players that are near each other, and takes minutes; --csv
    makes a table, whose ratings a contest file can have in [ranking.anchors].

    \b
    Examples:
      arena lab scale --preset classic
      arena lab scale --rows 7 --openings 500 --into games --csv ratings.csv
    """
    rules = contest_from(Contest(), options).rules
    if table is not None and table.exists():
        read_table(table)  # before the games: a wrong file is found at once
    console = screen(stderr=True)
    ready_engine(console)

    def shown(games: Iterator[GameRecord], number: int) -> Iterable[GameRecord]:
        return tracked(games, "playing", number, "games", console)

    players = (*WEAK_TO_STRONG, MASTER) if master else WEAK_TO_STRONG
    found = measure(rules, openings, lane_cores(lanes), into, players, shown)
    if table is not None:
        write_table(table, found)
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2, default=str))
        return 0
    screen().print(_ratings(found))
    screen().print(_links(found))
    click.echo(found.holds())
    return 0


def _ratings(scale: HouseScale) -> Table:
    table = Table(header_style="bold", title=str(scale.rules), title_justify="left")
    table.add_column("player", no_wrap=True)
    for heading in ("rating", "± to reference", "to the next", "±", "games"):
        table.add_column(heading, justify="right")
    for place, row in enumerate(scale.ratings):
        step, error = "", ""
        if place < len(scale.steps):
            step = f"{scale.ratings[place + 1].rating - row.rating:.0f}"
            error = f"{scale.steps[place]:.0f}"
        table.add_row(
            row.player, f"{row.rating:.0f}", f"{row.error:.0f}", step, error, f"{row.games:,}"
        )
    return table


def _links(scale: HouseScale) -> Table:
    table = Table(header_style="bold")
    for heading in ("player", "against"):
        table.add_column(heading, no_wrap=True)
    for heading in ("games", "points a game", "by the ratings"):
        table.add_column(heading, justify="right")
    for link in scale.links:
        row = f"{link.games:,}", f"{link.score:.3f}", f"{link.expected:.3f}"
        table.add_row(link.one, link.other, *row)
    return table
