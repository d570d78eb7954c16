"""A contest's folder, `results/NAME/`: what was decided, what was played, and by which bots."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shlex import quote
from struct import pack, unpack

from arena.contest.config import Contest
from arena.contest.contest_file import read_recorded, write_contest_file
from arena.contest.entries import seated
from arena.contest.exclusion import read_excluded, with_excluded
from arena.contest.history import ROUNDS
from arena.contest.journal import Journal
from arena.contest.kept_openings import contest_openings
from arena.contest.log import logged
from arena.contest.mending import journal_copy, own_journal
from arena.contest.people import Person, copy_rosters, read_people
from arena.contest.scheduled_games import ScheduledGames
from arena.errors import FolderInUseError, InputError, StorageError, unwritable
from arena.intake import Submission
from arena.intake.collected import ROSTER
from arena.referee import GameRecord
from arena.writing import partial_path

JOURNAL = "journal.sqlite"

PSEUDONYM_KEY = "pseudonyms.key"

JSON_LOG = "arena.jsonl"
"""It lies in the folder; that of a folder which will be gone lies where the command was typed."""

LOCK = ".lock"
"""Name of the file that whoever plays or analyses has locked."""

FLOCK = "hhqqi4x"
"""C's `struct flock`: kind, whence, start, length, process."""

OWN_FILES = frozenset(
    {
        *(LOCK, "arena.log", JSON_LOG, "bots", ROSTER, PSEUDONYM_KEY, ROUNDS),
        partial_path(Path("contest.toml")).name,
    }
)
"""Files that may lie in a folder in which no contest was set up yet."""


