"""A contest's folder, `results/NAME/`: what was decided, what was played, and by which bots."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.contest.config import Contest
from arena.contest.contest_file import read_contest_file, write_contest_file
from arena.contest.entries import seated
from arena.contest.journal import Journal
from arena.contest.kept_openings import contest_openings
from arena.contest.schedule import ScheduledGame, schedule
from arena.errors import InputError
from arena.intake import Submission

JOURNAL = "journal.sqlite"

OWN_FILES = frozenset({".lock", "arena.log", "bots", "contest.toml.partial"})
"""What may lie in a folder in which no contest was set up yet."""


class ContestFolder:
    """The folder of one contest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.configuration = path / "contest.toml"
        self.log = path / "arena.log"
        self.snapshots = path / "bots"
        self.openings = path / "openings.json"

    @property
    def is_contest(self) -> bool:
        """Whether a contest has been set up in it. Raises InputError if one may not look."""
        try:
            return self.configuration.is_file()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from None

    def create(self) -> None:
        """Make the folder. Raises InputError if it cannot be written to or holds other things."""
        try:
            held = {entry.name for entry in self.path.iterdir()} if self.path.is_dir() else set()
            if not self.is_contest and (strange := sorted(held - OWN_FILES)):
                raise InputError(
                    f"{self.path}: no contest, but it holds {strange[0]}; "
                    "name another folder with --out"
                )
            self.snapshots.mkdir(parents=True, exist_ok=True)
            with self.log.open("ab"):
                pass
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be written to ({error.strerror}); "
                "name another folder with --out"
            ) from None

    def read(self) -> Contest:
        """The contest as it was set up. Raises InputError."""
        if not self.is_contest:
            raise InputError(f"{self.path}: no contest in this folder (it has no contest.toml)")
        return read_contest_file(self.configuration, Contest())

    def keep(self, submissions: Iterable[Submission]) -> None:
        """Copy bots into it. Raises InputError."""
        try:
            for submission in submissions:
                submission.copy_to(self.snapshots / submission.content_hash)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written to ({error.strerror})") from None

    def write(self, contest: Contest, submissions: Iterable[Submission]) -> None:
        """Record the contest, with a copy of every bot that plays in it. Raises InputError."""
        self.keep(submissions)
        try:
            write_contest_file(self.configuration, contest)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written to ({error.strerror})") from None

    def games(self, contest: Contest) -> list[ScheduledGame]:
        """Every game that the contest consists of. Takes a while if it has many openings."""
        bots = seated(contest, self.snapshots)
        openings = contest_openings(self.openings, contest, bots, self.path / JOURNAL)
        return list(schedule(contest, bots, openings))

    def journal(self, *, existing: bool = False) -> Journal:
        """The folder's journal, opened, and made unless it must be there. Raises InputError."""
        path = self.path / JOURNAL
        if existing and not path.exists():
            raise InputError(f"{path}: the journal is missing, and with it every game")
        return Journal(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only one who plays this contest or analyses it. Raises InputError if not."""
        descriptor = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                # a record lock: the kernel drops it with the process, and forks do not share it
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(
                    f"{self.path}: another arena is at work on this contest right now"
                ) from None
            yield
        finally:
            os.close(descriptor)
