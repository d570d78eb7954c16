"""A course with a contest of its bots, without played games."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

from arena.contest.retirement import settle
from arena.courses.export import Person
from arena.report.course_results import course_results
from arena.report.exports import CourseResults
from arena.report.facts import Facts, facts_of
from arena.settings.contest import BotEntry, Contest, Schedule
from support.scripted import by_key, games_between, lost

STUDENTS = ("ann", "bob", "Owls", "dan")  # The best first.

# The best first: each loses all games against those before it.
ORDER = ("reference", *STUDENTS, "random")
ANN = Person(name='Ben-Ari, Ann "A"', id="101", email="ann@u.edu", path="ann", bot="ann")
BOB = Person(name="=1+1", id="102", email="bob@u.edu", late=True, path="bob", bot="bob")
CID = Person(name="שרה כהן", id="103", email="cid@u.edu", group="Owls", path="Owls", bot="Owls")
EVA = Person(name="Eva|Roe_2", id="104", email="eva@u.edu", group="Owls", path="Owls", bot="Owls")
ZED = Person(name="Zed Last", id="109", email="zed@u.edu")
PEOPLE = (ANN, BOB, CID, EVA, ZED)  # The roster; nobody on it owns `dan`.

# By the rule `seed`: four bots between random and reference share ⌈10 · (i + 1) / 4⌉.
GRADES = {"ann": 10, "bob": 8, "Owls": 5, "dan": 3}


@cache
def course_facts(**refused: str) -> Facts:
    """Return the facts of a contest in which each bot beats all later ones in ORDER.

    `refused` bots, with their reasons, do not take part.
    """
    pairs = [pair for one in combinations(ORDER, 2) for pair in (one, one[::-1])]
    games = games_between(*pairs)
    records = [lost(game, max(game.first, game.second, key=ORDER.index)) for game in games]
    entries = {
        name: BotEntry(
            source=f"hw/{name}", content_hash=f"{number:016x}", house=name not in STUDENTS
        )
        for number, name in enumerate(ORDER)
    }
    for name, why in refused.items():
        entries[name] = BotEntry(source=f"hw/{name}", refused=why)
    contest = Contest(bots=entries, schedule=Schedule(openings=1))
    return facts_of(Path("homework4"), contest, settle(games, by_key(*records), 0), {})


def course(people: Sequence[Person] = PEOPLE, **options: object) -> CourseResults:
    """Return what exports write of that contest."""
    return course_results(course_facts(), people, contest="homework4", **options)  # type: ignore[arg-type]
