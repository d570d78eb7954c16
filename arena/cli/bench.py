"""`arena bench`: what things cost on this machine."""

from __future__ import annotations

import json
from dataclasses import fields

import click

from arena.bench import Figures, measure, rounded
from arena.cli.screen import screen


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def bench(as_json: bool) -> int:
    """Measure what a move, a game and a bot's start cost here. Takes about half a minute.

    \b
    Example:
      arena bench --json
    """
    with screen(stderr=True).status("measuring …"):
        figures = rounded(measure())
    if as_json:
        click.echo(json.dumps(figures, indent=2))
        return 0
    for field in fields(Figures):
        click.echo(f"{field.name:<15} {figures[field.name]:>12,.3f}")
    return 0
