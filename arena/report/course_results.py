"""A contest's results for exports: each bot's place and each person's grade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from arena.common.errors import InputError
from arena.common.names import games_name, page_name, report_name
from arena.courses.export import Person
from arena.courses.gradebook import CourseResults, Graded, Handout, Place
from arena.intake.collected import read_marker
from arena.ranking.standings import contest_results, meetings
from arena.report.facts import Facts
from arena.report.feedback import feedback_pages
from arena.report.html.student import StudentReports
from arena.report.published import PUBLISHED
from arena.scoring.grade_rules import TOP
from arena.settings.contest import Contest


def course_results(
    facts: Facts,
    people: Sequence[Person],
    *,
    contest: str,
    house: bool = True,
    missing: float | None = None,
    is_published: bool = False,
) -> CourseResults:
    """Return the results that exports write, of the contest named `contest`.

    `people` are the people of its roster. `missing` is the grade of a person without a bot that
    takes part. Without `house`, house players are left out. With `is_published`, bots have their
    pseudonyms and no person is named.
    """
    places = [
        place for place in _places(facts, is_published=is_published) if house or not place.is_house
    ]
    if is_published:  # bots that share a rank: in the order of published names
        last = len(places) + 1
        places.sort(key=lambda place: (place.cells["rank"] or last, place.pseudonym or place.bot))
    columns = [column for column in facts.board.columns if not is_published or column in PUBLISHED]
    return CourseResults(
        contest=contest,
        columns=columns,
        places=places,
        people=tuple(_people(facts, people, places, missing)),
        maximum=facts.contest.marking.top if facts.contest.marking else TOP,
        is_published=is_published,
        pages=lambda: ((bot, page) for bot, page, _ in feedback_pages(facts)),
        handouts=partial(handouts, facts, contest),
    )


def _places(facts: Facts, *, is_published: bool) -> Iterator[Place]:
    house = {name for name, bot in facts.contest.bots.items() if bot.house}
    scores: dict[str, dict[str, tuple[float, int]]] = {}
    met = meetings(contest_results(facts.games, facts.contest))
    for (bot, opponent), score in met.items():
        if opponent in house:
            scores.setdefault(bot, {})[opponent] = score
    for row in facts.listed.to_dict("records"):
        bot = str(row["bot"])
        shown = facts.public_name(bot) if is_published else bot
        cells = {str(column): None if pd.isna(cell) else cell for column, cell in row.items()}
        yield Place(
            bot=bot,
            pseudonym=facts.public_name(bot) if bot in facts.pseudonyms else "",
            is_house=bot in house,
            cells=cells | {"bot": shown},
            scores=scores.get(bot, {}),
        )


def _people(
    facts: Facts, people: Sequence[Person], places: Sequence[Place], missing: float | None
) -> Iterator[Graded]:
    by_bot = {place.bot: place for place in places if place.cells["rank"] is not None}
    owned = {person.bot for person in people}
    bots = facts.contest.bots.items()
    nobodys = [name for name, bot in bots if not bot.house and name not in owned]
    for person in (*people, *(Person(name=bot, path=bot, bot=bot) for bot in nobodys)):
        place = by_bot.get(person.bot)
        given = facts.grades.by_bot.get(person.bot)
        grade = None if given is None else float(given.value)
        yield Graded(
            person=person,
            is_listed=person.bot not in nobodys,
            place=place,
            grade=missing if place is None and given is None else grade,
            comment=_comment(facts, person, place),
        )


def _comment(facts: Facts, person: Person, place: Place | None) -> str:
    if not person.handed_in and not person.bot:
        return "Nothing was handed in."
    grade = facts.grades.by_bot.get(person.bot)
    if person.bot in facts.contest.left_out:
        why = f" {grade.why}" if grade else ""
        return f"The bot does not take part: it {facts.contest.left_out[person.bot]}.{why}"
    if place is None:
        status = person.status.removeprefix("refused: ")
        refused = f": {status}" if status != person.status else ""
        return f"The submission does not take part{refused}."
    cells = place.cells
    rank = f"Rank {cells['rank']} of {len(facts.board)}"
    points = f"{cells['points']:g} of {cells['games']} points"
    words = (grade.why, grade.certainty) if grade else ()
    return " ".join(filter(None, (f"{rank}: {points}.", *words)))


def handouts(facts: Facts, contest: str) -> Iterator[Handout]:
    reports, places = StudentReports(facts, contest), _handed_in_as(facts.contest)
    for bot, page, games in feedback_pages(facts, contest):
        if facts.contest.bots[bot].house:
            continue
        report = reports(bot)
        files = {report_name(bot): report, page_name(bot): page}
        if games:
            files[games_name(bot)] = games
        yield Handout(bot=bot, report=report, files=files, where=places.get(bot, ""))


def _handed_in_as(contest: Contest) -> dict[str, str]:
    found: dict[str, str] = {}
    sources = {name: Path(bot.source or "") for name, bot in contest.bots.items() if not bot.house}
    for folder in {source.parent for source in sources.values()}:
        try:
            _, entries = read_marker(folder)
        except (InputError, OSError):
            continue  # the export's list is unreadable or was changed by hand
        where = {entry.path: entry.where.partition(" … (")[0] for entry in entries}
        found |= {
            name: where[source.name]
            for name, source in sources.items()
            if source.parent == folder and source.name in where
        }
    return found
