"""The loop of a bot's process: load the bot, answer requests, report faults."""

from __future__ import annotations

import bdb
import errno
import operator
import os
import random
import sys
import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import NoReturn, Protocol

import numpy

from arena.common.errors import (
    BrokenProgramError,
    KilledProgramError,
    NoMoveError,
    NoSuchFunctionError,
    OverBudgetError,
    UnsuitableError,
)
from arena.common.home import at_home
from arena.common.packages import PACKAGES
from arena.host.bot_folder import BYTES, FILE_SIZE, FILES, BotFolder
from arena.host.loader import Loader
from arena.host.meter import Meter, NodeCount, Search
from arena.host.output import Output
from arena.host.protocol import (
    MAX_REQUEST,
    NO_COLUMN,
    UNMETERED,
    AnswerKind,
    Ask,
    BotSpec,
    GameRequest,
    pack_answer,
    pack_fault,
    unpack_move_request,
    unpack_opening,
)
from arena.interfaces import Adapter, Profile, Setup, contract, interface_of

BEYOND = 10_000  # Numbers from here on are reported in words.
COLUMN = int(AnswerKind.COLUMN)

FORBIDDEN = (
    "a bot may not start or signal processes, use the network, or open files that are not its own"
)

NO_KEYBOARD = "a contest has no keyboard, so input() and debuggers cannot be used"

FULL = (
    f"a bot may make {FILES} files of {BYTES >> 20} MB in all in its folder, "
    f"none larger than {FILE_SIZE >> 20} MB"
)

# Answer of a process that cannot load its bot again; the referee then starts another process.
CHANGED = "in an earlier game it changed files that it brought along"

# Addition to an ImportError: a name missing from a course module is mostly the homework itself.
HANDED_OUT = ", which it does not bring along; Arena's own is as the course hands it out"

# Errors that are the bot's even if Arena's code raises them while it calls the bot.
AT_A_CALL = (TypeError, AttributeError, ImportError, SyntaxError)

# Message of the EOFError that `input()` raises; other functions have other messages.
INPUT_ENDED = "EOF when reading a line"
MAX_NAME = 60
MAX_MESSAGE = 200
MAX_TRACEBACK = 20  # Innermost frames of the bot's own code that are printed.


def serve(
    receive: Callable[[bytearray], int | None],
    send: Callable[[bytes], int | None],
    spec: BotSpec,
    bot_folder: BotFolder,
    output: Output,
) -> NoReturn:
    """Answer the referee until it closes the channel, then end the process."""
    host = Host(spec, bot_folder, output)
    buffer = bytearray(MAX_REQUEST)
    ask_move = int(Ask.MOVE)
    try:
        while True:
            try:
                if not receive(buffer):
                    os._exit(0)
            except BaseException as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                host.interrupt(error)  # the bot's signal handler raised this outside its turn
            else:
                if buffer[0] == ask_move:
                    send(host.move(buffer))
                elif buffer[0] == Ask.OPENING:
                    host.opening(buffer)
                else:
                    send(host.game(buffer))
    except ConnectionError:
        os._exit(1)  # the referee has ended
    except OSError:
        # the bot closed the channel; the referee notices and ends this process
        while True:
            with suppress(BaseException):
                sleep(1)


class _NoAdapter:
    """The adapter while no bot is loaded; `pick` raises the error that is the cause."""

    def __init__(self, error: BaseException | None = None) -> None:
        self._error = error

    def see(self, player: int, column: int) -> None:
        """Do nothing."""

    def pick(self) -> object:
        raise self._error or RuntimeError("no bot is loaded")


class Folder(Protocol):
    def enter(self) -> bool:
        """Make ready for a game.

        Returns False if the bot has changed files that it brought.
        """


class Printed(Protocol):
    def new_game(self) -> None:
        """Forget the output of the last game."""


