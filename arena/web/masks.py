"""A contest as it is served: under pseudonyms, if its file has it that students know each other so.

The pages may be seen by a whole class. So nothing that is served then tells who a pseudonym is:
bots have no other name there and stand in the order of these names, which the games are numbered
by and ties are listed in; and what a fault says or a bot printed, in which file names may stand, is
left out, as is the history of a ladder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from arena.contest import BotEntry, Contest, Person, Session
from arena.referee import GameRecord
from arena.report.pseudonyms import Pseudonym, contest_pseudonyms

CANNOT_PLAY, CANNOT_LOAD = "cannot play on this board", "could not be loaded"
"""Said of refused bots in place of the reason."""


class Masks(Session):
    """The session of a contest whose bots have pseudonyms in place of their names."""

    def __init__(self, session: Session, pseudonyms: Mapping[str, Pseudonym]) -> None:
        """Open the same contest under pseudonyms. Raises InputError."""
        names = {bot: pseudonyms[bot].name for bot in pseudonyms}
        people = (
            replace(person, bot=names.get(person.bot, person.bot)) for person in session.people
        )
        self._people = tuple(people)
        super().__init__(session.folder, _masked(session.contest, names))

    @property
    def people(self) -> tuple[Person, ...]:
        """The people on the contest's roster, with their bots' pseudonyms."""
        return self._people


def served_session(path: Path) -> Session:
    """Open a contest as it is served. Raises InputError, StorageError."""
    session = Session.read(path)
    if not session.contest.publish.pseudonyms:
        return session
    return Masks(session, contest_pseudonyms(session.folder, session.contest))


def served_record(record: GameRecord, session: Session) -> GameRecord:
    """Return a game's record as it is served."""
    if not session.contest.publish.pseudonyms or not record.verdict.is_fault:
        return record
    return replace(record, reason=record.verdict.value, output="")


def _masked(contest: Contest, names: Mapping[str, str]) -> Contest:
    renamed = {names.get(bot, bot): _masked_entry(entry) for bot, entry in contest.bots.items()}
    bots = dict(sorted(renamed.items(), key=lambda each: (each[1].house, each[0])))
    anchor = names.get(contest.ranking.anchor, contest.ranking.anchor)
    return replace(contest, bots=bots, ranking=replace(contest.ranking, anchor=anchor))


def _masked_entry(entry: BotEntry) -> BotEntry:
    """Return the entry with a reason that says nothing about who has handed it in."""
    if entry.excluded is not None:
        return replace(entry, excluded="")
    if entry.refused is None:
        return entry
    return replace(entry, refused=CANNOT_LOAD if entry.unloadable else CANNOT_PLAY)
