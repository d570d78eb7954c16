"""The record of a contest's results as exports write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.contest import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A bot's row of the leaderboard."""

    bot: str
    """Its name in the contest."""

    pseudonym: str
    """Its name in what is published; empty if it has none."""

    is_house: bool
    """True for a house player."""

    cells: Mapping[str, object]
    """Its cells by column, as numbers and texts; None where there is nothing."""

    scores: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    """Its points and games against each house player, by name: of those games that count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A person, or a bot that nobody on the roster owns, with what goes into a gradebook."""

    person: Person
    """The person; of a bot without one the name is the bot's."""

    is_listed: bool
    """True if the person is on the roster."""

    place: Place | None
    """The place of their bot; None if they have none that took part, and so no rank."""

    grade: float | None
    """The grade, penalties taken off; None if there is none."""

    comment: str
    """A few sentences for the person: the result, and why the grade is what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """What is handed out to a bot's author."""

    bot: str
    """The bot's name in the contest."""

    report: str
    """The author's own report, a page of HTML."""

    files: Mapping[str, str]
    """That and what else there is, texts by the names of their files."""

    where: str = ""
    """Name of what was handed in, as the course's system has it; empty if it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseResults:
    """Everything that an export may write."""

    contest: str
    """The contest's name."""

    columns: Sequence[str]
    """The leaderboard's columns, in their order."""

    places: Sequence[Place]
    """The leaderboard, best first; then the bots that could not be loaded, without a rank."""

    people: Sequence[Graded]
    """The roster in its order, then the bots that nobody there owns."""

    maximum: float
    """The best grade."""

    is_published: bool
    """True if bots go by pseudonyms, so that nothing may name a person."""

    pages: Callable[[], Iterable[tuple[str, str]]]
    """A function that yields each bot's name and its page, in Markdown."""

    handouts: Callable[[], Iterable[Handout]]
    """A function that yields what is handed out for each student's bot."""

    @property
    def without_grade(self) -> list[Graded]:
        """The people who have none."""
        return [graded for graded in self.people if graded.grade is None]


class Made(NamedTuple):
    """What an export wrote."""

    files: Mapping[str, bytes]
    """The files by name; of most formats one."""

    remarks: Sequence[str] = ()
    """What there is to say about it, a sentence each."""