class Host:
    """A bot in this process, which answers one request after the other."""

    def __init__(
        self,
        spec: BotSpec,
        bot_folder: Folder,
        output: Printed,
        *,
        sources: Collection[str] | None = None,
        show: Callable[[BaseException, str], None] | None = None,
    ) -> None:
        """Pass `sources` to the loader; `show` prints an error of the bot, given `root`."""
        self._spec = spec
        self._sources = sources
        self._show = show or _print_traceback
        self._interface = interface_of(spec.entry_point)
        self._bot_folder = bot_folder
        self._output = output
        self._recursion_limit = sys.getrecursionlimit()
        self._loader: Loader | None = None
        self._tally = NodeCount() if spec.entry_point.engine is not None else None
        self._meter: Meter | NodeCount = self._tally or Meter(Search())
        self._adapter: Adapter = _NoAdapter()
        self._remarks: list[str] = []
        self._instead: list[str] = []
        self._player = 0
        self._own = NO_COLUMN  # the bot's last move, until its adapter sees it

    def game(self, data: bytearray) -> bytes:
        nonce, request = GameRequest.unpack(data)
        self._output.new_game()
        self._adapter = _NoAdapter()  # frees the last game's tables before new ones are built
        self._remarks, self._instead = [], []
        sys.setrecursionlimit(self._recursion_limit)
        random.seed(request.seed)
        numpy.random.seed(request.seed & 0xFFFFFFFF)
        try:
            if not self._bot_folder.enter():
                return pack_fault(nonce, AnswerKind.NOT_LOADED, 0, UNMETERED, CHANGED)
            entry = self._entry(request)
            setup = Setup(
                rules=request.rules,
                player=request.player,
                nodes=request.nodes,
                options=self._spec.entry_point.options,
                move_seconds=self._spec.move_seconds,
                count=self._tally.add if self._tally else None,
                sources=self._loader.sources if self._loader else dict,
                remark=self._remark,
            )
            adapter = self._interface.adapt(entry, setup)
            self._adapter = self._loader.counters.wrap(adapter) if self._loader else adapter
        except MemoryError as error:
            return self._fault(nonce, AnswerKind.OUT_OF_MEMORY, error)
        except (UnsuitableError, BrokenProgramError) as error:
            return pack_fault(nonce, AnswerKind.NOT_LOADED, 0, UNMETERED, str(error))
        except NoSuchFunctionError as error:
            return pack_fault(
                nonce, AnswerKind.NOT_LOADED, 0, UNMETERED, f"cannot be counted: {error}"
            )
        except BaseException as error:
            return self._fault(nonce, AnswerKind.NOT_LOADED, error)
        self._player, self._own = request.player, NO_COLUMN
        self._meter.new_move()
        return pack_fault(nonce, AnswerKind.READY, 0, UNMETERED, "; ".join(self._remarks))

    def _entry(self, request: GameRequest) -> object:
        if self._interface.PROFILE is Profile.PROGRAM:
            return self._spec.entry_point.file
        if self._loader is None:
            self._loader = Loader(self._spec, self._sources)
            self._meter = self._tally or self._loader.meter
        return self._loader.load(request.nodes, request.rules.columns)

    def opening(self, data: bytearray) -> None:
        try:
            for ply, column in enumerate(unpack_opening(data)):
                self._adapter.see(ply % 2, column)
        except BaseException as error:
            self.interrupt(error)

    def move(self, data: bytearray) -> bytes:
        _, nonce, seen = unpack_move_request(data)
        meter = self._meter
        try:
            adapter, player = self._adapter, self._player
            if self._own != NO_COLUMN:
                adapter.see(player, self._own)
            if seen != NO_COLUMN:
                adapter.see(1 - player, seen)
            answer = adapter.pick()
            if type(answer) is not int or not -BEYOND < answer < BEYOND:
                answer = _column(answer)
                if isinstance(answer, str):
                    kind = AnswerKind.NOT_A_COLUMN
                    return pack_fault(nonce, kind, *meter.end_move(), answer)
            self._own = answer
            if not meter.counts:
                return pack_answer(nonce, COLUMN, 0, answer, UNMETERED)
            depth, nodes = meter.end_move()
            return pack_answer(nonce, COLUMN, depth, answer, nodes)
        except OverBudgetError:
            text = f"calls of {self._loader.search}" if self._loader else ""
            return pack_fault(nonce, AnswerKind.STOPPED_SEARCH, *meter.end_move(), text)
        except NoMoveError as error:
            return pack_fault(nonce, AnswerKind.NO_MOVE, 0, UNMETERED, str(error))
        except BrokenProgramError as error:
            kind = (
                AnswerKind.PROGRAM_KILLED
                if isinstance(error, KilledProgramError)
                else AnswerKind.PROGRAM_FAILED
            )
            return pack_fault(nonce, kind, 0, UNMETERED, str(error))
        except MemoryError as error:
            return self._fault(nonce, AnswerKind.OUT_OF_MEMORY, error)
        except BaseException as error:
            return self._fault(nonce, AnswerKind.RAISED, error)

    def _remark(self, text: str, instead: bool = False) -> None:
        self._remarks.append(text)
        if instead:
            self._instead.append(text)

    def interrupt(self, error: BaseException) -> None:
        """Report an error that was raised between two moves at the next move."""
        self._adapter = _NoAdapter(error)

    def _fault(self, nonce: bytes, kind: AnswerKind, error: BaseException) -> bytes:
        """Return a fault with the line where an exception arose; print the bot's traceback."""
        text = "" if kind is AnswerKind.OUT_OF_MEMORY else _describe(error, self._spec.root)
        loader = self._loader
        with suppress(BaseException):  # a bot's class of errors may lie or raise
            at = loader.line_of(error) if loader else None
            if at is None and isinstance(error, SyntaxError) and error.lineno is not None:
                at = os.path.basename(error.filename or self._spec.entry_point.file), error.lineno
            if at is not None:
                text += f" ({at[0]}, line {at[1]})"
            elif not isinstance(error, AT_A_CALL):
                text += _arenas_own(error)
            text += "".join(f"; it {remark}" for remark in self._instead[-1:])
        self._show(error, self._spec.root)
        return pack_fault(nonce, kind, *self._meter.end_move(), text)


