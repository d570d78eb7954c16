"""Arena's exceptions, in one tree.

    ArenaError
        InputError (ValueError)             unusable input: exit code 2
            CannotConfineError
            FolderInUseError
            ForeignJournalError
            PathError
        MachineError (RuntimeError)         the machine's fault: exit code 1
            LostClusterError
            OutOfMemoryError
            ReaderDiedError
            StartError
            StorageError
                DamagedJournalError
                LostJournalError
            ZygoteDiedError
        InternalError (RuntimeError)        Arena's fault: exit code 1
        SettingError (ValueError)           rules, limits, settings
        IllegalMoveError (ValueError)       rules
        UnsolvedError                       engine
        UnreadableError (ValueError)        intake
            EmptyFileError
            GarbledError
            TooLargeError
        ReadingEndedError                   intake, retried
        NestingError (SyntaxError)          parsing
        NoSuchFunctionError (LookupError)   node meter
        UnsuitableError                     interfaces
        MisfitError
        NoMoveError
        BrokenProgramError
            KilledProgramError
        EnoughSeenError                     trials
        OutOfTimeError                      autograder
        TakenBackError                      terminal games
        LeftError                           terminal games
    OverBudgetError (BaseException)         stops a bot's search

Messages of InputError and MachineError are one line that says what, where, and what to do. Messages
about a bot are the rest of a sentence with the bot as its subject: "takes no option 'depth'".
"""

from __future__ import annotations

import errno
import os
import re
import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

HOME = Path(__file__).parents[1]  # Folder of the package.
DEBUG = "ARENA_DEBUG"  # Environment variable: Arena's own processes print their errors.


class ArenaError(Exception):
    """The base of all errors that Arena raises.

    >>> from arena import ArenaError, InputError
    >>> issubclass(InputError, ArenaError)
    True
    """


class InputError(ArenaError, ValueError):
    """An argument, option, setting or file is wrong. Commands exit with 2.

    The message is one line: what is wrong, where, and what to do.

    >>> import arena
    >>> try:
    ...     arena.play("random", "greedy", preset="chess")
    ... except arena.InputError as error:
    ...     print(error)
    preset = 'chess': expected one of classic, cs4100, max
    """


class CannotConfineError(InputError):
    """A layer of the sandbox failed before the bot's code ran."""


class FolderInUseError(InputError):
    """Another process is playing or analysing the contest."""


class ForeignJournalError(InputError):
    """The journal's file is another program's database."""


class PathError(InputError):
    """A file or folder is unusable."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem
        """A clause."""


class MachineError(ArenaError, RuntimeError):
    """The machine cannot do what was asked. Commands exit with 1.

    The input is right, but memory, a process, a disk or a cluster failed or is missing.

    >>> from arena import MachineError, StorageError
    >>> issubclass(StorageError, MachineError)
    True
    """


class OutOfMemoryError(MachineError):
    """The machine ran out of memory and killed a bot."""

    def __init__(
        self, message: str, record: object = None, finished: Sequence[object] = ()
    ) -> None:
        super().__init__(message)
        self.record = record
        """The game's record if it is the bot's fault after all; None if no bot is known."""
        self.finished = finished
        """Records of earlier games."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.record, self.finished)


class ReaderDiedError(MachineError):
    """The process that reads submissions was repeatedly killed."""


class StartError(MachineError):
    """A bot's process ended before it was confined, at every attempt."""


class StorageError(MachineError):
    """A disk, a folder or a journal cannot be used any further.

    >>> from arena import StorageError
    >>> issubclass(StorageError, RuntimeError)
    True
    """


class DamagedJournalError(StorageError):
    """A journal's content was altered; the message says how."""


class LostJournalError(StorageError):
    """The journal was removed, moved or replaced during use."""


class LostClusterError(MachineError):
    """A cluster has no worker left."""


class ZygoteDiedError(MachineError):
    """The zygote ended; its lane cannot continue."""


class InternalError(ArenaError, RuntimeError):
    """A fault in Arena. The message has the exception and the line that raised it."""


class SettingError(ArenaError, ValueError):
    """A value of the rules, limits or other settings is not allowed.

    >>> from arena import Ruleset, SettingError
    >>> try:
    ...     Ruleset(rows=0)
    ... except SettingError as error:
    ...     print(error.key, "|", error)
    rows | rows = 0: expected 1 to 64
    """

    def __init__(self, key: str, value: object, expected: str, *, within: str = "") -> None:
        super().__init__(f"{key} = {value}: expected {expected}")
        self.key = key
        """Field name, and key in a contest file."""
        self.within = within
        """The field with the table that has this key; may be empty."""


