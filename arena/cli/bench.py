"""`arena bench`: what things cost on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

import click

from arena.cli.screen import busy, ready_engine, screen
from arena.measure.bench import Figures, measure, rounded
from arena.measure.estimates import reliabilities
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
def bench(as_json: bool, strength: bool, estimates: bool) -> int:
    """Measure what a move, a game and a bot's start cost here. Takes about half a minute.

    \b
    Example:
      arena bench --json
    """
    ready_engine(screen(stderr=True))
    if strength or estimates:
        for result in against_plain() if strength else reliabilities():
            click.echo(json.dumps(asdict(result), default=str) if as_json else str(result))
        return 0
    with busy("measuring", screen(stderr=True)):
        figures = rounded(measure())
    if as_json:
        click.echo(json.dumps(figures, indent=2))
        return 0
    for field in fields(Figures):
        click.echo(f"{field.name:<15} {figures[field.name]:>12,.3f}")
    return 0
