"""`arena bench`: what things cost on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from arena.cli.screen import busy, ready_engine, screen
from arena.cluster import require_distributed
from arena.measure.bench import Figures, measure
from arena.measure.estimates import reliabilities
from arena.measure.scale import Scale, scale
from arena.measure.soak import TOLERANCE, soak
from arena.measure.strength import against_plain


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--strength",
    is_flag=True,
    help="Instead, play the engine against plain alpha-beta, 400 games a board. Takes minutes.",
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
    help="Instead, play so many games at random, such as 100000, and compare what the processes "
    "take at the end with what they took after a tenth: exit code 1 if anything grew by more than "
    "5 %, or games became slower by so much. Takes a minute.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=256),
    metavar="N",
    help="Instead, play on N lanes of a Dask cluster on this machine, with bots that sleep 50 ms "
    "in every move, and show how near that comes to N lanes that never wait. Takes minutes.",
)
def bench(
    as_json: bool, strength: bool, estimates: bool, games: int | None, workers: int | None
) -> int:
    """Measure what a move, a game and a bot's start cost here. Takes about half a minute.

    \b
    Example:
      arena bench --json
    """
    if games is not None:
        return _soak(games, as_json)
    if workers is not None:
        require_distributed("arena bench --workers")
        with busy("measuring", screen(stderr=True)):
            return _print(scale(workers), as_json)
    ready_engine(screen(stderr=True))
    if strength or estimates:
        for result in against_plain() if strength else reliabilities():
            click.echo(json.dumps(asdict(result), default=str) if as_json else str(result))
        return 0
    with busy("measuring", screen(stderr=True)):
        return _print(measure(), as_json)


def _print(found: Figures | Scale, as_json: bool) -> int:
    """Print figures, one a line or as JSON; returns the exit code."""
    figures = {name: round(value, 3) for name, value in asdict(found).items()}
    if as_json:
        click.echo(json.dumps(figures, indent=2))
        return 0
    for name, value in figures.items():
        click.echo(f"{name:<15} {value:>12,.3f}")
    return 0


def _soak(games: int, as_json: bool) -> int:
    """Print the figures of a soak; returns the exit code."""
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
        click.echo(f"{name}: changed for the worse by more than {TOLERANCE:.0%}", err=True)
    return int(bool(found.worse))
