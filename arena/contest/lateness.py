"""Lateness: which bots were handed in late, and what is taken off their grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.contest.config import Grading
from arena.contest.people import Person, by_bot


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """The bots that were handed in late."""

    late: frozenset[str]
    """Their names."""

    penalties: Mapping[str, float]
    """Grade points taken off, by bot; also of bots on time whose people have a penalty."""

    otherwise: frozenset[str] = frozenset()
    """Late bots whose penalty is that of somebody on time, so it is not for lateness."""


NOBODY_LATE = Lateness(late=frozenset(), penalties={})
"""The lateness of a contest of which nobody knows anything."""


def lateness(people: Iterable[Person], late_penalty: float) -> Lateness:
    """Return what a roster says of late bots.

    A bot of several people is late if one of them is, and has the highest of their penalties.
    `late_penalty` is that of late bots for which the roster has none.
    """
    late, penalties, otherwise = set(), {}, set()
    for bot, persons in by_bot(people).items():
        stated = [person.penalty for person in persons if person.penalty is not None]
        is_late = any(person.late for person in persons)
        if is_late:
            late.add(bot)
        if points := max(stated, default=late_penalty if is_late else 0.0):
            penalties[bot] = points
            theirs = [person for person in persons if person.penalty == points]
            if is_late and theirs and not any(person.late for person in theirs):
                otherwise.add(bot)
    return Lateness(late=frozenset(late), penalties=penalties, otherwise=frozenset(otherwise))


def unknown_lateness(folder: Path, grading: Grading, people: Sequence[Person]) -> str:
    """Return a sentence if lateness would count in a contest without a roster; else nothing."""
    named = {"freeze": grading.freeze, "late_penalty": grading.late_penalty}
    settings = [name for name, value in named.items() if value]
    if not settings or people:
        return ""
    change = "changes" if len(settings) == 1 else "change"
    return (
        f"{folder}: [grades] {' and '.join(settings)} {change} nothing: without a roster.csv "
        "nobody is known to be late"
    )
