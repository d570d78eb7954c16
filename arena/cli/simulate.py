"""`arena simulate`: how many openings a class needs."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def _counts(low: int, high: int) -> Callable[..., tuple[int, ...] | None]:
    """Return the callback of an option that takes whole numbers, separated by commas."""

    def read(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...] | None:
        if value is None:
            return None
        words = [word.strip() for word in value.split(",")]
        for word in words:
            is_number = word.isascii() and word.isdigit() and len(word) < 10
            if not (is_number and low <= int(word) <= high):
                raise click.BadParameter(
                    f"{word!r} is not a whole number from {low} to {high}; several are separated "
                    "by commas, like 5,10,20"
                )
        return tuple(sorted({int(word) for word in words}))

    return read


def _finite(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """Refuse what is a float and no number, which is in every range."""
    if value is not None and isnan(value):
        raise click.BadParameter(f"{value} is not a number")
    return value


def _figure(
    option: str, metavar: str, most: float, text: str, default: float
) -> Callable[[Command], Command]:
    """Return the option for a figure of the classes that are simulated, from 0 up to `most`.

    Its default is only named here: --from has others.
    """
    return click.option(
        option,
        type=click.FloatRange(0, most),
        callback=_finite,
        metavar=metavar,
        help=f"{text}. Default: {default:g}.",
    )


@click.command()
@click.option(
    "--bots",
    callback=_counts(2, 500),
    metavar="N,…",
    help="Students in a class. Default: 30, or as in the contest of --from.",
)
@click.option(
    "--openings",
    callback=_counts(1, 1000),
    metavar="N,…",
    default="1,2,5,10,20",
    show_default=True,
    help="Openings of a pairing, each played twice.",
)
@click.option(
    "--until-settled",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    callback=_finite,
    is_flag=False,
    flag_value=0.95,
    metavar="[LEVEL]",
    help="Also simulate contests that end when they are settled, with these openings at most; it "
    "takes ten times as long. LEVEL is 0.95 if left out.",
)
@click.option(
    "--from",
    "folder",
    type=click.Path(path_type=Path),
    metavar="results/NAME",
    help="Estimate the five figures below from this contest; its house players play.",
)
@_figure(
    "--spread", "ELO", 2000, "Standard deviation of the students' strengths in Elo points", 250
)
@_figure("--draws", "SHARE", 0.99, "Share of draws between equals", 0.15)
@_figure(
    "--bias", "ELO", 1000, "Standard deviation of an opening's advantage for the first player", 100
)
@_figure("--suits", "ELO", 1000, "Standard deviation of how much an opening suits a bot", 85)
@_figure(
    "--repeats",
    "SHARE",
    1,
    "Chance that two bots' games of a later opening end as those of their first",
    0,
)
@click.option("--classes", type=click.IntRange(1, 1_000_000), default=200, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option("--lanes", type=click.IntRange(min=1), help="Classes at a time. Default: one a core.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def simulate(as_json: bool, lanes: int | None, **options: Any) -> int:
    """Simulate classes of known strength to see how sure ranks and grades are.

    The strengths of a class are drawn, its games are drawn from them, and it is ranked and graded
    as `arena rank` does. How far that is from the strengths shows how many openings a class needs.

    \b
    Example:
      arena simulate --bots 30 --openings 5,10,20
    """
    from arena.cli.simulated import show_simulated  # pandas takes a while

    show_simulated(options, lanes, as_json=as_json)
    return 0