class IllegalMoveError(ArenaError, ValueError):
    """The column does not exist, is full, or the game is over.

    >>> from arena import IllegalMoveError, Position, Ruleset
    >>> try:
    ...     Position(Ruleset(), [9])
    ... except IllegalMoveError as error:
    ...     print(error)
    column 9 does not exist
    """


class UnsolvedError(ArenaError):
    """The solver's budget ended before the position was solved."""


class UnreadableError(ArenaError, ValueError):
    """A submission cannot be read or parsed; the message is for its author."""

    def __init__(self, message: str, *, settings: str = "") -> None:
        super().__init__(message)
        self.settings = settings
        """Contest file settings that the message announces; may be empty."""


class EmptyFileError(UnreadableError):
    """A file without code."""


class GarbledError(UnreadableError):
    """A confined process sent data that Arena's own code would not send."""

    def __init__(
        self, message: str = "it could not be read: its reader sent no valid answer"
    ) -> None:
        super().__init__(message)


class TooLargeError(UnreadableError):
    """An archive is larger than allowed."""


class ReadingEndedError(ArenaError):
    """A process that reads submissions ended; the message names the signal."""

    def __init__(self, number: int | None, which: str) -> None:
        names = {each.value: each.name for each in signal.Signals}
        super().__init__("without a word" if number is None else names.get(number, str(number)))
        self.signal = number
        """None if the fork server ended, or the process by itself."""
        self.which = which
        """The file that it was reading."""


class NestingError(ArenaError, SyntaxError):
    """A source is nested too deeply for Python's parser."""


class NoSuchFunctionError(ArenaError, LookupError):
    """The bot does not define the named search function."""


class UnsuitableError(ArenaError):
    """The bot needs something that its interface does not offer."""


class MisfitError(ArenaError):
    """A class makes no usable board; the message follows the class's name."""


class NoMoveError(ArenaError):
    """A program's answer is no move; the message follows the bot's name."""


class BrokenProgramError(ArenaError):
    """A program failed to answer; the message follows the bot's name."""


class KilledProgramError(BrokenProgramError):
    """A program was killed with SIGKILL, maybe from outside."""


class EnoughSeenError(ArenaError):
    """Ends a trial game of which enough was seen."""


class OutOfTimeError(ArenaError):
    """An autograder's time is up; games played so far count."""


class TakenBackError(ArenaError):
    """The command to take back the last move."""


class LeftError(ArenaError):
    """The command to leave the game."""


class OverBudgetError(BaseException):
    """Stops a bot's search above its budget. `except Exception` does not catch it."""


# System errors that are always the machine's fault.
MACHINES = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS),
        *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE),
    }
)

# Messages of errors from threads and imports that lack memory.
NO_MEMORY = re.compile(
    r"can't start new thread|failed to map|cannot allocate memory", re.IGNORECASE
)


def explained(error: BaseException) -> InputError | MachineError | InternalError:
    """Return the error to raise in place of an unforeseen one.

    Arena's own stay. Others are a MachineError if the machine caused them, or an InternalError.
    """
    if isinstance(error, InputError | MachineError | InternalError):
        return error
    chain: BaseException | None = error
    while chain is not None:  # an earlier error may be the cause
        if _is_lack_of_memory(chain):
            return OutOfMemoryError("the machine ran out of memory, or of threads")
        chain = chain.__cause__ or chain.__context__
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, OSError) and number in MACHINES:
        named = "" if error.filename is None else f"{error.filename}: "
        return MachineError(f"{named}{error.strerror}")
    return InternalError(f"Arena itself failed, please report it: {with_place(error)}")


def _is_lack_of_memory(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    is_thread = isinstance(error, RuntimeError | ImportError) and NO_MEMORY.search(str(error))
    return isinstance(error, MemoryError) or bool(is_thread)


def with_place(error: BaseException) -> str:
    """Return an exception in one line, with the last line of Arena that it passed."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(f"{HOME}{os.sep}")]
    for frame in reversed(ours or frames):
        return f"{said} ({os.path.relpath(frame.filename, HOME.parent)}:{frame.lineno})"
    return said


def unwritable(path: Path, error: OSError) -> InputError | StorageError:
    """Return a StorageError for a full or failing disk, else an InputError."""
    said = f"{path}: cannot be written to ({error.strerror})"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return StorageError(f"{said}; make room and type the same command again")
    return InputError(said)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
