"""A contest's folder, `results/NAME/`: what was decided, what was played, and by which bots."""

from __future__ import annotations

import errno
import fcntl
import gc
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shlex import quote
from struct import pack, unpack

from arena.common.errors import FolderInUseError, InputError, StorageError, unwritable
from arena.common.files import partial_path
from arena.common.names import hint_for_path
from arena.contest.entries import seated
from arena.contest.exclusion import read_excluded, with_excluded
from arena.contest.history import ROUNDS
from arena.contest.index import ScheduledGames
from arena.contest.kept_openings import GAMES, contest_openings, read_openings, seed_at_hand
from arena.contest.people import copy_rosters, read_people
from arena.courses.person import Person
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

PUT_BACK = "put it back from a backup"
"""How an imperative begins about a file that Arena cannot make again."""

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

    def __init__(
        self,
        path: Path,
        roster: Path | None = None,
        *,
        is_scratch: bool = False,
        only_read: bool = False,
    ) -> None:
        """`roster` is read in place of the one in the folder, which may be gone afterwards.

        With `only_read` nothing in it is repaired: what is wrong raises InputError.
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
        """True if nothing in it is repaired, and no table replaced by one with fewer games."""
        self._is_scratch = is_scratch
        self.repairs: list[str] = []
        """What was repaired in it to play on, and where the old files are: a sentence each."""
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
    def has_begun(self) -> bool:
        """True if games were played in it: there is a journal, or a table of what one held."""
        return self.has_journal or (self.path / GAMES).exists()

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

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be written to ({error.strerror})") from None

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
            hint = hint_for_path(self.path, "it has no contest.toml")
            again = f"; {self.way_back}" if self.has_journal else ""
            raise InputError(f"{self.path}: no contest in this folder ({hint}){again}")
        try:
            contest = read_recorded(self.configuration)
        except InputError as error:
            again = f"; {self.way_back}" if self.has_journal else ""
            raise InputError(f"{error}{again}") from None
        contest = self.with_excluded(contest)
        if len(contest.bots) < 2:
            raise InputError(
                f"{self.configuration}: names no two bots, so it is not as Arena wrote it; "
                f"{self.way_back}"
            )
        return contest

    def with_excluded(self, contest: Contest) -> Contest:
        """Return the contest without the bots that its instructor left out. Raises InputError."""
        return with_excluded(contest, read_excluded(self.path) if self.is_contest else ())

    @property
    def way_back(self) -> str:
        """What to do about a contest.toml that is missing or cannot be read, an imperative."""
        seed = seed_at_hand(self.openings)
        known = "" if seed is None else f", with --seed {seed}"
        move = "move it away and " * self.is_contest
        return (
            f"{PUT_BACK}; or {move}type the arena run that made this contest again{known} and "
            f"--out {quote(str(self.path))}: it writes it again and keeps the games"
        )

    def keep(self, submissions: Iterable[Submission]) -> None:
        """Copy bots into it. Raises StorageError."""
        with self._written():
            for submission in submissions:
                submission.copy_to(self.snapshots / submission.content_hash)

    def write(self, contest: Contest, submissions: Iterable[Submission]) -> None:
        """Record the contest, with a copy of every bot that plays in it. Raises StorageError."""
        self.keep(submissions)
        with self._written():
            write_contest_file(self.configuration, contest)

    def copy_rosters(self, rosters: Sequence[Path], contest: Contest) -> None:
        """Make one roster of these, see `copy_rosters`. Raises InputError, StorageError."""
        with self._written():
            copy_rosters(rosters, self.roster, contest.bots)

    def people(self, contest: Contest) -> tuple[Person, ...]:
        """The people on its roster; nobody if it has none. Raises InputError."""
        return read_people(self.roster, contest.bots) if self.roster.exists() else ()

    def games(self, contest: Contest) -> ScheduledGames:
        """Every game that the contest consists of. Takes a while if it has many openings.

        Raises InputError if its openings are not at hand and it is `only_read`.
        """
        bots = seated(contest, self.snapshots)
        if self.only_read:
            openings = read_openings(self.openings, contest, bots, self._played)
        else:
            openings, said = contest_openings(self.openings, contest, bots, self._played)
            self.repairs += filter(None, [said])
        return ScheduledGames(contest, bots, openings)

    def copied_records(self) -> list[GameRecord]:
        """Every game in the journal, if there is one, as far as it can be read."""
        if not self.has_journal:
            return []
        with journal_copy(self.path / JOURNAL) as journal:
            return list(journal.records())

    def _played(self) -> list[GameRecord]:
        """Every game in the journal, if there is a sound one and it is `only_read`."""
        if not self.only_read or not self.has_journal:
            return self.copied_records()
        with self.read_journal() as journal:
            return list(journal.records())

    def journal(self) -> Journal:
        """The journal, to play into while the folder is `locked`; see `own_journal`.

        Raises InputError, StorageError.
        """
        path = self.path / JOURNAL
        if (state := self._lost_journal) and (self.path / GAMES).exists():
            self.repairs.append(f"{path} was {state}: every game is played again")
        journal = own_journal(path)
        self.repairs += filter(None, [journal.mended])
        return journal

    @contextmanager
    def read_journal(self) -> Iterator[Journal]:
        """Open a copy of the journal, to read what was played. Nothing in the folder changes.

        Raises InputError if it is missing, empty or damaged, and StorageError.
        """
        path, folder = self.path / JOURNAL, quote(str(self.path))
        played_again = f"{PUT_BACK}, or play the games again: arena resume {folder}"
        if state := self._lost_journal:
            raise InputError(
                f"{path}: the journal is {state}, and with it every game; {played_again}"
            )
        again = f"arena verify {folder} --repair"
        if is_half_mended(path) and not self.is_in_use:
            raise InputError(f"{path}: its repair was cut off; this ends it: {again}")
        with journal_copy(path) as journal:
            if journal.mended:
                mends = f"this puts them in a new journal, and keeps the damaged one: {again}"
                mends = mends if journal.keys() else played_again
                raise InputError(f"{journal.mended}; {mends}")
            yield journal

    @property
    def _lost_journal(self) -> str:
        """`missing` or `empty` if there is no journal with anything in it; else nothing."""
        path = self.path / JOURNAL
        if not path.exists():
            return "missing"
        return "" if path.stat().st_size else "empty"

    @contextmanager
    def live_journal(self) -> Iterator[Journal]:
        """Open the journal into which another process plays right now, which shows what comes.

        Raises InputError, StorageError.
        """
        journal = Journal(self.path / JOURNAL)
        try:
            yield journal
        finally:
            journal.close()

    def set_aside(self, path: Path, what: str) -> None:
        """Move a file of the folder away that Arena writes again; `what` is wrong with it.

        Raises OSError.
        """
        aside = SetAside(self.path)
        aside.take(path)
        self.repairs.append(f"{path} {what}: it is now in {aside.path.name}/")

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
        with self._written():
            descriptor = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
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


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage in cycles meanwhile. Also a decorator of functions.

    Python's collector looks through all objects whenever a quarter more have been made. While the
    games of a large contest are read, and tables and pages are made from them, that takes a fifth
    of the time, and finds nothing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
