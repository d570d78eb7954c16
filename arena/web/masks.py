"""A contest as it is served, perhaps with pseudonyms.

All students may see the pages, so no data may reveal who has which pseudonym. Bots' order, games'
numbers and ties follow the pseudonyms. Left out are faults' reasons and bots' output, which may
contain file names, and a ladder's history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from arena.contest.session import Session
from arena.courses.handin import Person
from arena.game.record import GameRecord
from arena.report.pseudonyms import Pseudonym, contest_pseudonyms
from arena.settings.contest import BotEntry, Contest

CANNOT_PLAY, CANNOT_LOAD = "cannot play on this board", "could not be loaded"


class Masks(Session):
    """The session of a contest with pseudonyms in place of bots' names."""

    def __init__(self, session: Session, pseudonyms: Mapping[str, Pseudonym]) -> None:
        """Open the contest of `session` again. Raises InputError."""
        names = {bot: pseudonyms[bot].name for bot in pseudonyms}
        people = (
            replace(person, bot=names.get(person.bot, person.bot)) for person in session.people
        )
        self._people = tuple(people)
        super().__init__(session.folder, _masked(session.contest, names))

    @property
    def people(self) -> tuple[Person, ...]:
        return self._people


def served_session(path: Path) -> Session:
    """Open a contest; if it publishes pseudonyms, they replace the bots' names.

    Raises InputError, StorageError.
    """
    session = Session.read(path)
    if not session.contest.publish.pseudonyms:
        return session
    return Masks(session, contest_pseudonyms(session.folder, session.contest))


def served_record(record: GameRecord, session: Session) -> GameRecord:
    """Return a record, without details of a fault if the contest has pseudonyms."""
    if not session.contest.publish.pseudonyms or not record.verdict.is_fault:
        return record
    return replace(record, reason=record.verdict.value, output="")


def _masked(contest: Contest, names: Mapping[str, str]) -> Contest:
    renamed = {names.get(bot, bot): _masked_entry(entry) for bot, entry in contest.bots.items()}
    bots = dict(sorted(renamed.items(), key=lambda each: (each[1].house, each[0])))
    anchor = names.get(contest.ranking.anchor, contest.ranking.anchor)
    return replace(contest, bots=bots, ranking=replace(contest.ranking, anchor=anchor))


def _masked_entry(entry: BotEntry) -> BotEntry:
    # a reason could reveal the student
    if entry.excluded is not None:
        return replace(entry, excluded="")
    if entry.refused is None:
        return entry
    return replace(entry, refused=CANNOT_LOAD if entry.unloadable else CANNOT_PLAY)
