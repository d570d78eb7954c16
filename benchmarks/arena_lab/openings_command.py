"""`arena lab openings`: the openings that a contest draws."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from math import sqrt
from statistics import fmean, stdev
from typing import Any, TypeVar

import click

from arena.cli.options import contest_from, openings_options
from arena.cli.screen import ready_engine, screen, tracked
from arena.common.text import counted
from arena.openings.drawing import Opening, find_openings
from arena.rules import Ruleset, format_moves
from arena.settings.contest import Contest

T = TypeVar("T")


@click.command()
@openings_options
@click.option("--exact", is_flag=True, help="Also solve openings whose value is unknown.")
@click.option("--share", is_flag=True, help="Also let the reference play against itself from each.")
@click.option("--json", "as_json", is_flag=True, help="Print the openings as JSON.")
def openings(exact: bool, share: bool, as_json: bool, **options: Any) -> int:
    """List the openings from which a contest with these rules and this seed draws.

    `--openings` and `--shared-openings` are those of the contest. All its pairings share some
    openings of this list, and each pairing draws its others from the list.

    Each line has the evaluation, the value in a search of 10,000 nodes and, if known, the exact
    value. The last two are for the side to move.

    \b
    Examples:
      arena lab openings --preset cs4100 --openings 20 --seed 7
      arena lab openings --preset classic --openings 400 --shared-openings all --share
    """
    contest = contest_from(Contest(), options)
    rules, plan = contest.rules, contest.schedule
    ready_engine(screen(stderr=True))
    from arena_lab.opening_book import label, mover_scores

    wanted = contest.pool_size
    found = find_openings(rules, wanted, plan.seed, plan.min_plies, plan.max_plies)
    if exact:
        found = _collect(label(found, rules), "solved", len(found))
    scores = []
    if share:
        scores = _collect(mover_scores(found, rules), "played from", len(found))
    if as_json:
        click.echo(json.dumps(_record(rules, found, scores), indent=2))
        return 0
    for number, opening in enumerate(found, 1):
        exact_value = "" if opening.exact is None else opening.exact
        score = f"  mover {scores[number - 1]:<3g}" if scores else ""
        click.echo(
            f"{number:>4}  {len(opening.columns):>2} plies  evaluation {opening.evaluation}"
            f"  search {opening.search_value:>3}  exact {exact_value:>3}{score}"
            f"   {format_moves(opening.columns) or 'empty board'}"
        )
    for line in _summary(found, scores):
        click.echo(line)
    if len(found) < wanted:
        click.echo(f"{rules}: there are no more fair openings", err=True)
    return 0


def _collect(results: Iterable[T], said: str, total: int) -> list[T]:
    return list(tracked(results, said, total, "openings", screen(stderr=True)))


def _record(rules: Ruleset, found: Sequence[Opening], scores: Sequence[float]) -> dict[str, Any]:
    return {
        "rules": str(rules),
        "openings": [
            asdict(opening) | ({"mover_score": scores[index]} if scores else {})
            for index, opening in enumerate(found)
        ],
        "mover_share": fmean(scores) if scores else None,
    }


def _summary(found: Sequence[Opening], scores: Sequence[float]) -> Iterator[str]:
    known = [opening.exact for opening in found if opening.exact is not None]
    won, drawn = sum(value > 0 for value in known), known.count(0)
    values = "no exact value is known (--exact solves what can be solved)"
    if known:
        values = f"{len(known)} exact values known: {won} won, {drawn} drawn, "
        values += f"{len(known) - won - drawn} lost for the side to move"
    yield f"{counted(len(found), 'opening')}; {values}"
    if scores:
        error = stdev(scores) / sqrt(len(scores)) if len(scores) > 1 else 0.5
        yield (
            f"against itself the reference scores {fmean(scores):.1%} (± {error:.1%}) "
            f"as the side to move, with {counted(scores.count(0.5), 'draw')}"
        )