def _column(answer: object) -> int | str:
    """Return a column as a plain int, or a description of any other value."""
    kind = type(answer)
    if answer is None or kind in (bool, float):
        return repr(answer)
    if kind is str:
        return f"the text {str(answer)[:20]!r}"
    try:
        column = int(operator.index(answer))  # type: ignore[arg-type]
    except Exception:
        return f"a value of type {_name(answer)}"
    return column if -BEYOND < column < BEYOND else "a number of more than four digits"


def _describe(error: BaseException, root: str) -> str:
    """Return `ValueError: message`, without a message that raises; paths relative to `root`."""
    name = _name(error)
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)
        if isinstance(error, SystemExit) and error.code is None:
            message = ""  # `exit()` has no message
    except BaseException:
        message = ""
    with suppress(BaseException):
        if isinstance(error, ImportError) and contract.is_course_file(error.path or ""):
            message = message.replace(f" ({error.path})", HANDED_OUT)
    message = message.replace(f"{root}{os.sep}", "")
    text = f"{name}: {message[:MAX_MESSAGE]}" if message else name
    if type(error) is PermissionError and not at_home():
        return f"{text}; {FORBIDDEN}"
    with suppress(BaseException):  # a bot may set any name
        if type(error) is ModuleNotFoundError and error.name in PACKAGES:
            return f"{text}; the package {PACKAGES[str(error.name)]} is not installed"
    if type(error) is OSError and error.errno in (errno.ENOSPC, errno.EFBIG):
        return f"{text}; {FULL}"
    return f"{text}; {NO_KEYBOARD}" if _wants_keyboard(error, message) else text


def _wants_keyboard(error: BaseException, message: str) -> bool:
    if type(error) is EOFError:
        trace = traceback.extract_tb(error.__traceback__)
        asks = bool(trace) and os.path.basename(trace[-1].filename) == "getpass.py"
        return asks or message == INPUT_ENDED
    return type(error) is bdb.BdbQuit


def _arenas_own(error: BaseException) -> str:
    """Return words for a bug report if an error arose in Arena's own code, else ""."""
    trace = traceback.extract_tb(error.__traceback__)
    path = trace[-1].filename if trace else ""
    here = Path(contract.__file__).parent
    if not (Path(path).is_relative_to(here) or contract.is_course_file(path)):
        return ""
    file, line = os.path.basename(path), trace[-1].lineno
    return f" (Arena's own {file}, line {line}: no fault of the bot's, please report it)"


def _name(value: object) -> str:
    """Return the name of a value's type, even if a bot's metaclass reports another."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name[:MAX_NAME]


def _print_traceback(error: BaseException, root: str) -> None:
    try:
        trace = traceback.extract_tb(error.__traceback__)
        frames = [frame for frame in trace if frame.filename.startswith(root)]
        for frame in frames:
            frame.filename = os.path.relpath(frame.filename, root)
        print("Traceback (most recent call last):")
        print("".join(traceback.format_list(frames[-MAX_TRACEBACK:])), end="")
        print("".join(traceback.format_exception_only(error))[:2000], end="", flush=True)
    except BaseException:
        return  # the exception's own text raises: do without a traceback
