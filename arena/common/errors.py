"""All exceptions of the house, in one tree.

    ArenaError
    ├─ InputError (ValueError)             typed or written wrong: exit code 2
    │  ├─ CannotConfineError
    │  ├─ FolderInUseError
    │  ├─ ForeignJournalError
    │  └─ PathError
    ├─ MachineError (RuntimeError)         the machine is in the way: exit code 1
    │  ├─ LostClusterError
    │  ├─ OutOfMemoryError
    │  ├─ ReaderDiedError
    │  ├─ StartError
    │  ├─ StillChangingError
    │  ├─ StorageError
    │  │  ├─ DamagedJournalError
    │  │  └─ LostJournalError
    │  └─ ZygoteDiedError
    ├─ InternalError (RuntimeError)        a fault of Arena's own: exit code 1
    ├─ SettingError (ValueError)           rules, limits and other settings
    ├─ IllegalMoveError (ValueError)       rules
    ├─ UnsolvedError                       engine
    ├─ UnreadableError (ValueError)        intake
    │  ├─ EmptyFileError
    │  ├─ GarbledError
    │  └─ TooLargeError
    ├─ ReadingEndedError                   the process that reads, tried again
    ├─ NestingError (SyntaxError)          parsing
    ├─ NoSuchFunctionError (LookupError)   the node meter
    ├─ UnsuitableError                     interfaces
    ├─ MisfitError
    ├─ NoMoveError
    ├─ BrokenProgramError
    │  └─ KilledProgramError
    ├─ EnoughSeenError                     trial games
    ├─ OutOfTimeError                      the autograder
    └─ InterruptedGameError                games in the terminal
       ├─ TakenBackError
       ├─ LeftError
       └─ LoadedError
    OverBudgetError (BaseException)        stops a bot's search

The messages of InputError and MachineError are for people: one line that says what, where, and
what to do. Those about a bot are clauses about it: "takes no option 'depth'".
"""

from __future__ import annotations

import errno
import os
import re
import signal
import traceback
from collections.abc import Sequence
from pathlib import Path

HOME = Path(__file__).parents[1]
"""The folder of the package."""

DEBUG = "ARENA_DEBUG"
"""The variable of the environment that shows why Arena's own processes fail."""


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
    """A layer of the sandbox failed before the bot's code ran: the machine's doing."""


class FolderInUseError(InputError):
    """Somebody else plays the contest or analyses it."""


class ForeignJournalError(InputError):
    """The file is a database of another program."""


class PathError(InputError):
    """A file or folder cannot be used as what it was given for."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        """The file or folder."""
        self.problem = problem
        """What is wrong with it, a clause."""


class MachineError(ArenaError, RuntimeError):
    """This machine cannot do what was asked. Commands exit with 1.

    Memory, a process, a disk or a cluster is missing; the input is right.

    >>> from arena import MachineError, StorageError
    >>> issubclass(StorageError, MachineError)
    True
    """


class OutOfMemoryError(MachineError):
    """The machine ran out of memory and killed a bot, which is not to blame for it."""

    def __init__(
        self, message: str, record: object = None, finished: Sequence[object] = ()
    ) -> None:
        super().__init__(message)
        self.record = record
        """The game's record if it is the bot's fault after all; None if no bot is known."""
        self.finished = finished
        """Records of the games that were finished before."""

    def __reduce__(self) -> tuple[object, ...]:
        """Return what makes it again in another process."""
        return type(self), (str(self), self.record, self.finished)


class ReaderDiedError(MachineError):
    """The process that reads submissions was ended from outside, each time it was started."""


class StartError(MachineError):
    """A bot's process ended before it was confined, every time: it was killed, or the machine has
    no process or no memory left for it."""


class StillChangingError(MachineError):
    """Somebody goes on writing in a folder that is to be read."""


class StorageError(MachineError):
    """A disk, a folder or a journal cannot be used any further.

    >>> from arena import StorageError
    >>> issubclass(StorageError, RuntimeError)
    True
    """


class DamagedJournalError(StorageError):
    """A journal is not as it was written; the message says in what way."""


class LostJournalError(StorageError):
    """The journal was removed, moved or replaced while it was in use."""


class LostClusterError(MachineError):
    """A cluster has no worker left that plays."""


class ZygoteDiedError(MachineError):
    """The zygote is gone; the lane that owns it cannot go on."""


class InternalError(ArenaError, RuntimeError):
    """Arena itself failed. The message names the exception and its place; no bot is to blame."""


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
        """Name of the field, and its key in a contest file."""
        self.within = within
        """The field that is a table with this key in it; empty if the key is a field's own."""


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
    """The budget ran out before the solver knew the value."""