class ContestFolder:
    """The folder of one contest."""

    def __init__(self, path: Path, roster: Path | None = None, *, is_scratch: bool = False) -> None:
        """`roster` is read in place of the one in the folder, which may be gone afterwards."""
        self.path = path
        self.configuration = path / "contest.toml"
        self.log = path / "arena.log"
        self.json_log = Path(JSON_LOG) if is_scratch else path / JSON_LOG
        self.snapshots = path / "bots"
        self.openings = path / "openings.json"
        self.round = path / "round.json"
        self.roster = roster or path / ROSTER
        self.pseudonym_key = path / PSEUDONYM_KEY
        self._is_scratch = is_scratch
        self.mended = ""
        """The damage that its journal had when that was opened, and what became of it; or empty."""
        self._is_locked = False

    @property
    def is_contest(self) -> bool:
        """True if a contest has been set up in it. Raises InputError if one may not look."""
        try:
            return self.configuration.is_file()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from None

    @property
    def has_journal(self) -> bool:
        """True if there is a journal in it."""
        return (self.path / JOURNAL).exists()

    @property
    def is_writable(self) -> bool:
        """True if one may write files in it, as far as the system tells."""
        return os.access(self.path, os.W_OK | os.X_OK)

    def logged(
        self, *handlers: logging.Handler, as_json: bool = False
    ) -> AbstractContextManager[None]:
        """Log what happens in a block to its files, and to these handlers; see `log.logged`."""
        json_log = self.json_log if as_json else None
        name = None if self._is_scratch else Path(os.path.abspath(self.path)).name
        return logged(self.log, *handlers, contest=name, json_log=json_log)

    def create(self) -> None:
        """Make the folder. Raises InputError, also if it holds other things, and StorageError."""
        with self._used():
            self._require_ours()
            self.snapshots.mkdir(parents=True, exist_ok=True)
            with self.log.open("ab"):
                pass

    def require_usable(self) -> None:
        """Raise what `create` would raise, as far as can be told without making the folder."""
        with self._used():
            self._require_ours()
            there = next(
                path for path in (self.path, *self.path.absolute().parents) if path.exists()
            )
            code = errno.EACCES if there.is_dir() else errno.ENOTDIR
            if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
                raise OSError(code, os.strerror(code))

    @contextmanager
    def _used(self) -> Iterator[None]:
        """Turn what the system says about the folder into an error for people."""
        try:
            yield
        except OSError as error:
            cannot = unwritable(self.path, error)
            if isinstance(cannot, StorageError) or self.is_contest:
                raise cannot from None
            raise InputError(f"{cannot}; name another folder") from None

    def _require_ours(self) -> None:
        """Raise InputError if the folder holds things, but no contest."""
        held = {entry.name for entry in self.path.iterdir()} if self.path.is_dir() else set()
        is_known = self.is_contest or JOURNAL in held
        if not is_known and (strange := sorted(held - OWN_FILES)):
            raise InputError(
                f"{self.path}: no contest, but it holds {strange[0]}; name another folder"
            )

    def read(self) -> Contest:
        """The contest as it was set up. Raises InputError."""
        if not self.is_contest:
            raise InputError(f"{self.path}: no contest in this folder (it has no contest.toml)")
        contest = self.with_excluded(read_recorded(self.configuration))
        if len(contest.bots) < 2:
            raise InputError(
                f"{self.configuration}: names no two bots, so it is not as Arena wrote it; "
                "remove it, and the arena run that made this contest writes it again and keeps "
                "the games"
            )
        return contest

    def with_excluded(self, contest: Contest) -> Contest:
        """Return the contest without the bots that its instructor left out. Raises InputError."""
        return with_excluded(contest, read_excluded(self.path) if self.is_contest else ())

    def keep(self, submissions: Iterable[Submission]) -> None:
        """Copy bots into it. Raises StorageError."""
        try:
            for submission in submissions:
                submission.copy_to(self.snapshots / submission.content_hash)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written to ({error.strerror})") from None

    def write(self, contest: Contest, submissions: Iterable[Submission]) -> None:
        """Record the contest, with a copy of every bot that plays in it. Raises StorageError."""
        self.keep(submissions)
        try:
            write_contest_file(self.configuration, contest)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written to ({error.strerror})") from None

    def copy_rosters(self, rosters: Sequence[Path], contest: Contest) -> None:
        """Make one roster of these, see `copy_rosters`. Raises InputError, StorageError."""
        try:
            copy_rosters(rosters, self.roster, contest.bots)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written to ({error.strerror})") from None

    def people(self, contest: Contest) -> tuple[Person, ...]:
        """The people on its roster; nobody if it has none. Raises InputError."""
        return read_people(self.roster, contest.bots) if self.roster.exists() else ()

    def games(self, contest: Contest) -> ScheduledGames:
        """Every game that the contest consists of. Takes a while if it has many openings."""
        bots = seated(contest, self.snapshots)
        openings = contest_openings(self.openings, contest, bots, self._played)
        return ScheduledGames(contest, bots, openings)

    def copied_records(self) -> list[GameRecord]:
        """Every game in the journal, if there is one, read from a copy; see `journal_copy`."""
        path = self.path / JOURNAL
        if not path.exists():
            return []
        with journal_copy(path) as journal:
            return list(journal.records())

    def _played(self) -> list[GameRecord]:
        """Every game in the journal, if there is one."""
        if not (self.path / JOURNAL).exists():
            return []
        with self.read_journal() as journal:
            return list(journal.records())

    def journal(self) -> Journal:
        """The journal, to play into while the folder is `locked`; see `own_journal`.

        Raises InputError, StorageError.
        """
        return self._noted(own_journal(self.path / JOURNAL))

    @contextmanager
    def read_journal(self) -> Iterator[Journal]:
        """Open the journal to read what was played. Raises InputError, StorageError."""
        path = self.path / JOURNAL
        if not path.exists():
            raise InputError(
                f"{path}: the journal is missing, and with it every game; this plays them again: "
                f"arena resume {quote(str(self.path))}"
            )
        if not (self.is_writable and os.access(path, os.W_OK)):
            with journal_copy(path) as journal:
                yield self._noted(journal)
            return
        try:
            journal = self._opened(path)
        except StorageError:  # a full disk, for one
            with journal_copy(path) as journal:
                yield self._noted(journal)
            return
        try:
            yield self._noted(journal)
        finally:
            journal.close()

    def _noted(self, journal: Journal) -> Journal:
        """The journal, once it is noted what was wrong with it."""
        self.mended = self.mended or journal.mended
        return journal

    def _opened(self, path: Path) -> Journal:
        """The journal in its place."""
        try:
            with self.locked():
                return own_journal(path)
        except FolderInUseError:
            return Journal(path)

    @property
    def is_in_use(self) -> bool:
        """True if another process plays this contest or analyses it. Changes nothing."""
        if self._is_locked:
            return False
        asked = pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        try:
            with (self.path / LOCK).open("rb") as file:
                kind, *_ = unpack(FLOCK, fcntl.fcntl(file, fcntl.F_GETLK, asked))
        except OSError:
            return False
        return bool(kind != fcntl.F_UNLCK)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only one who plays this contest or analyses it, and go on being it.

        Raises FolderInUseError, StorageError.
        """
        if self._is_locked:
            yield
            return
        try:
            descriptor = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written to ({error.strerror})") from None
        try:
            try:
                # a record lock: the kernel drops it with the process, and forks do not share it
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FolderInUseError(
                    f"{self.path}: another arena is at work on this contest right now"
                ) from None
            self._is_locked = True
            yield
        finally:
            self._is_locked = False
            os.close(descriptor)
