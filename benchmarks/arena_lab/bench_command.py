"""`arena lab bench`: what Arena costs on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from arena.cli.files import OneOf
from arena.cli.screen import busy, ready_engine, screen
from arena.cluster.connection import require_distributed
from arena.common.errors import InputError, MachineError
from arena.common.system import available_cores
from arena_lab.bench import (
    FIGURES,
    BenchResult,
    Figure,
    FigureChange,
    changes,
    measure,
    read_result,
)
from arena_lab.estimates import reliabilities
from arena_lab.house_scale import measure as measure_house
from arena_lab.peers import GAMES, PEERS
from arena_lab.scale import ClusterScale, scale
from arena_lab.soak import TOLERANCE, soak
from arena_lab.strength import BOARDS, against_plain

SCALE_OPENINGS = 50  # Of --strength, for the table of house players.
NAMES = [figure.name for figure in FIGURES]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--whole",
    is_flag=True,
    help="Also measure whole contests and commands. Takes three quarters of an hour.",
)
@click.option(
    "--only",
    type=OneOf(NAMES),
    multiple=True,
    metavar="FIGURE",
    help="Measure this figure, and no other; may be repeated.",
)
@click.option(
    "--compare",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with the output of an earlier --json. A change counts if the two runs' values do "
    "not overlap.",
)
@click.option(
    "--peers",
    is_flag=True,
    help="Instead, measure other runners that are installed here.",
)
@click.option(
    "--strength",
    is_flag=True,
    help="Instead, play the engine against plain alpha-beta, 400 games a board, and the house "
    "players, to see whether the table of their ratings holds here. Takes minutes.",
)
@click.option(
    "--estimates",
    is_flag=True,
    help="Instead, measure how far the chances that `arena analyse` estimates are off, in 1,500 "
    "games on each preset's board. Takes about a quarter of an hour.",
)
@click.option(
    "--soak",
    "games",
    type=click.IntRange(min=20_000),
    metavar="GAMES",
    help="Instead, play GAMES random games, such as 100000, and compare the processes' use of "
    "resources at the end with that after a tenth. Exit code 1 if anything grew, or games became "
    "slower, by more than 5 %. Takes a minute.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=256),
    metavar="N",
    help="Instead, play on N lanes of a Dask cluster on this machine, and compare with N lanes "
    "that never wait. Bots sleep 50 ms in every move. Takes minutes.",
)
def bench(
    as_json: bool,
    whole: bool,
    only: Sequence[str],
    compare: Path | None,
    peers: bool,
    strength: bool,
    estimates: bool,
    games: int | None,
    workers: int | None,
) -> int:
    """Measure the cost of a move, a game, a start and a command here. Takes about a minute.

    Every figure is the median of several measurements, shown with the lowest and the highest.

    \b
    Example:
      arena lab bench --json > before.json
      arena lab bench --compare before.json
      arena lab bench --only move_ratio --only games_per_s
    """
    _require_one(
        {"--soak": games, "--workers": workers, "--peers": peers, "--strength": strength}
        | {"--estimates": estimates},
        {"--whole": whole, "--only": only, "--compare": compare},
    )
    if games is not None:
        return _soak(games, as_json)
    if workers is not None:
        require_distributed("arena lab bench --workers")
        with busy("measuring", screen(stderr=True)):
            return _print(scale(workers), as_json)
    if peers:
        return _peers(as_json)
    figures = [
        figure for figure in FIGURES if (figure.name in only if only else whole or not figure.whole)
    ]
    old = read_result(compare) if compare else None
    if old and not any(figure.name in old.medians for figure in figures):
        raise InputError(f"{compare}: has none of the figures to be measured")
    ready_engine(screen(stderr=True))
    if strength or estimates:
        for result in against_plain() if strength else reliabilities():
            click.echo(json.dumps(asdict(result), default=str) if as_json else str(result))
        for rules in BOARDS if strength else ():
            house = measure_house(rules, SCALE_OPENINGS, available_cores())
            click.echo(json.dumps(asdict(house), default=str) if as_json else house.holds())
        return 0
    with busy("measuring", screen(stderr=True)):
        found = measure(figures)
    changed = list(changes(figures, old, found)) if old else []
    if as_json:
        printed = found.as_object()
        if old:
            rows = {each.name: {**asdict(each), "ratio": each.ratio} for each in changed}
            printed["compared"] = rows
        click.echo(json.dumps(printed, indent=2))
    else:
        screen().print(_figures_table(figures, found))
        if old:
            screen().print(_changes_table(changed))
    return 0


def _require_one(instead: Mapping[str, object], more: Mapping[str, object]) -> None:
    given = [name for name, value in {**instead, **more}.items() if value]
    if len(given) > 1 and given[0] in instead:
        raise click.UsageError(f"{given[0]} replaces the other figures: leave out {given[1]}")


def _figures_table(figures: Sequence[Figure], found: BenchResult) -> Table:
    table = Table(header_style="bold", show_lines=True)
    table.add_column("figure", no_wrap=True)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("from – to", no_wrap=True)
    table.add_column("meaning, and limit")
    for figure in figures:
        low, high = found.spread.get(figure.name, (None, None))
        table.add_row(
            figure.name,
            _number(found.medians[figure.name]),
            "once" if low is None or high is None else f"{_number(low)} – {_number(high)}",
            f"{figure.what}\n[dim]{figure.limit}[/dim]",
        )
    return table


def _changes_table(changed: Sequence[FigureChange]) -> Table:
    table = Table(header_style="bold")
    table.add_column("figure", no_wrap=True)
    for heading in ("old", "new", "new ÷ old"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("change")
    for each in changed:
        ratio = "" if each.ratio is None else f"{each.ratio:.3f}"
        table.add_row(each.name, _number(each.old), _number(each.new), ratio, each.verdict)
    return table


def _number(value: float) -> str:
    return f"{value:,.3f}" if abs(value) < 100 else f"{value:,.1f}"


def _peers(as_json: bool) -> int:
    found: dict[str, dict[str, object]] = {}
    code = 0
    for peer in PEERS:
        row = found[peer.name] = {"what": peer.what}
        if not peer.is_there():
            row["missing"] = peer.install
            continue
        try:
            with busy(peer.name, screen(stderr=True)):
                played = peer.play(GAMES)
        except MachineError as error:
            row["failed"], code = str(error), 1
            continue
        row["moves_per_s"] = round(played.moves / played.seconds, 1)
        row["games_per_s"] = round(GAMES / played.seconds, 1)
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return code
    for name, row in found.items():
        if "missing" in row:
            said = f"not installed: {row['missing']}"
        elif "failed" in row:
            said = f"failed: {row['failed']}"
        else:
            said = f"{row['moves_per_s']:,} moves a second, {row['games_per_s']:,} games a second"
        click.echo(f"{name}: {said} ({row['what']})")
    return code


def _print(found: ClusterScale, as_json: bool) -> int:
    figures = {name: round(value, 3) for name, value in asdict(found).items()}
    if as_json:
        click.echo(json.dumps(figures, indent=2))
        return 0
    for name, value in figures.items():
        click.echo(f"{name:<15} {value:>12,.3f}")
    return 0


def _soak(games: int, as_json: bool) -> int:
    found = soak(games, screen(stderr=True))
    after, end = asdict(found.after), asdict(found.end)
    rows = {
        name: {"after": after[name], "end": end[name], "ratio": ratio}
        for name, ratio in found.ratios.items()
    }
    if as_json:
        rounded_rows = {
            name: {key: round(value, 3) for key, value in row.items()} for name, row in rows.items()
        }
        click.echo(json.dumps({"games": found.games, **rounded_rows}, indent=2))
    else:
        click.echo(f"{'':<15} {'after a tenth':>14} {'at the end':>14} {'ratio':>8}")
        for name, row in rows.items():
            click.echo(
                f"{name:<15} {row['after']:>14,.1f} {row['end']:>14,.1f} {row['ratio']:>8.3f}"
            )
    for name in found.worse:
        click.echo(f"{name}: worse by more than {TOLERANCE:.0%}", err=True)
    return int(bool(found.worse))
