"""What a whole class may read: pseudonyms, and only the facts listed here.

No data may reveal who has which pseudonym: bots' order, games' numbers and ties follow the
pseudonyms. Reasons of faults and bots' output, which may contain names and paths, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.analysis.analysis import GameAnalysis
from arena.contest.index import ScheduledGames
from arena.contest.session import ContestResults, Session
from arena.courses.export import Person
from arena.game.record import GameRecord
from arena.report.pseudonyms import Pseudonym, contest_pseudonyms
from arena.settings.contest import BotEntry, Contest, ScheduledGame

# Columns of a published leaderboard. Grades are not published, nor are interface and content hash,
# which could identify a student.
PUBLISHED = (
    *("rank", "rank_low", "rank_high", "bot", "points", "games", "wins", "draws", "losses"),
    *("forfeits", "rating", "rating_low", "rating_high"),
)

# Parts of a report's overview, of its contest and of its bots. Others are emptied.
PARTS = {
    *("view", "me", "contest", "bots", "crosstable", "openings", "convergence", "analysed"),
    *("chunk_games", "last_game"),
    *("made", "arena", "rules", "rules_text", "limits", "limits_text", "is_final", "games"),
    *("due", "settings"),
    *PUBLISHED,
    *("name", "house", "faults", "faults_by", "superiority", "retired", "refused", "budget"),
    *("mean_ms", "max_ms", "mean_nodes", "max_nodes", "accuracy", "blunders"),
}
LEFT_OUT = "Bots have pseudonyms; grades, texts of errors and what bots print are left out."
CANNOT_PLAY, CANNOT_LOAD = "cannot play on this board", "could not be loaded"


class PublicSession(Session):
    """The session of a contest with pseudonyms in place of bots' names."""

    def __init__(self, session: Session, pseudonyms: Mapping[str, Pseudonym]) -> None:
        """Open the contest of `session` again. Raises InputError."""
        names = {bot: pseudonyms[bot].name for bot in pseudonyms}
        people = (
            replace(person, bot=names.get(person.bot, person.bot)) for person in session.people
        )
        self._people = tuple(people)
        self._names = {shown: bot for bot, shown in names.items()}
        super().__init__(session.folder, _masked(session.contest, names))

    @property
    def games(self) -> ScheduledGames:
        if self._games is None:
            self._games = self.folder.games(self.contest, self._names)
        return self._games

    @property
    def people(self) -> tuple[Person, ...]:
        return self._people

    def count(
        self,
        games: Sequence[ScheduledGame],
        records: Mapping[str, GameRecord],
        analyses: Mapping[str, GameAnalysis],
        *,
        graded: bool = True,
    ) -> ContestResults:
        public = {key: public_record(record, self) for key, record in records.items()}
        return super().count(games, public, analyses, graded=graded)


def public_session(session: Session) -> PublicSession:
    """Return a contest's session for the whole class. Raises InputError, StorageError."""
    return PublicSession(session, contest_pseudonyms(session.folder, session.contest))


def served_session(path: Path) -> Session:
    """Open a contest, for the whole class if it publishes pseudonyms.

    Raises InputError, StorageError.
    """
    session = Session.read(path)
    return public_session(session) if session.contest.publish.pseudonyms else session


def public_record(record: GameRecord, session: Session) -> GameRecord:
    if not isinstance(session, PublicSession) or not (record.verdict.is_fault or record.output):
        return record
    reason = record.verdict.value if record.verdict.is_fault else record.reason
    return replace(record, reason=reason, output="")


def public_overview(overview: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report's overview with PARTS alone.

    The seed is left out, as pairings draw their openings by seed and names.
    """
    contest = _public(overview["contest"])
    settings = [line for line in contest["settings"] if line[0] != "Seed"]
    contest |= {"notes": [LEFT_OUT], "settings": settings}
    return _public(overview) | {"contest": contest, "bots": [*map(_public, overview["bots"])]}


def _public(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts; those that are not public become "", [] or None."""
    return {
        name: fact if name in PARTS else fact[:0] if isinstance(fact, str | list) else None
        for name, fact in facts.items()
    }


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
