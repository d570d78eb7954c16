"""Gradescope: a `results.json` for each student, as an autograder would write it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from arena.numbers import counted
from arena.report.exports.gradebook import (
    CourseResults,
    Form,
    Graded,
    Made,
    Place,
    about_people,
    folder_names,
)

FILE = "results.json"

DIGITS = 2
"""Decimals of a score."""

MARKDOWN = "md"
"""The format of an output that is a page."""

VISIBLE = "visible"
HIDDEN = "hidden"
"""Visibilities: the latter is for the instructor alone."""

Values = dict[str, Any]
"""A part of the file, by Gradescope's keys."""


def scored_test(name: str, output: str, *, score: float, of: float, is_passed: bool) -> Values:
    """Return a test that brought so many points of the most that it can bring."""
    return {
        "name": name,
        "score": score,
        "max_score": of,
        "status": status(is_passed),
        "output": output,
    }


def status(is_passed: bool) -> str:
    """Return how a test ended."""
    return "passed" if is_passed else "failed"


def entry(name: str, value: float, *, lowest_first: bool = False) -> Values:
    """Return an entry of a leaderboard; of several, the first is the one it is ordered by."""
    return {"name": name, "value": value, "order": "asc" if lowest_first else "desc"}


def points_a_game(points: float, games: int) -> Values:
    """Return the entry of a leaderboard with the share of points."""
    return entry("Points a game", round(points / max(games, 1), 3))


def make(results: CourseResults, form: Form) -> Made:
    """Write a folder for each person who has a grade, called like them, with the file in it."""
    pages = dict(results.pages())
    files = {}
    having = [graded for graded in results.people if graded.grade is not None]
    folders = folder_names(graded.person for graded in having)
    for graded, name in zip(having, folders, strict=True):
        page = pages.get(graded.person.bot, graded.comment)
        document = json.dumps(_document(results, graded, page), indent=2, ensure_ascii=False)
        files[f"{name}/{FILE}"] = f"{document}\n".encode()
    return Made(files, list(about_people(results)))


def _document(results: CourseResults, graded: Graded, page: str) -> Values:
    """Return what the file says; the score is the grade, not the sum of the tests."""
    assert graded.grade is not None
    score = round(graded.grade, DIGITS)
    grade = scored_test(
        "Grade", graded.comment, score=score, of=results.maximum, is_passed=score > 0
    )
    tests = [grade, *(_tests(graded.place) if graded.place is not None else ())]
    document: Values = {
        "score": score,
        "visibility": VISIBLE,
        "stdout_visibility": HIDDEN,
        "output": page,
        "output_format": MARKDOWN,
        "tests": [test | {"visibility": VISIBLE} for test in tests],
    }
    if graded.place is not None:
        document["leaderboard"] = _leaderboard(graded.place)
    return document


def _tests(place: Place) -> Iterator[Values]:
    forfeits, games = int(str(place.cells["forfeits"])), int(str(place.cells["games"]))
    yield scored_test(
        "Games without a fault",
        f"{forfeits:,} of {counted(games, 'game')} lost by a fault.",
        score=games - forfeits,
        of=games,
        is_passed=not forfeits,
    )
    for player, (points, met) in place.scores.items():
        yield scored_test(
            f"Against {player}",
            f"{points:g} of {counted(met, 'point')} against the house player {player}.",
            score=float(points),
            of=met,
            is_passed=2 * points >= met,
        )


def _leaderboard(place: Place) -> list[Values]:
    cells = place.cells
    entries = [
        entry("Rank", int(str(cells["rank"])), lowest_first=True),
        points_a_game(float(str(cells["points"])), int(str(cells["games"]))),
    ]
    if cells.get("rating") is not None:
        entries.append(entry("Rating", round(float(str(cells["rating"])))))
    return entries
