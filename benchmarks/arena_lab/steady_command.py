"""`arena lab steady`: how much a class's grades depend on the seed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
from rich.table import Table

from arena.cli.screen import screen
from arena.common.errors import InputError
from arena.common.text import counted
from arena.contest.session import Session
from arena.ranking.grading import Grades
from arena.report.facts import Facts, facts_of
from arena.report.regrading import regraded
from arena.scoring.grade_rules import GradeRule
from arena_lab.figures import distances, moved, near_means

NAMED = 3  # least steady bots that are named

LEGEND = (
    "Within ½, 1: share of grades this near to their bot's mean over the folders. ± holds: share "
    "of printed intervals that have this mean. Moved: grades that differ from those of the first "
    "folder by more than half a point. Least steady: with the largest distance to the mean."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """The figures of one grade rule, as shares of the grades."""

    within_half: float
    within_one: float
    covered: float
    moved: float

    grades: Mapping[str, Sequence[float]]
    """By bot, its grades in the order of the folders; the least steady bot first."""

    farthest: Mapping[str, float]
    """The largest distance of each bot's grades to their mean, in the same order."""


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print all grades and figures as JSON.")
def steady(folders: tuple[Path, ...], as_json: bool) -> int:
    """Compare the grades of one class in several contests, played with different seeds.

    Grades each contest by each rule, as `arena rank --grade RULE` does, and prints how near the
    grades are to their means. Compares the bots that are in all FOLDERS: so two folders, before and
    after a late submission, an exclusion or one more opening, show which grades this moves.

    \b
    Example:
      arena lab steady results/seed1 results/seed2 results/seed3
    """
    if len({folder.resolve() for folder in folders}) < max(2, len(folders)):
        raise InputError("name two or more folders of one class, each of them once")
    contests = [_read(folder) for folder in folders]
    if len({facts.contest.rules for facts in contests}) > 1:
        raise InputError("the folders' contests have different boards; their grades differ anyway")
    rows, remarks = {}, {}
    for rule in (each for each in GradeRule if each.rule):
        graded = [regraded(facts, rule, None)[0].grades for facts in contests]
        if remark := next((each.remark for each in graded if each.remark), ""):
            remarks[rule.value] = remark
        else:
            rows[rule.value] = _steady(graded)
    if as_json:
        plain = {rule: asdict(row) for rule, row in rows.items()}
        click.echo(json.dumps({"folders": [*map(str, folders)], "rules": plain}, indent=2))
    else:
        _show(rows, len(folders))
        for name, remark in remarks.items():
            screen().print(f"{name}: {remark}", markup=False)
    return 0


def _read(folder: Path) -> Facts:
    session = Session.read(folder)
    settled, _, analyses = session.settle()
    if not settled.is_final:
        raise InputError(f"{folder}: games are missing, so it has no grades; arena resume {folder}")
    return facts_of(folder, session.contest, settled, analyses)


def _steady(graded: Sequence[Grades]) -> Steady:
    bots = sorted(set.intersection(*({*each.by_bot} for each in graded)))
    if not bots:
        raise InputError("no bot is in all of these folders; name those of one class")
    values, errors = (
        np.array([[getattr(each.by_bot[bot], name) for bot in bots] for each in graded])
        for name in ("value", "error")
    )
    farthest = distances(values).max(axis=0)
    order = np.argsort(-farthest, kind="stable")
    return Steady(
        **near_means(values, errors),
        moved=moved(values[1:], values[0]),
        grades={bots[bot]: values[:, bot].tolist() for bot in order},
        farthest={bots[bot]: round(float(farthest[bot]), 2) for bot in order},
    )


def _show(rows: Mapping[str, Steady], folders: int) -> None:
    bots = max((len(row.grades) for row in rows.values()), default=0)
    title = f"{counted(bots, 'bot')} in {counted(folders, 'contest')}"
    table = Table(header_style="bold", title=title, title_justify="left")
    table.add_column("grades by")
    for heading in ("within\n½", "within\n1", "±\nholds", "moved"):
        table.add_column(heading, justify="right")
    table.add_column("least steady")
    for rule, row in rows.items():
        shares = (row.within_half, row.within_one, row.covered, row.moved)
        named = [f"{bot} {far:.1f}" for bot, far in row.farthest.items() if far > 0][:NAMED]
        table.add_row(rule, *(f"{share:.1%}" for share in shares), ", ".join(named))
    screen().print(table)
    screen().print(LEGEND)
