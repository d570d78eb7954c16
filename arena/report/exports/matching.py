"""Finding people in a course system's own list.

A person is a row's by identifier, else by e-mail, else by login, else by name. Whatever two rows or
two people share tells nobody apart, so it matches nobody.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.contest import Person
from arena.quoting import plain_cell

OF_SCHOOL = ("Gradescope",)
"""Systems whose identifiers are the school's. The others have numbers or names of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A person as a system's own list has them; each field may hold nothing."""

    number: int
    """The number of the row."""

    name: str = ""
    own: tuple[str, ...] = ()
    """Identifiers of the system itself."""
    ids: tuple[str, ...] = ()
    """Identifiers that the school gives, the same in all its systems."""
    emails: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    handed_in: bool = False
    """True if the list says that they handed in something."""


def match(people: Sequence[Person], rows: Sequence[Listed], system: str) -> dict[int, Listed]:
    """Return the rows of a system's list that are found, by the people's indices."""
    found: dict[int, Listed] = {}
    listed = [_listed(person, system) for person in people]
    by_number = {row.number: row for row in rows}
    for kind in range(KINDS):
        rows_of = _unique((row.number, _marks(row)[kind]) for row in rows)
        people_of = _unique((index, _marks(one)[kind]) for index, one in enumerate(listed))
        taken = {row.number for row in found.values()}
        for key, index in people_of.items():
            row = by_number.get(rows_of.get(key, -1))
            if row is None or index in found or row.number in taken:
                continue
            if kind < EMAILS and _contradicts(listed[index], row):
                continue
            found[index] = row
            taken.add(row.number)
    return found


def marks_of(people: Iterable[Person | Listed], system: str) -> set[str]:
    """Return all by which any of these could be found in a list of the system."""
    listed = [one if isinstance(one, Listed) else _listed(one, system) for one in people]
    return {mark for one in listed for marks in _marks(one) for mark in marks}


def _listed(person: Person, system: str) -> Listed:
    """Return what tells somebody on the roster from others, in a list of the system."""
    login = person.email.partition("@")[0]
    own = person.id_in(system)
    by_school = own or (person.id if person.system in OF_SCHOOL else "")
    return Listed(
        number=0,
        name=person.name,
        own=(own,),
        ids=(by_school,),
        emails=(person.email, by_school if "@" in by_school else ""),
        logins=(by_school, person.email, login),
    )


def _unique(pairs: Iterable[tuple[int, set[str]]]) -> dict[str, int]:
    """Return whose each key is, without keys that several have."""
    listed = list(pairs)
    counts = Counter(key for _, keys in listed for key in keys)
    return {key: number for number, keys in listed for key in keys if counts[key] == 1}


KINDS, EMAILS = 5, 2
"""Kinds of marks, and the number of that which is e-mails."""


def _marks(one: Listed) -> tuple[set[str], ...]:
    """Return what finds a person: own identifiers, others, e-mails, logins and the name."""
    emails = [each for each in one.emails if "@" in each]
    texts = (one.own, one.ids, emails, one.logins)
    kinds = ({_folded(each) for each in kind if each} for kind in texts)
    return (*kinds, {in_order(one.name)} - {""})


def in_order(name: str) -> str:
    """Return a name to compare: `Doe, Jane` and `jane  doe` are the same."""
    last, comma, first = plain_cell(name).partition(",")
    return _folded(f"{first} {last}" if comma else last)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _contradicts(person: Listed, row: Listed) -> bool:
    """Return True if an identifier is the same by chance: two systems number people from 1 on."""
    if _marks(person)[EMAILS] & _marks(row)[EMAILS]:
        return False
    mine, theirs = set(in_order(person.name).split()), set(in_order(row.name).split())
    return bool(mine and theirs and not mine & theirs)
