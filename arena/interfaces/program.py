"""Running a bot's program: its command line, its environment, and how it ended."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from arena.common.errors import BrokenProgramError, KilledProgramError, UnsuitableError
from arena.common.home import at_home
from arena.common.system import limit_of, read_at
from arena.common.text import one_line
from arena.interfaces.binding import no_option

# Options in the contest file: the whole command line, or the program that runs the bot's file.
COMMAND, INTERPRETER = "command", "interpreter"
HOW_TO_RUN = frozenset((COMMAND, INTERPRETER))
FOLDERS = "/usr/local/bin:/usr/bin:/bin"
EXECUTABLE = 0o111
INSTALLED = ("bin", "lib", "lib64", "conf")  # Folders that belong to an installed interpreter.
OUTPUT = 1  # Descriptor of the file that keeps what the bot prints.
QUOTED = 100  # Characters of a printed line that messages quote.
LAST_BYTES = 4096  # Part of the output that is searched for the last line.
JAVA_OPTIONS = "JAVA_TOOL_OPTIONS"
# First words of lines that are not quoted: Java's note on options, and lines of stack traces.
UNQUOTED = (f"Picked up {JAVA_OPTIONS}", "at ", "... ")
WAITING = str(Path(__file__).parent / "waiting")
OWN_PACKAGES = ".local"  # Folder of user packages, which Python reads at its start.
STATUS_BYTES = 4


def command(file: str, options: Mapping[str, object], *more: str) -> list[str]:
    """Return the command line of a bot's program. Raises UnsuitableError.

    `file` is empty if the options name a command; `more` are options that the caller reads.
    """
    known = (COMMAND, INTERPRETER, *more)
    for option in options:
        if option not in known:
            raise UnsuitableError(no_option(option, known))
    if COMMAND in options:
        if INTERPRETER in options:
            raise UnsuitableError("has both a command and an interpreter; give only one of them")
        words = _words(COMMAND, options[COMMAND])
    elif INTERPRETER in options:
        words = [*_words(INTERPRETER, options[INTERPRETER]), file]
    elif is_python(file, options):
        return [sys.executable, file]
    else:
        words = [file]
    return [_found(words[0]), *words[1:]]


def tool(options: Mapping[str, object]) -> tuple[str, ...]:
    """Return paths that a program needs: its full path, and folders beside its `bin`."""
    for option in HOW_TO_RUN & options.keys():
        try:
            word = _words(option, options[option])[0]
        except UnsuitableError:
            continue  # the start of the bot's game reports it
        path = os.path.realpath(word)
        if os.path.isabs(word) and os.path.isfile(path):
            prefix, last = os.path.split(os.path.dirname(path))
            beside = [os.path.join(prefix, part) for part in INSTALLED] if last == "bin" else []
            return (path, *filter(os.path.isdir, beside))
    return ()


def missing_program(options: Mapping[str, object], files: Collection[str]) -> str | None:
    for option in HOW_TO_RUN & options.keys():
        try:
            word = _words(option, options[option])[0]
        except UnsuitableError as error:
            return str(error)
        if word.removeprefix("./") not in files and shutil.which(word, path=_path()) is None:
            folders = "your PATH" if at_home() else FOLDERS.replace(":", " or ")
            return (
                f'{option} = "{word}": there is no such program in {folders}, '
                "nor a file of the bot's; give its full path"
            )
    return None


def names_path(options: Mapping[str, object]) -> bool:
    return any(str(options[name]).lstrip().startswith("/") for name in HOW_TO_RUN & options.keys())


def is_python(file: str, options: Mapping[str, object]) -> bool:
    """Return whether the bot's program is Python and runs with Arena's interpreter."""
    return file.endswith(".py") and not HOW_TO_RUN & options.keys()


def start(
    words: list[str],
    *,
    piped: bool = False,
    settings: Mapping[str, str] = MappingProxyType({}),
    kept: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program whose output goes to the bot's output file, or to pipes.

    It gets the environment `settings` and the descriptors `kept`. Raises BrokenProgramError.
    """
    stdin, stdout = (subprocess.PIPE, subprocess.PIPE) if piped else (0, OUTPUT)
    try:
        return subprocess.Popen(
            words,
            bufsize=0,
            stdin=stdin,
            stdout=stdout,
            stderr=OUTPUT,
            env={**_surroundings(), **settings},
            pass_fds=kept,
        )
    except OSError as error:
        raise BrokenProgramError(f"cannot be started: {error.strerror} ({words[0]})") from None


