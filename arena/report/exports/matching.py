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


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A person as a system's own list has them; each field may hold nothing."""

    number: int
    """The number of the row."""

    name: str = ""
    ids: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    handed_in: bool = False
    """True if the list says that they handed in something."""


def match(people: Sequence[Person], rows: Sequence[Listed]) -> dict[int, Listed]:
    """Return the rows that are found, by the people's indices."""
    found: dict[int, Listed] = {}
    for kind in KINDS:
        rows_of = _unique((row.number, kind(row)) for row in rows)
        people_of = _unique((index, kind(_listed(person))) for index, person in enumerate(people))
        by_number = {row.number: row for row in rows}
        taken = {row.number for row in found.values()}
        for key, index in people_of.items():
            row = by_number.get(rows_of.get(key, -1))
            if row is None or index in found or row.number in taken:
                continue
            if kind is _by_id and _contradicts(people[index], row):
                continue
            found[index] = row
            taken.add(row.number)
    return found


def marks_of(people: Iterable[Person | Listed]) -> set[str]:
    """Return all by which any of these could be found."""
    listed = [one if isinstance(one, Listed) else _listed(one) for one in people]
    return {mark for one in listed for kind in KINDS for mark in kind(one)}


def _listed(person: Person) -> Listed:
    """Return what tells somebody on the roster from others."""
    login = person.email.partition("@")[0]
    return Listed(
        number=0,
        name=person.name,
        ids=(person.id,),
        emails=(person.email, person.id if "@" in person.id else ""),
        logins=(person.id, person.email, login),
    )


def _unique(pairs: Iterable[tuple[int, set[str]]]) -> dict[str, int]:
    """Return whose each key is, without keys that several have."""
    listed = list(pairs)
    counts = Counter(key for _, keys in listed for key in keys)
    return {key: number for number, keys in listed for key in keys if counts[key] == 1}


def _by_id(one: Listed) -> set[str]:
    return {_folded(each) for each in one.ids if each}


def _by_email(one: Listed) -> set[str]:
    return {_folded(each) for each in one.emails if "@" in each}


def _by_login(one: Listed) -> set[str]:
    return {_folded(each) for each in one.logins if each}


def _by_name(one: Listed) -> set[str]:
    return {in_order(one.name)} - {""}


KINDS = (_by_id, _by_email, _by_login, _by_name)
"""What people are found by, the surest first."""


def in_order(name: str) -> str:
    """Return a name to compare: `Doe, Jane` and `jane  doe` are the same."""
    last, comma, first = plain_cell(name).partition(",")
    return _folded(f"{first} {last}" if comma else last)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _contradicts(person: Person, row: Listed) -> bool:
    """Return True if an identifier is the same by chance: two systems number people from 1 on."""
    if set(_by_email(_listed(person))) & _by_email(row):
        return False
    mine, theirs = set(in_order(person.name).split()), set(in_order(row.name).split())
    return bool(mine and theirs and not mine & theirs)
