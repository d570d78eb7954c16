"""Gradescope: read its export, and write a `results.json` for each student.

`results.json` has an autograder's format. In an export, `submission_metadata.yml` lies beside a
folder for each submission. Its keys are Ruby symbols: folder → `:submitters:` (`:name:`, `:sid:`,
`:email:`), `:created_at:`, perhaps `:lateness:` or `:late:`, and `:history:` with earlier attempts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from arena.common.errors import InputError, PathError, UnreadableError
from arena.common.text import counted
from arena.courses import gradebook
from arena.courses.export import (
    NOTHING,
    Attempt,
    CsvRows,
    Export,
    Person,
    drop_ids,
    same_ids,
    taken,
    when,
)
from arena.intake.confined import EXPORT, confined
from arena.intake.files import NO_FILES, Files, listing
from arena.intake.reading import At

NAME = "Gradescope"
LIST = ""
LISTED_BY: tuple[set[str], ...] = ()
METADATA = "submission_metadata.yml"
KEYS = (
    *(":submitters", ":name", ":sid", ":email", ":created_at"),
    *(":late", ":lateness", ":history", ":id"),
)

MAX_FACTS = 1_000_000  # Most values in a course's metadata; each submission has a few.
EMPTY = ("", "~", "null")


def claims(tops: set[str], files: set[str], around: str) -> bool:
    return METADATA in files


def read(folder: Path, rows: CsvRows) -> Export | None:
    if not (folder / METADATA).is_file():
        return None
    metadata = _metadata(folder / METADATA)
    attempts: list[Attempt] = []
    seen = set()
    for name, facts in metadata.items():
        for there, own in ((name, facts), *_earlier(folder, facts)):
            if there not in seen:
                seen.add(there)
                attempts.append(_attempt(folder, there, facts, own))
    left_out = []
    for child in listing(folder):
        if child.name in (*seen, METADATA):
            continue
        if child.is_dir() and not child.is_symlink():
            attempts.append(_attempt(folder, child.name, {}, {}))
        elif child.suffix != ".csv":
            left_out.append(f"{child.name} (not in a submission's folder)")
    everybody = [person for attempt in attempts for person in attempt.people]
    unclear = same_ids((person.id, f"{person.name} {person.email}") for person in everybody)
    # people type their identifiers, so these may be wrong
    attempts = [drop_ids(each, unclear, "{0.name}_{0.id}_{0.email}".format) for each in attempts]
    return Export(kind="Gradescope", attempts=tuple(attempts), left_out=tuple(left_out))


def _metadata(path: Path) -> dict[str, dict[str, Any]]:
    try:
        where = os.path.abspath(path)
        document = confined(read_metadata, where, readable=[path], modules=("yaml",), limits=EXPORT)
    except UnreadableError as error:
        raise PathError(path, str(error)) from None
    if not isinstance(document, dict):
        raise PathError(path, "cannot be read as Gradescope's metadata: no submissions in it")
    named = {name: facts for name, facts in document.items() if isinstance(name, str)}
    return {name: facts if isinstance(facts, dict) else {} for name, facts in named.items()}


def read_metadata(at: At, path: str) -> Any:
    """Return a metadata file's contents, reduced to KEYS; None if it is no mapping.

    Scalars stay text, as an identifier may look like an octal number. Raises OSError,
    UnreadableError.
    """
    import yaml  # here, as this import would slow down every command

    at(METADATA)
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # builds only text, lists and maps
    try:
        document = yaml.load(Path(path).read_text("utf-8", errors="replace"), loader)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 1})" if mark else ""
        why = getattr(error, "problem", None) or error
        raise UnreadableError(f"cannot be read as Gradescope's metadata{line}: {why}") from None
    if not isinstance(document, dict):
        return None
    left = iter(range(MAX_FACTS))
    return {
        name: _limited(facts, left) for name, facts in document.items() if isinstance(name, str)
    }


def _limited(value: Any, left: Iterator[int]) -> Any:
    """Return a value, reduced to KEYS; each part takes an item of `left`, as aliases can expand."""
    if next(left, None) is None:
        raise UnreadableError(f"{METADATA} is too large for the list of a course's submissions")
    if isinstance(value, dict):
        return {key: _limited(value[key], left) for key in KEYS if key in value}
    return [_limited(item, left) for item in value] if isinstance(value, list) else value


def _earlier(folder: Path, facts: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    history = facts.get(":history")
    found = []
    for own in history if isinstance(history, list) else []:
        if isinstance(own, dict):
            there = f"submission_{_text(own, ':id')}"
            if _is_inside(there) and (folder / there).is_dir():
                found.append((there, own))
    return found


def _attempt(folder: Path, there: str, facts: dict[str, Any], own: dict[str, Any]) -> Attempt:
    submitters = facts.get(":submitters")
    people = tuple(
        _person(there, number, submitter)
        for number, submitter in enumerate(submitters if isinstance(submitters, list) else [])
        if isinstance(submitter, dict)
    ) or (Person(name=there, key=there),)
    submitted, age = when(_text(own, ":created_at"))
    path = folder / there
    files: Files = NO_FILES
    problem: str | None = NOTHING
    if _is_inside(there) and path.is_dir() and not path.is_symlink():
        files, problem = taken(path)
    return Attempt(
        people=people,
        where=there,
        files=files,
        group=" + ".join(person.name for person in people) if len(people) > 1 else "",
        submitted=submitted,
        late=_late(own),
        age=age,
        problem=problem,
    )


def _person(there: str, number: int, submitter: dict[str, Any]) -> Person:
    name, sid, email = (_text(submitter, key) for key in (":name", ":sid", ":email"))
    # a name alone does not identify a person
    key = "" if sid or email else f"{there}/{number}"
    return Person(name=name or email or sid or there, id=sid, email=email, key=key)


def _late(own: dict[str, Any]) -> bool | None:
    """Return whether an attempt is late, by a flag or a time like 01:30:00; None if unknown."""
    flag = _text(own, ":late") or _text(own, ":lateness")
    if not flag:
        return None
    return flag.lower() != "false" and any(c not in "0:. " for c in flag)


def read_lateness(path: Path) -> bool:
    """Return whether an autograder's submission is late, by Gradescope's metadata.

    Extensions count; without dates it is on time. Raises InputError.
    """
    try:
        return _is_after_due(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not as Gradescope writes it: {error}") from None


def _is_after_due(known: dict[str, Any]) -> bool:
    made = known.get("created_at")
    common = (known.get("assignment") or {}).get("due_date")
    own = [(user.get("assignment") or {}).get("due_date") for user in known.get("users") or []]
    dates = [datetime.fromisoformat(date) for date in (*own, common) if date]
    if made is None or not dates:
        return False
    # an extension moves a student's own due date; in a group the latest counts
    return datetime.fromisoformat(made) > max(dates)


def _text(facts: dict[str, Any], key: str) -> str:
    value = facts.get(key)
    return value.strip() if isinstance(value, str) and value.strip() not in EMPTY else ""


def _is_inside(name: str) -> bool:
    return "/" not in name and "\0" not in name and name not in ("", ".", "..")


FILE = "results.json"
DIGITS = 2  # Decimals of a score.
MARKDOWN = "md"
VISIBLE = "visible"
HIDDEN = "hidden"  # Only for the instructor.
Json = dict[str, Any]


def scored_test(name: str, output: str, *, score: float, of: float, is_passed: bool) -> Json:
    points = {"score": score, "max_score": of, "status": status(is_passed)}
    return {"name": name, **points, "output": output}


def status(is_passed: bool) -> str:
    return "passed" if is_passed else "failed"


def entry(name: str, value: float, *, lowest_first: bool = False) -> Json:
    """Return a column for Gradescope's leaderboard, which the first column sorts."""
    return {"name": name, "value": value, "order": "asc" if lowest_first else "desc"}