class UnreadableError(ArenaError, ValueError):
    """A submission cannot be read or parsed; the message says why, for the bot's author."""

    def __init__(self, message: str, *, settings: str = "") -> None:
        super().__init__(message)
        self.settings = settings
        """The lines of a contest file that would help, if the message announces some."""


class EmptyFileError(UnreadableError):
    """A file has no code in it."""


class GarbledError(UnreadableError):
    """An answer of a confined process is not what Arena's own code sends."""

    def __init__(self, message: str = "it could not be read: what came back is no answer") -> None:
        super().__init__(message)


class TooLargeError(UnreadableError):
    """More came out of an archive than may."""


class ReadingEndedError(ArenaError):
    """A process that reads submissions was ended; the message names the signal."""

    def __init__(self, number: int | None, which: str) -> None:
        names = {each.value: each.name for each in signal.Signals}
        super().__init__("without a word" if number is None else names.get(number, str(number)))
        self.signal = number
        """The number of the signal; None if the reader ended, or the process did by itself."""
        self.which = which
        """The file it was at."""


class NestingError(ArenaError, SyntaxError):
    """Python's parser cannot take a source that is nested so deeply."""


class NoSuchFunctionError(ArenaError, LookupError):
    """The contest file or the bot names a search function that the bot does not define."""


class UnsuitableError(ArenaError):
    """The bot asks for something that its interface does not give; the message says what."""


class MisfitError(ArenaError):
    """A class makes no board to play on; the message is a predicate about it."""


class NoMoveError(ArenaError):
    """What a program answered is no move; the message is a clause about the bot."""


class BrokenProgramError(ArenaError):
    """A program failed to answer; the message is a clause about the bot."""


class KilledProgramError(BrokenProgramError):
    """A program was killed, perhaps from outside."""


class EnoughSeenError(ArenaError):
    """A bot on trial has shown enough of how it plays; the rest of the game is not played."""


class OutOfTimeError(ArenaError):
    """The time is up that an autograder has for a hand-in; what was played counts."""


class InterruptedGameError(ArenaError):
    """A person wants something other than to move in the game that the terminal shows."""


class TakenBackError(InterruptedGameError):
    """The last move is to be taken back."""


class LeftError(InterruptedGameError):
    """Nobody plays on."""


class LoadedError(InterruptedGameError):
    """The saved game in another file is to be played on; the message is the file's path."""


class OverBudgetError(BaseException):
    """Stops a search that goes on above its budget. Not an Exception: `except Exception` misses."""


MACHINES = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS),
        *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE),
    }
)
"""Numbers of system errors that the machine is to blame for, whatever Arena asked of it."""

NO_MEMORY = re.compile(
    r"can't start new thread|failed to map|cannot allocate memory", re.IGNORECASE
)
"""What else than MemoryError is raised where there is no memory: by threads and by imports."""


def explained(error: BaseException) -> InputError | MachineError | InternalError:
    """Return the error to raise in place of one that nobody foresaw.

    Input and machine errors stay as they are. Anything else that the machine is not to blame for is
    a fault of Arena's own.
    """
    if isinstance(error, InputError | MachineError | InternalError):
        return error
    chain: BaseException | None = error
    while chain is not None:  # clearing up after it may have failed, too
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
    """Return an exception in a line, with the last line of Arena's code that it passed through."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(f"{HOME}{os.sep}")]
    for frame in reversed(ours or frames):
        return f"{said} ({os.path.relpath(frame.filename, HOME.parent)}:{frame.lineno})"
    return said


def unwritable(path: Path, error: OSError) -> InputError | StorageError:
    """The error to raise for a path that cannot be written: a full disk is nobody's input."""
    said = f"{path}: cannot be written to ({error.strerror})"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return StorageError(f"{said}; make room and type the same command again")
    return InputError(said)
