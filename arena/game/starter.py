"""Starting and ending bots' processes: in the sandbox, or at home."""

from __future__ import annotations

from typing import Protocol

from arena.common.errors import CannotConfineError
from arena.common.home import NOT_CONFINED, at_home
from arena.game.record import Bot
from arena.host.protocol import BotSpec

REFUSAL = (
    "this machine cannot confine bots: it cannot filter system calls, and only root can give bots "
    "separate users. A bot could harm your files and processes. Use another machine, or add "
    "--home (in Python home=True) if you trust every bot; results are then not for grading "
    "(arena doctor explains more)"
)


class TurnClock(Protocol):
    """Measures what a bot's turns are charged, in nanoseconds of perf_counter_ns."""

    stale_at: int
    """A turn after this time should begin with `refresh`."""

    look_ns: int
    """The longest time between two looks at a turn."""

    ponders: bool
    """The bot has used the CPU outside its turn."""

    stops: bool
    """The bot must be stopped outside its turn."""

    def refresh(self) -> int:
        """Read the counters before a turn; return the time."""

    def referee_wait(self) -> int:
        """Return the referee's total wait for a core."""

    def charged(self, asked_at: int, referee_wait: int) -> int:
        """Return the least charge so far for a turn that is not over."""

    def charge(self, asked_at: int) -> int:
        """Return the charge for a turn that is over."""

    def has_threads(self) -> bool: ...

    def memory(self) -> int:
        """Return the bytes of memory that the bot uses now."""

    def exceeds(self, most: int) -> bool:
        """Return True if the bot now uses more than `most` bytes."""

    def close(self) -> None: ...


class Suspension(Protocol):
    """Stops a bot's processes outside its turn."""

    on: bool

    def begin(self) -> None: ...

    def rest(self) -> bool:
        """Stop the bot while others play; return False if that fails."""

    def broken(self) -> bool:
        """Return True if the bot computed although it was stopped."""

    def end(self) -> None: ...


class MessageChannel(Protocol):
    """The messages between the referee and a bot's process."""

    def send(self, data: bytes, /) -> int: ...

    def recv_into(self, buffer: bytearray, /) -> int:
        """Write a message into `buffer`; return its size, 0 if the other end is closed.

        A longer message is cut. Raises BlockingIOError after the time of `wait_at_most`, and
        OSError.
        """


class Shared(Protocol):
    """Memory whose first byte is ALONE, CROWDED or UNKNOWN (protocol.SHARED)."""

    def __getitem__(self, index: int, /) -> int: ...


class StartedBot(Protocol):
    """A bot's process from its start to its end."""

    @property
    def root(self) -> str:
        """Path of this bot's copy of its files, as the process sees it."""

    @property
    def brought(self) -> int:
        """Bytes of these files before any of the bot's code ran."""

    @property
    def shared(self) -> Shared: ...

    @property
    def channel(self) -> MessageChannel: ...

    @property
    def kills_itself(self) -> bool:
        """False if the bot cannot end its own process by SIGKILL."""

    def new_clock(self, *, is_program: bool) -> TurnClock: ...

    def new_suspension(self, clock: TurnClock) -> Suspension: ...

    def wait_at_most(self, nanoseconds: int) -> None:
        """Set the longest wait for a message."""

    def receive_now(self, buffer: bytearray) -> int:
        """Receive a message without waiting. Raises BlockingIOError if there is none."""

    def held(self) -> int:
        """Return the bytes that the bot's files and output have now."""

    def printed(self, most: int) -> bytes:
        """Return the last `most` bytes of the output of this game."""

    def is_alive(self) -> bool:
        """Return True if the process's main thread has not begun to end."""

    def has_ended(self) -> bool:
        """Return True if the process has ended with all its threads."""

    def stack(self) -> bytes:
        """Return the bot's stack as faulthandler prints it; b"" if it prints none."""


class Starter(Protocol):
    """Starts bots' processes, which end with it."""

    @property
    def pid(self) -> int:
        """The bots' parent process."""

    def for_bot(self, bot: Bot) -> Starter:
        """Return the starter for this bot, which ends with this one."""

    def start(self, spec: BotSpec) -> StartedBot:
        """Start a bot's process. The first game request will load the bot.

        Raises CannotConfineError, StartError, ZygoteDiedError.
        """

    def end(self, process: StartedBot) -> tuple[int, int]:
        """End a process; return (exit code or minus its signal, peak memory in bytes)."""

    def close(self) -> None: ...


def new_starter() -> Starter:
    """Return a starter of this process's mode. Raises ZygoteDiedError."""
    if at_home():
        from arena.game.home_process import HomeStarter

        return HomeStarter()
    from arena.game.bot_process import Zygote  # needs modules that only Linux has

    return Zygote()


def require_confinement() -> str | None:
    """Return a warning if bots are confined badly, or not at all in home mode.

    Raises CannotConfineError if this machine cannot confine bots.
    """
    if at_home():
        return NOT_CONFINED
    from arena.game.bot_process import missing_layer
    from arena.host.sandbox.confining import layers

    if not layers().enough:
        raise CannotConfineError(REFUSAL)
    return missing_layer()
