"""GitHub Classroom: read its export, and fill in its list of grades.

An export has folders `ASSIGNMENT-submissions/ASSIGNMENT-USER/`, each a clone of a repository. Users
are in the classroom's roster (`identifier,github_username,github_id,name`), times and group members
in its grades (`student_repository_name`, …).
"""

from __future__ import annotations

import os
from pathlib import Path

from arena.common.text import harmless_cell
from arena.courses.export import Attempt, CsvRows, Export, Person, taken, when
from arena.courses.gradebook import (
    Columns,
    CourseResults,
    Form,
    Gradebook,
    Listed,
    Sheet,
    number,
    points_of,
    without_id,
)
from arena.intake.files import is_text, listing

NAME = "GitHub Classroom"
LIST = "github_username (GitHub Classroom's roster or grades)"
LISTED_BY: tuple[set[str], ...] = ({"github_username"},)
SUBMISSIONS = "-submissions"


def claims(tops: set[str], files: set[str], around: str) -> bool:
    prefix = around.removesuffix(SUBMISSIONS) + "-"
    ours = around.endswith(SUBMISSIONS) and not files and bool(tops)
    return ours and all(top.startswith(prefix) for top in tops)


def read(folder: Path, rows: CsvRows) -> Export | None:
    children = [child for child in listing(folder) if is_text(child.name)]
    clones = [child for child in children if child.is_dir() and not child.is_symlink()]
    prefix = _prefix(folder, clones)
    if prefix is None:
        return None
    users: dict[str, dict[str, str]] = {}
    shared: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if user := row.get("github_username", "").casefold():
            users[user] = users.get(user, {}) | row
            if repository := row.get("student_repository_name", "").casefold():
                shared.setdefault(repository, []).append(row)
    attempts = []
    for clone in clones:
        grades = shared.get(clone.name.casefold(), [])
        members = [row["github_username"] for row in grades] or [clone.name.removeprefix(prefix)]
        people = tuple(_person(member, users.get(member.casefold(), {})) for member in members)
        named = next((row["group_name"] for row in grades if row.get("group_name")), "")
        group = named or " + ".join(person.name for person in people)
        pushed = next((row["submission_timestamp"] for row in grades
                       if row.get("submission_timestamp")), "")  # fmt: skip
        submitted, age = when(pushed) if pushed else ("", 0.0)
        files, problem = taken(clone)
        attempts.append(
            Attempt(
                people=people,
                where=clone.name,
                files=files,
                group=group if named or len(people) > 1 else "",
                submitted=submitted,
                age=age,
                problem=problem,
            )
        )
    others = [each for each in children if each not in clones and each.suffix != ".csv"]
    left_out = [f"{other.name} (not a repository)" for other in others]
    return Export(kind="GitHub Classroom", attempts=tuple(attempts), left_out=tuple(left_out))


def _prefix(folder: Path, clones: list[Path]) -> str | None:
    if not clones:
        return None
    if folder.name.endswith(SUBMISSIONS):
        prefix = folder.name.removesuffix(SUBMISSIONS) + "-"
        if all(clone.name.startswith(prefix) and clone.name != prefix for clone in clones):
            return prefix
    if all((clone / ".git").exists() for clone in clones):
        common = os.path.commonprefix([clone.name for clone in clones])  # noqa: RUF071
        return common[: common.rfind("-") + 1]
    return None


def _person(user: str, row: dict[str, str]) -> Person:
    identifier = (row.get("identifier") or row.get("roster_identifier") or "").strip()
    name = row.get("name", "").strip() or identifier or user
    return Person(name=name, id=user, email=identifier if "@" in identifier else "")


# For groups, `group_name` follows.
HEADER = (
    *("assignment_name", "assignment_url", "starter_code_url", "github_username"),
    *("roster_identifier", "student_repository_name", "student_repository_url"),
    *("submission_timestamp", "points_awarded", "points_available"),
)


def _rows(results: CourseResults, form: Form, remarks: list[str]) -> list[tuple[str, ...]]:
    remarks += without_id(results, NAME)
    has_groups = any(graded.person.group for graded in results.people)
    rows: list[tuple[str, ...]] = [(*HEADER, *(["group_name"] if has_groups else []))]
    for graded in results.people:
        person = graded.person
        points = "" if graded.grade is None else number(graded.grade)
        username = person.id_in(NAME) if person.id else person.name
        names = map(harmless_cell, (username, person.email or person.name))
        where = (form.assignment or results.contest, "", "")
        repository = ("", "", person.submitted)
        group = [harmless_cell(person.group)] if has_groups else []
        rows.append((*where, *names, *repository, points, number(results.maximum), *group))
    return rows


def _columns(sheet: Sheet, form: Form, results: CourseResults) -> Columns:
    available = sheet.columns["points_available"]
    points = (points_of(sheet, n, available, "points_available") for n, _ in sheet.named())
    best = max(points, default=0.0)
    people = []
    for row, cells in sheet.named():
        user, identifier = cells["github_username"], cells["roster_identifier"]
        if not user and not identifier:
            continue
        people.append(
            Listed(
                number=row,
                name=identifier if " " in identifier else "",
                own=(user,),
                ids=(identifier,),
                emails=(identifier,),
                logins=(user, identifier.partition("@")[0]),
                handed_in=bool(cells["submission_timestamp"]),
            )
        )
        if not best:
            sheet.fill(row, available, number(results.maximum))
    grade, maximum = sheet.columns["points_awarded"], best or results.maximum
    return Columns(rows=people, grade=grade, locked={}, maximum=maximum)


GRADEBOOK = Gradebook(
    system=NAME,
    file="github.csv",
    needed=["github_username", "points_awarded", "points_available"],
    expected="the grades of GitHub Classroom (assignment_name, …, points_available)",
    columns=_columns,
    rows=_rows,
)
