"""Gradescope: a `results.json` for each student, as an autograder would write it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from arena.naming import numbered, plain_name
from arena.numbers import counted
from arena.report.exports.gradebook import Form, about_people
from arena.report.exports.record import CourseResults, Graded, Made, Place

FILE = "results.json"

DIGITS = 2
"""Decimals of a score."""

VISIBLE = "visible"


def make(results: CourseResults, form: Form) -> Made:
    """Write a folder for each person who has a grade, called like them, with the file in it."""
    pages = dict(results.pages())
    taken: set[str] = set()
    files = {}
    for graded in results.people:
        if graded.grade is None:
            continue
        name = _folder(graded, taken)
        taken.add(name.casefold())
        page = pages.get(graded.person.bot, graded.comment)
        document = json.dumps(_document(results, graded, page), indent=2, ensure_ascii=False)
        files[f"{name}/{FILE}"] = f"{document}\n".encode()
    return Made(files, list(about_people(results)))


def _folder(graded: Graded, taken: set[str]) -> str:
    """Return a name for somebody's folder that nobody has yet, whatever the case."""
    person = graded.person
    plain = plain_name(f"{person.name} {person.id}".strip()) or "student"
    return next(name for name in numbered(plain) if name.casefold() not in taken)


def _document(results: CourseResults, graded: Graded, page: str) -> Mapping[str, Any]:
    """Return what the file says; the score is the grade, not the sum of the tests."""
    assert graded.grade is not None
    score = round(graded.grade, DIGITS)
    document: dict[str, Any] = {
        "score": score,
        "visibility": VISIBLE,
        "stdout_visibility": "hidden",
        "output": page,
        "output_format": "md",
        "tests": [
            {
                "name": "Grade",
                "score": score,
                "max_score": results.maximum,
                "status": "passed" if score > 0 else "failed",
                "output": graded.comment,
                "visibility": VISIBLE,
            }
        ],
    }
    if graded.place is not None:
        document["tests"] += _tests(graded.place)
        document["leaderboard"] = _leaderboard(graded.place)
    return document


def _tests(place: Place) -> Iterator[Mapping[str, Any]]:
    """Yield a test for the faults, and one for the games against each house player."""
    forfeits, games = int(str(place.cells["forfeits"])), int(str(place.cells["games"]))
    yield {
        "name": "Games without a fault",
        "score": games - forfeits,
        "max_score": games,
        "status": "failed" if forfeits else "passed",
        "output": f"{forfeits:,} of {counted(games, 'game')} lost by a fault.",
        "visibility": VISIBLE,
    }
    for player, (points, met) in place.scores.items():
        yield {
            "name": f"Against {player}",
            "score": float(points),
            "max_score": met,
            "status": "passed" if 2 * points >= met else "failed",
            "output": f"{points:g} of {counted(met, 'point')} against the house player {player}.",
            "visibility": VISIBLE,
        }


def _leaderboard(place: Place) -> list[Mapping[str, Any]]:
    """Return the entries of Gradescope's leaderboard."""
    cells = place.cells
    share = float(str(cells["points"])) / max(int(str(cells["games"])), 1)
    entries: list[Mapping[str, Any]] = [
        {"name": "Rank", "value": int(str(cells["rank"])), "order": "asc"},
        {"name": "Points a game", "value": round(share, 3), "order": "desc"},
    ]
    if cells.get("rating") is not None:
        entries.append(
            {"name": "Rating", "value": round(float(str(cells["rating"]))), "order": "desc"}
        )
    return entries