def printed() -> int:
    return os.fstat(OUTPUT).st_size


def failure(status: int, since: int) -> BrokenProgramError:
    """Return the error for a program that ended, given its `Popen.returncode`.

    It quotes the last line that was printed after `since`, the earlier value of `printed`.
    """
    kind: type[BrokenProgramError] = BrokenProgramError
    known = -status in set(signal.Signals)
    name = signal.Signals(-status).name if known else str(-status)
    if status >= 0:
        text = f"ended with exit status {status}"
    elif name == "SIGKILL":
        kind, text = KilledProgramError, "was killed (signal SIGKILL)"
    elif name == "SIGXFSZ":
        text = "wrote more than 16 MB to one file, or as output, and was ended for it"
    else:
        text = f"crashed (signal {name})"
    printed_last = _last_line(since)
    return kind(f"{text} (it printed last: {printed_last!r})" if printed_last else text)


def _last_line(since: int) -> str:
    size = printed()
    data = read_at(OUTPUT, LAST_BYTES, max(since, size - LAST_BYTES))
    lines = (line.strip() for line in data.decode("utf-8", "replace").splitlines())
    own = [line for line in lines if line and not line.startswith(UNQUOTED)]
    return one_line(own[-1], QUOTED) if own else ""


def _words(option: str, value: object) -> list[str]:
    try:
        words = shlex.split(value) if isinstance(value, str) else []
    except ValueError as error:
        raise UnsuitableError(f"has the {option} {value!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise UnsuitableError(
            f"has the {option} {value!r}: expected a text like 'java maxconnect4'"
        )
    return words


def _found(word: str) -> str:
    if os.path.isfile(word):
        if not os.stat(word).st_mode & EXECUTABLE:
            raise UnsuitableError(
                f"its file {word!r} cannot be run: it is no compiled program of this kind of "
                "machine, and its first line names no interpreter (#!)"
            )
        return word if os.path.dirname(word) else os.path.join(os.curdir, word)
    found = shutil.which(word, path=_path())
    if found is None:
        raise UnsuitableError(f"{word!r} is no program of this machine and no file of the bot's")
    return found


def _path() -> str:
    """Return the folders of programs; at home those of the user."""
    return os.environ.get("PATH", os.defpath) if at_home() else FOLDERS


def _surroundings() -> dict[str, str]:
    heap = max((limit_of("DATA") or 0) // 2 >> 20, 16)
    return os.environ | {
        "PATH": _path(),
        # reproducible moves, and no buffered output
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        # Java's default heap is a share of the machine's memory, above the bot's limit
        JAVA_OPTIONS: f"-Xmx{heap}m -XX:+UseSerialGC -XX:-UsePerfData",
    }


class PythonProgram:
    """A program that `[sys.executable, file, ...]` would run, run many times by forks.

    Python's own start, most of a short program's time, happens once, in a process that waits before
    it opens the program's file (`waiting/sitecustomize.py`). Each run is a fork of it.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._channel: socket.socket | None = None
        self._interpreter: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Return `Popen.returncode` of a run. Raises BrokenProgramError."""
        if os.path.lexists(OWN_PACKAGES):  # its packages may change between runs
            return start(self._words).wait()
        channel = self._channel or self._start()
        try:
            channel.send(b"\0")
            status = channel.recv(STATUS_BYTES)
        except OSError:
            status = b""
        if not status:  # the interpreter has ended, or no process is left for a fork
            return start(self._words).wait()
        return int.from_bytes(status, "little", signed=True)

    def _start(self) -> socket.socket:
        self._channel, its_own = socket.socketpair()
        with its_own:
            number = its_own.fileno()
            settings = {"PYTHONPATH": WAITING, "ARENA_CHANNEL": str(number)}
            self._interpreter = start(self._words, settings=settings, kept=(number,))
        return self._channel
