"""What a roster says of late bots."""

from __future__ import annotations

from dataclasses import replace

from arena.contest.people import Person, lateness


def test_who_is_late_has_the_rosters_penalty_or_else_the_contests() -> None:
    people = [
        Person(name="Ann", bot="ann", late=True, penalty=2.0),
        Person(name="Ben", bot="ben", late=True),
        Person(name="Cat", bot="cat", late=False),
        Person(name="Dan", bot="dan"),
        Person(name="Eve", bot="", late=True),
        Person(name="Fay", bot="fay", late=True, penalty=0.0),
    ]
    known = lateness(people, 1.0)
    assert known.late == {"ann", "ben", "fay"}
    assert known.penalties == {"ann": 2.0, "ben": 1.0}


def test_a_penalty_of_somebody_on_time_is_taken_off_too() -> None:
    known = lateness([Person(name="Ann", bot="ann", late=False, penalty=0.5)], 1.0)
    assert known.late == frozenset()
    assert known.penalties == {"ann": 0.5}


def test_a_bot_of_several_people_has_the_highest_of_their_penalties() -> None:
    people = [
        Person(name="Ann", bot="team", late=None, penalty=1.0),
        Person(name="Ben", bot="team", late=True, penalty=1.5),
    ]
    known = lateness(people, 0.0)
    assert known.late == {"team"}
    assert known.penalties == {"team": 1.5}


def test_a_penalty_of_somebody_on_time_in_a_late_group_is_none_for_lateness() -> None:
    ben = Person(name="Ben", bot="team", late=True)
    ann = Person(name="Ann", bot="team", late=False, penalty=1.0)
    assert lateness([ann, ben], 0.5).otherwise == {"team"}
    assert lateness([ann, replace(ben, penalty=1.0)], 0.5).otherwise == frozenset()
    assert lateness([ben], 0.5).otherwise == frozenset()
