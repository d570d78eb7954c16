"""A figure of a contest's grades: ratings with intervals, and where grades begin."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor

from arena.common.text import one_line
from arena.report.facts import Facts
from arena.report.html.shell import templates
from arena.report.screen.leaderboard import GRADE
from arena.scoring.grade_rules import LOWEST, TOP

ROOM = 50  # Elo points beside the lowest and the highest rating
PLAYED = 0.9  # bots that lost this share of their games by faults are beside the axis
STEPS = (50, 100, 200, 500, 1000)  # Elo points between marks of the axis
MOST_STEPS = 12


def boundaries(facts: Facts) -> list[tuple[float, int]]:
    """Return ratings at which whole grades begin, with the grades; ascending.

    Other rules than `scale` grade no ratings. For them a boundary is halfway between two bots, if
    all bots above it have a better grade than all below.
    """
    rule = facts.contest.marking
    if rule is None or not facts.grades.by_bot:
        return []
    if rule.by_rating:
        low, high = facts.contest.grades.scale
        return [(low + (high - low) * grade / TOP, grade) for grade in range(LOWEST, TOP + 1)]
    ratings = facts.ratings.table["rating"].dropna()
    graded = sorted(
        (float(ratings[bot]), floor(grade.value))
        for bot, grade in facts.grades.by_bot.items()
        if bot in ratings.index
    )
    grades = [grade for _, grade in graded]
    return [
        ((below + above) / 2, grade)
        for place, ((below, _), (above, grade)) in enumerate(pairwise(graded), 1)
        if max(grades[:place]) < min(grades[place:])
    ]


def grade_figure(facts: Facts) -> str:
    """Return the figure as SVG; a row for each rated bot, best first."""
    rows = facts.board.dropna(subset=["rating"])
    played = rows[rows["forfeits"] < PLAYED * rows["games"]]["rating"]
    axis = played if len(played) else rows["rating"]
    low, high = axis.min() - ROOM, axis.max() + ROOM
    marks = range(0)
    if len(rows):
        step = next((each for each in STEPS if (high - low) / each <= MOST_STEPS), ceil(high - low))
        marks = range(ceil(low / step) * step, floor(high) + 1, step)
    grades = GRADE.cells(rows[list(GRADE.names)].to_numpy().tolist())
    house = {name for name, bot in facts.contest.bots.items() if bot.house}
    bots = [
        {
            **row,
            "name": one_line(str(row["bot"]), 26),
            "is_house": row["bot"] in house,
            "grade_shown": grade,
        }
        for row, grade in zip(rows.to_dict("records"), grades, strict=True)
    ]
    template = templates("arena.report").get_template("ratings.svg.jinja")
    return template.render(bots=bots, low=low, high=high, marks=marks, boundaries=boundaries(facts))
