"""A contest's folder, `results/NAME/`: settings, journal, and copies of the bots."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from arena.common.errors import FolderInUseError, InputError, StorageError, reading, unwritable
from arena.common.files import partial_path
from arena.common.names import hint_for_path
from arena.common.system import is_locked, lock
from arena.common.text import quote
from arena.contest.entries import bots_by_name
from arena.contest.history import ROUNDS
from arena.contest.index import ScheduledGames
from arena.contest.kept_openings import GAMES, contest_openings, read_openings, seed_at_hand
from arena.contest.people import copy_rosters, read_excluded, read_people, with_excluded
from arena.courses.export import Person
from arena.game.record import GameRecord
from arena.intake.collected import ROSTER
from arena.intake.submission import Submission
from arena.journal.database import Journal
from arena.journal.mending import SetAside, is_half_mended, journal_copy, own_journal
from arena.playing.log import logged
from arena.settings.contest import Contest
from arena.settings.file import read_recorded, write_contest_file

JOURNAL = "journal.sqlite"
PSEUDONYM_KEY = "pseudonyms.key"

# Start of an instruction about a file that Arena cannot make again.
PUT_BACK = "put it back from a backup"

# Log in the contest's folder; for a temporary contest in the current directory.
JSON_LOG = "arena.jsonl"
LOCK = ".lock"  # Locked by the process that plays or analyses.
LOCK_SECONDS = 0.2  # A process that looks at the lock holds it for a moment.

# Files allowed in a folder before it has a contest.
OWN_FILES = frozenset(
    {
        *(LOCK, "arena.log", JSON_LOG, "bots", ROSTER, PSEUDONYM_KEY, ROUNDS),
        partial_path(Path("contest.toml")).name,
    }
)


class ContestFolder:
    def __init__(
        self,
        path: Path,
        roster: Path | None = None,
        *,
        is_scratch: bool = False,
        only_read: bool = False,
    ) -> None:
        """Represent a folder, which may not exist yet.

        `roster` replaces the folder's own; `is_scratch` marks a temporary folder. With `only_read`
        damage raises InputError and is not repaired.
        """
        self.path = path
        self.configuration = path / "contest.toml"
        self.log = path / "arena.log"
        self.json_log = Path(JSON_LOG) if is_scratch else path / JSON_LOG
        self.snapshots = path / "bots"
        self.openings = path / "openings.json"
        self.round = path / "round.json"
        self.roster = roster or path / ROSTER
        self.pseudonym_key = path / PSEUDONYM_KEY
        self.only_read = only_read
        """True if no file is repaired and no table is replaced by a shorter one."""
        self._is_scratch = is_scratch
        self.repairs: list[str] = []
        self._is_locked = False

    @property
    def is_contest(self) -> bool:
        with reading(self.path):
            return self.configuration.is_file()

    @property
    def has_journal(self) -> bool:
        return (self.path / JOURNAL).exists()

    @property
    def has_begun(self) -> bool:
        return self.has_journal or (self.path / GAMES).exists()

    @property
    def is_writable(self) -> bool:
        return os.access(self.path, os.W_OK | os.X_OK)

    def logged(
        self, *handlers: logging.Handler, as_json: bool = False
    ) -> AbstractContextManager[None]:
        json_log = self.json_log if as_json else None
        name = None if self._is_scratch else Path(os.path.abspath(self.path)).name
        return logged(self.log, *handlers, contest=name, json_log=json_log)

    def create(self) -> None:
        """Make the folder. Raises InputError if it holds other files, and StorageError."""
        with self._used():
            self._require_ours()
            self.snapshots.mkdir(parents=True, exist_ok=True)
            with self.log.open("ab"):
                pass

    def require_usable(self) -> None:
        with self._used():
            self._require_ours()

    @contextmanager
    def _used(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            cannot = unwritable(self.path, error)
            if isinstance(cannot, StorageError) or self.is_contest:
                raise cannot from None
            raise InputError(f"{cannot}; name another folder") from None

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written to ({error.strerror})") from None

    def _require_ours(self) -> None:
        held = {entry.name for entry in self.path.iterdir()} if self.path.exists() else set()
        is_known = self.is_contest or JOURNAL in held
        if not is_known and (strange := sorted(held - OWN_FILES)):
            raise InputError(
                f"{self.path}: no contest, but it holds {strange[0]}; name another folder"
            )

    def read(self) -> Contest:
        if not self.is_contest:
            hint = hint_for_path(self.path, "it has no contest.toml")
            again = self.way_back if self.has_journal else "name one that arena run made"
            raise InputError(f"{self.path}: no contest in this folder ({hint}); {again}")
        try:
            contest = read_recorded(self.configuration)
        except InputError as error:
            again = f"; {self.way_back}" if self.has_journal else ""
            raise InputError(f"{error}{again}") from None
        contest = self.with_excluded(contest)
        if len(contest.bots) < 2:
            raise InputError(
                f"{self.configuration}: has fewer than two bots, so it was changed; {self.way_back}"
            )
        return contest

    def with_excluded(self, contest: Contest) -> Contest:
        return with_excluded(contest, read_excluded(self.path) if self.is_contest else ())

    @property
    def way_back(self) -> str:
        """How to restore an unreadable contest.toml, as an instruction."""
        seed = seed_at_hand(self.openings)
        known = "" if seed is None else f", with --seed {seed}"
        move = "move it away and " * self.is_contest
        return (
            f"{PUT_BACK}; or {move}type the arena run that made this contest again{known} and "
            f"--out {quote(str(self.path))}: it writes it again and keeps the games"
        )

    def keep(self, submissions: Iterable[Submission]) -> None:
        with self._written():
            for submission in submissions:
                submission.copy_to(self.snapshots / submission.content_hash)

    def write(self, contest: Contest, submissions: Iterable[Submission]) -> None:
        self.keep(submissions)
        with self._written():
            write_contest_file(self.configuration, contest)

    def copy_rosters(self, rosters: Sequence[Path], contest: Contest) -> None:
        with self._written():
            copy_rosters(rosters, self.roster, contest.bots)

    def people(self, contest: Contest) -> tuple[Person, ...]:
        return read_people(self.roster, contest.bots) if self.roster.exists() else ()

    def games(self, contest: Contest, drawn_as: Mapping[str, str] | None = None) -> ScheduledGames:
        """Return the contest's games. Unless `only_read`, may search for openings.

        Raises InputError if openings are missing and the folder is `only_read`.
        """
        bots = bots_by_name(contest, self.snapshots)
        if self.only_read:
            pool = read_openings(self.openings, contest, bots, self.copied_records)
        else:
            pool, said = contest_openings(self.openings, contest, bots, self.copied_records)
            self.repairs += filter(None, [said])
        return ScheduledGames(contest, bots, *pool, drawn_as=drawn_as)

    def copied_records(self) -> list[GameRecord]:
        if not self.has_journal:
            return []
        with journal_copy(self.path / JOURNAL) as journal:
            return list(journal.records())

    def journal(self) -> Journal:
        """Open the journal for writing, in a `locked` folder; see `own_journal`."""
        path = self.path / JOURNAL
        if (state := self._lost_journal) and (self.path / GAMES).exists():
            self.repairs.append(f"{path} was {state}: every game is played again")
        journal = own_journal(path)
        self.repairs += filter(None, [journal.mended])
        return journal

    @contextmanager
    def read_journal(self) -> Iterator[Journal]:
        """Open a copy of the journal.

        Raises InputError if the journal is missing, empty or damaged, and StorageError.
        """
        path, folder = self.path / JOURNAL, quote(str(self.path))
        played_again = f"{PUT_BACK}, or play the games again: arena resume {folder}"
        if state := self._lost_journal:
            raise InputError(
                f"{path}: the journal is {state}, and with it every game; {played_again}"
            )
        again = f"arena verify {folder} --repair"
        if is_half_mended(path) and not self.is_in_use:
            raise InputError(f"{path}: its repair was interrupted; finish it: {again}")
        with journal_copy(path) as journal:
            if journal.mended:
                mends = f"this stores them in a new journal, and keeps the damaged one: {again}"
                mends = mends if journal.keys() else played_again
                raise InputError(f"{journal.mended}; {mends}")
            yield journal

    @property
    def _lost_journal(self) -> str:
        path = self.path / JOURNAL
        if not path.exists():
            return "missing"
        return "" if path.stat().st_size else "empty"

    def set_aside(self, path: Path, what: str) -> None:
        aside = SetAside(self.path)
        aside.take(path)
        self.repairs.append(f"{path} {what}: it is now in {aside.path.name}/")

    @property
    def is_in_use(self) -> bool:
        return not self._is_locked and is_locked(self.path / LOCK)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder for playing or analysing. Raises FolderInUseError, StorageError."""
        if self._is_locked:
            yield
            return
        with self._written():
            held = lock(self.path / LOCK, LOCK_SECONDS)
        if held is None:
            raise FolderInUseError(f"{self.path}: another arena process is using this contest")
        try:
            self._is_locked = True
            yield
        finally:
            self._is_locked = False
            held.close()


@contextmanager
def no_gc() -> Iterator[None]:
    """Turn off garbage collection, a fifth of the time that large contests take."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