def points_a_game(points: float, games: int) -> Json:
    return entry("Points a game", round(points / max(games, 1), 3))


def make(results: gradebook.CourseResults, form: gradebook.Form) -> gradebook.Made:
    pages = dict(results.pages())
    files = {}
    having = [graded for graded in results.people if graded.grade is not None]
    folders = gradebook.folder_names(graded.person for graded in having)
    for graded, name in zip(having, folders, strict=True):
        page = pages.get(graded.person.bot, graded.comment)
        document = json.dumps(_document(results, graded, page), indent=2, ensure_ascii=False)
        files[f"{name}/{FILE}"] = f"{document}\n".encode()
    return gradebook.Made(files, list(gradebook.about_people(results)))


def _document(results: gradebook.CourseResults, graded: gradebook.Graded, page: str) -> Json:
    """Return the contents of `results.json`. Its score is the grade, not the sum of tests."""
    assert graded.grade is not None
    score = round(graded.grade, DIGITS)
    grade = scored_test(
        "Grade", graded.comment, score=score, of=results.maximum, is_passed=score > 0
    )
    tests = [grade, *(_tests(graded.place) if graded.place is not None else ())]
    document: Json = {
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


def _tests(place: gradebook.Place) -> Iterator[Json]:
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


def _leaderboard(place: gradebook.Place) -> list[Json]:
    cells = place.cells
    entries = [
        entry("Rank", int(str(cells["rank"])), lowest_first=True),
        points_a_game(float(str(cells["points"])), int(str(cells["games"]))),
    ]
    if cells.get("rating") is not None:
        entries.append(entry("Rating", round(float(str(cells["rating"])))))
    return entries
