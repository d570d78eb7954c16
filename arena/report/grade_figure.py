"""A figure of a contest's grades: ratings with intervals, and where grades begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from itertools import pairwise
from math import ceil, floor
from typing import Any

from arena.common.text import one_line
from arena.report.facts import Facts
from arena.report.screen.leaderboard import GRADE
from arena.scoring.grade_rules import LOWEST, TOP

NAMES, PLOT, GRADES, ROW, TOP_SPACE = 200, 600, 110, 22, 40  # lengths in pixels
ROOM = 50  # Elo points beside the lowest and the highest rating
STEPS = (50, 100, 200, 500, 1000)  # Elo points between marks of the axis
MOST_STEPS = 12
INK, GRID, LINE, HOUSE = "#263238", "#cfd8dc", "#1565c0", "#78909c"


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
    height = TOP_SPACE + ROW * len(rows) + ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{NAMES + PLOT + GRADES}" '
        f'height="{height}" font-family="sans-serif" font-size="13" fill="{INK}">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    if len(rows):
        low, high = rows["rating"].min() - ROOM, rows["rating"].max() + ROOM
        axis = _Axis(float(low), float(high), height - ROW)
        parts += [*axis.marks(), *axis.boundaries(boundaries(facts))]
        parts.append(_text(NAMES - 12, height - ROW * 0.3, "rating", "end"))
        house = {name for name, bot in facts.contest.bots.items() if bot.house}
        grades = GRADE.cells(rows[list(GRADE.names)].to_numpy().tolist())
        for place, (row, grade) in enumerate(zip(rows.to_dict("records"), grades, strict=True)):
            y, is_house = TOP_SPACE + ROW * place + ROW // 2, row["bot"] in house
            parts += axis.row(row, y, is_house=is_house)
            if grade:
                parts.append(_text(NAMES + PLOT + 16, y + 4, grade, "start"))
    return "\n".join([*parts, "</svg>", ""])


class _Axis:
    def __init__(self, low: float, high: float, bottom: int) -> None:
        self._low, self._high, self._bottom = low, high, bottom

    def x(self, rating: float) -> float:
        """Return a rating's place; ratings outside of the axis are at its ends."""
        share = (min(max(rating, self._low), self._high) - self._low) / (self._high - self._low)
        return round(NAMES + PLOT * share, 1)

    def marks(self) -> Iterator[str]:
        span = self._high - self._low
        step = next((step for step in STEPS if span / step <= MOST_STEPS), ceil(span))
        for rating in range(ceil(self._low / step) * step, floor(self._high) + 1, step):
            yield _text(self.x(rating), self._bottom + ROW * 0.7, f"{rating}", "middle")
            yield self._upright(rating, GRID, "")

    def boundaries(self, found: list[tuple[float, int]]) -> Iterator[str]:
        if found:
            yield _text(NAMES - 12, TOP_SPACE * 0.7, "grade from", "end")
        for rating, grade in found:
            if self._low <= rating <= self._high:
                yield _text(self.x(rating), TOP_SPACE * 0.7, f"{grade}", "middle")
                yield self._upright(rating, INK, ' stroke-dasharray="4 3"')

    def _upright(self, rating: float, colour: str, more: str) -> str:
        x = self.x(rating)
        ends = f'x1="{x}" x2="{x}" y1="{TOP_SPACE}" y2="{self._bottom}"'
        return f'<line {ends} stroke="{colour}"{more}/>'

    def row(self, row: Mapping[Any, Any], y: int, *, is_house: bool) -> Iterator[str]:
        colour, x = HOUSE if is_house else LINE, self.x(float(row["rating"]))
        low, high = (self.x(float(row[name])) for name in ("rating_low", "rating_high"))
        yield _text(NAMES - 12, y + 4, one_line(str(row["bot"]), 26), "end", colour)
        yield f'<path d="M{low} {y}H{high}" stroke="{colour}" stroke-width="2"/>'
        if is_house:
            yield f'<path d="M{x} {y - 6}l6 6-6 6-6-6z" fill="{colour}"/>'
        else:
            yield f'<circle cx="{x}" cy="{y}" r="4.5" fill="{colour}"/>'


def _text(x: float, y: float, words: str, anchor: str, colour: str = INK) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}"'
    return f"<text {place}>{escape(words)}</text>"
