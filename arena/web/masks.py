"""A contest as it is served: under pseudonyms, if its file has it that students know each other so.

The pages may be seen by a whole class. So nothing that is served then tells who a pseudonym is:
bots have no other name there and stand in the order of these names, which the games are numbered
by and ties are listed in; and what a fault says or a bot printed, in which file names may stand, is
left out, as is the history of a ladder.

Also how the server's processes leave the cores to the contest.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arena.contest.session import Session
from arena.courses.person import Person
from arena.game.record import GameRecord
from arena.report.pseudonyms import Pseudonym, contest_pseudonyms
from arena.settings.contest import BotEntry, Contest

READERS = 17
"""Niceness of the server and of the process that reads the journal: on a core that a lane keeps
busy they get two per cent, and all of one that nobody wants."""

BOTS = 19
"""Niceness of bots that visitors play against: the kernel has no greater one."""


def stand_back(niceness: int, pid: int = 0) -> None:
    """Let a process, this one by default, and those it will start have at least this niceness.

    They do not take a core from a lane by waking up either, but wait until it is their turn.
    Where the kernel shares cores between terminals first (sched(7), autogroup), a process that
    leads a session of its own makes the whole session as nice.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, max(niceness, os.getpriority(os.PRIO_PROCESS, pid)))
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    with suppress(OSError):
        if os.getsid(pid) == (pid or os.getpid()):
            Path(f"/proc/{pid or 'self'}/autogroup").write_text(str(niceness))


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
