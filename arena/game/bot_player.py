"""A player that runs a bot in its own process. `BotPlayer.ask` is the hot path."""

from __future__ import annotations

import os
import re
import struct
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from time import perf_counter_ns

from arena.common.text import one_line
from arena.game.judge import MAX_NODES, Death, Reply, Task, judge
from arena.game.limits import SECOND, Limits
from arena.game.player import Answer, Fault
from arena.game.record import Bot
from arena.game.starter import Shared, StartedBot, Starter, Suspension, TurnClock
from arena.game.verdict import Ending, Proof, Verdict
from arena.host.output import OUTPUT_CAP
from arena.host.protocol import (
    ANSWER_BYTES,
    FAULT_BYTES,
    NONCE_BYTES,
    UNKNOWN,
    UNMETERED,
    AnswerKind,
    Ask,
    BotSpec,
    GameRequest,
    answer_text,
    pack_fault,
    pack_move_request,
    pack_opening,
    unpack_answer,
)
from arena.interfaces import is_program, profile_of
from arena.machine.capacity import oom_kills
from arena.rules import Ruleset

NONCES_A_DRAW = 512
OUTPUT_TAIL = 4096  # Bytes kept from the end of a faulty bot's output.

# In a long move the clock looks at the waits of threads every LOOK_NS, and at least LOOKS times
# within the limit. The wait of a thread that ended since the last look is lost.
LOOK_NS, LOOKS = 200_000_000, 25
SOON_NS = 2_000_000  # Time until the next look at a bot that has used up its limit, or nearly.
# Used in place of an answer's size if the bot used too much memory, or did not answer in time.
TOO_LARGE, OVERDUE = -1, -2

# Memory that a program may use beyond its limit, because Arena's host is one of its processes.
# Other bots may use what their process used before it loaded their code.
PROGRAM_BYTES = 64 << 20

# Most memory that the process of a resting bot may use, including files and pages shared with the
# zygote.
ONE_RESTING_BYTES = 48 << 20

# In a process that has played before, a fault after more than 1/WORN_SHARE of a limit counts
# against the bot. Otherwise a bot could use the retry to profit from what it had computed.
WORN_SHARE = 10

# Endings that no earlier game can cause.
DELIBERATE = (
    *(Ending.CLOSED_CHANNEL, Ending.LEFT_THREADS, Ending.KILLED),
    *(Ending.INTRUDED, Ending.UNSTOPPED),
)

# Plain integers compare faster than enum members.
ASK_MOVE, COLUMN = int(Ask.MOVE), int(AnswerKind.COLUMN)


def _nonces() -> Iterator[tuple[bytes]]:
    blocks = iter(lambda: os.urandom(NONCES_A_DRAW * NONCE_BYTES), b"")
    return chain.from_iterable(struct.iter_unpack(f"{NONCE_BYTES}s", block) for block in blocks)


class BotPlayer:
    """A bot, its process and its clock. A fault ends the process."""

    def __init__(
        self, starter: Starter, bot: Bot, limits: Limits, *, new_process: bool = False
    ) -> None:
        self._starter = starter
        self.new_process = new_process
        """Every game gets a new process: also set after a fault that a game may have caused."""
        self._bot = bot
        self._limits = limits = bot.own(limits)
        self._is_program = is_program(bot.entry_point.interface)
        self._process: StartedBot | None = None
        self._clock: TurnClock
        self._suspension: Suspension
        self._shared: Shared
        self._send: Callable[[bytes], int]
        self._receive: Callable[..., int]
        self._nonces = _nonces()
        self._move_ns = round(limits.move_seconds * SECOND)
        self._first_ns = round(limits.first_move_seconds * SECOND) + self._move_ns
        self._limit_ns = self._first_ns
        self._load_ns = round(limits.load_seconds * SECOND)
        self._most_bytes = 0  # memory limit of the bot's process
        self._receive_ns = 0  # timeout of the channel
        self._receive_limit_ns = 0  # the bot's limit for which this timeout was set
        self._data = bytearray(FAULT_BYTES + 1)
        self._nodes = MAX_NODES if limits.nodes is None else limits.nodes
        self._rules = Ruleset()
        self._output = ""
        self._heard = 0  # bytes of the output that `new_output` has returned in this game
        self._root = ""  # `root` of the bot's current or last process
        self._oom_kills = 0  # value of `oom_kills()` when the process started
        self._is_worn = False  # the process has played other games
        self.start_ns = 0  # charged nanoseconds of the last load
        self.seated = ""  # how the bot is seated, `sees its own board, board.Board`, or empty

    def __enter__(self) -> BotPlayer:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Load the bot for a game; return None, or the fault if this fails.

        Starts a new process if there is none, if the last game left threads, or if the bot is a
        program, because a program's state cannot be checked.

        If loading fails in the process of an earlier game, that game may be the cause: it may have
        changed files or left an alarm. So the bot is loaded again in a new process, except after a
        time-out or out of memory. Both attempts together must stay within the limit.
        """
        if self._process is not None and (
            self._is_program or self.new_process or (self._shared[0] and self._clock.has_threads())
        ):
            self._end()
        self._output, self._heard = "", 0
        self._rules = rules
        if self._bot.problem is not None:
            return Fault.of(Ending.NOT_LOADED, text=self._bot.problem)
        is_new = self._process is None
        if is_new:
            self._start()
        request = GameRequest(player=player, rules=rules, nodes=self._limits.nodes, seed=seed)
        (nonce,) = next(self._nonces)
        self._receive_within(self._load_ns)
        asked_at = perf_counter_ns()
        if asked_at > self._clock.stale_at:
            asked_at = self._clock.refresh()
        if self._suspension.on:
            self._suspension.end()
        try:
            self._send(request.pack(nonce))
            size = self._receive(self._data)
        except OSError as error:
            size = self._late(error, asked_at, self._load_ns)
        self.start_ns = charged = self._clock.charge(asked_at)
        self._is_worn = not is_new
        self.seated = ""
        plain = pack_fault(nonce, AnswerKind.READY, 0, UNMETERED, "")
        if self._data[:size] != plain or charged > min(LOOK_NS, self._load_ns):
            answer = self._judge(size, nonce, self._load_ns, charged, Task.LOAD)
            if isinstance(answer, Fault):
                if is_new or answer.verdict is Verdict.TIMEOUT or answer.proof is Proof.MEMORY:
                    return answer
                return self._sit_again(charged, player, rules, opening, seed)
            self.seated = answer_text(self._data)
        self._limit_ns = self._first_ns
        with suppress(ConnectionError):  # if the process has ended, the first move reports that
            for message in pack_opening(opening):
                self._send(message)
        if self._clock.stops or self._shared[0]:
            self._suspension.begin()
        return None

    def _sit_again(
        self, charged: int, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int
    ) -> Fault | None:
        self.new_process = True
        fault = self.sit(player, rules, opening, seed)
        self.start_ns += charged
        if fault is not None or self.start_ns <= self._load_ns:
            return fault
        self._end()
        seconds, task = self._load_ns / SECOND, Task.LOAD.value
        return Fault.of(Ending.TOO_SLOW, self.start_ns, seconds=seconds, task=task, place="")

    def ask(self, seen: int) -> Answer | Fault:
        """Return the bot's move or fault. Takes two system calls here and two in the bot."""
        (nonce,) = next(self._nonces)
        limit_ns = self._limit_ns
        if limit_ns != self._receive_limit_ns:
            self._receive_within(limit_ns)
        clock = self._clock
        asked_at = perf_counter_ns()
        if asked_at > clock.stale_at:
            asked_at = clock.refresh()
            if self._over_memory():
                return self._judge(TOO_LARGE, nonce, limit_ns, 0)
            if self._suspension.broken():
                self._end()
                return Fault.of(Ending.UNSTOPPED)
        if self._suspension.on:
            self._suspension.end()
        try:
            self._send(pack_move_request(ASK_MOVE, nonce, seen))
            size = self._receive(self._data)
        except OSError as error:
            size = self._late(error, asked_at, limit_ns)
        charged = clock.charge(asked_at)
        if (clock.stops or self._shared[0]) and size > 0:
            size = self._suspend(size)  # until its next turn
        self._limit_ns = self._move_ns
        if size == ANSWER_BYTES:
            its_nonce, kind, _, column, nodes = unpack_answer(self._data)
            within = charged <= limit_ns and UNMETERED <= nodes <= self._nodes
            if within and kind == COLUMN and its_nonce == nonce:
                return column, charged, nodes
        return self._judge(size, nonce, limit_ns, charged)

    def rest(self) -> int:
        """Stop the bot's process while others play; return its memory in bytes.

        Ends the process instead and returns 0 if the bot is a program, has threads, pondered,
        cannot be stopped, uses more than ONE_RESTING_BYTES or gets a new process for every game.
        Without a filter for system calls, a timer could continue it, so it ends too.
        The bytes include files, output, and pages shared with a zygote.
        """
        process = self._process
        if process is None:
            return 0
        clock = self._clock
        is_watched = self._shared[0] != UNKNOWN and not (clock.ponders or clock.has_threads())
        stays = is_watched and not (self._is_program or self.new_process)
        if stays and self._suspension.rest():
            held = clock.memory() + process.held()
            if held <= ONE_RESTING_BYTES:
                return held
        self._end()
        return 0

    def _over_memory(self) -> bool:
        process = self._process
        assert process is not None
        return self._clock.exceeds(self._most_bytes - process.held() + process.brought)

    def dismiss(self) -> str:
        self._end()
        return self.printed()

    def printed(self) -> str:
        """Return the end of what the bot has printed in this game."""
        if self._process is not None:
            self._output = _tail(self._process)
        return _hide_paths(self._output, self._root)

    def new_output(self) -> str:
        """Return the end of what the bot has printed since the last call in this game."""
        if self._process is None:
            return ""
        output = self._process.printed(OUTPUT_CAP)
        new, self._heard = output[self._heard :], len(output)
        return _hide_paths(new[-OUTPUT_TAIL:].decode("utf-8", "replace"), self._root)

    def _late(self, error: OSError, asked_at: int, limit_ns: int) -> int:
        """Wait for an answer that missed the channel's timeout, until the limit is used up.

        Return its size in `_data`; 0 if the process ended or closed the channel; OVERDUE or
        TOO_LARGE.
        """
        process = self._process
        if not isinstance(error, BlockingIOError) or process is None:
            return 0
        with suppress(ConnectionError):
            while True:
                referee_wait = self._clock.referee_wait()
                with suppress(BlockingIOError):  # an answer may have come while we got no core
                    return process.receive_now(self._data)
                left_ns = limit_ns - self._clock.charged(asked_at, referee_wait)
                if left_ns < 0:
                    return OVERDUE
                if self._over_memory():
                    return TOO_LARGE
                self._receive_within(limit_ns, max(left_ns, SOON_NS))
                with suppress(BlockingIOError):
                    return self._receive(self._data)
        return 0

    def _receive_within(self, limit_ns: int, left_ns: int = LOOK_NS) -> None:
        """Make the channel wait for an answer until the clock must be looked at again."""
        self._receive_limit_ns = limit_ns
        self._clock.look_ns = look_ns = min(limit_ns // LOOKS, LOOK_NS)
        receive_ns = min(left_ns, look_ns)
        if receive_ns == self._receive_ns:
            return
        assert self._process is not None
        self._process.wait_at_most(receive_ns)
        self._receive_ns = receive_ns

    def _judge(
        self, size: int, nonce: bytes, limit_ns: int, charged: int, task: Task = Task.MOVE
    ) -> Answer | Fault:
        """Return the move or fault in any answer but a column in time. A fault ends the process."""
        if task is Task.MOVE and limit_ns != self._move_ns:
            task = Task.FIRST_MOVE
        if size == OVERDUE:  # stays so even if the clock has forgiven more time since
            charged = max(charged, limit_ns + 1)
        # after a quick answer, memory is checked before the next turn
        too_large = size == TOO_LARGE or (charged > LOOK_NS and self._over_memory())
        if too_large and not self._main_thread_lives():  # then the memory cannot be read
            too_large, size = False, max(size, 0)
        place, death = "", None
        if size <= 0 and (too_large or charged > limit_ns):
            place = self._interrupt()
        elif size <= 0:
            death = self._death()
            place = self._crash_place() if death.status < 0 else ""
        reply = Reply(
            data=bytes(self._data[: max(size, 0)]),
            nonce=nonce,
            task=task,
            charged_ns=charged,
            limit_ns=limit_ns,
            too_large=too_large,
            ponders=self._clock.ponders,
            place=place,
            death=death,
        )
        answer = judge(reply, self._limits, self._rules)
        if isinstance(answer, Fault):
            self._end()  # the bot's state is unreliable now
            answer = replace(answer, proof=self._proof(answer, limit_ns, task))
            self.new_process = self.new_process or answer.proof is Proof.WORN
        return answer

    def _proof(self, fault: Fault, limit_ns: int, task: Task) -> Proof | None:
        ending = fault.ending
        if ending and ending.by_kernel and oom_kills() > self._oom_kills:
            return Proof.MEMORY
        if fault.proof or not self._is_worn or task is Task.LOAD or ending in DELIBERATE:
            return fault.proof
        is_small = (
            fault.charged_ns <= limit_ns // WORN_SHARE and fault.nodes <= self._nodes // WORN_SHARE
        )
        return Proof.WORN if is_small else None

    def _main_thread_lives(self) -> bool:
        assert self._process is not None
        return self._process.is_alive()

    def _suspend(self, size: int) -> int:
        if not self._main_thread_lives():
            return 0
        self._suspension.begin()
        return size

    def _death(self) -> Death:
        """End a process that closed its channel; return how it ended."""
        assert self._process is not None
        process = self._process
        lived, kills_itself = not process.has_ended(), process.kills_itself
        lost_main_thread = lived and not self._main_thread_lives()
        status, peak = self._end()
        return Death(
            lived=lived,
            status=status,
            peak_bytes=peak,
            lost_main_thread=lost_main_thread,
            kills_itself=kills_itself,
        )

    def _crash_place(self) -> str:
        """Return where the bot crashed, and make the dump in its output readable."""
        printed, fatal, dump = self._output.rpartition(FATAL.decode())
        return self._place(printed, dump.encode()) if fatal else ""

    def _interrupt(self) -> str:
        """End a bot that is still computing; return its place, or "" if it prints no stack."""
        if self._is_program:
            self._end()
            return ""  # only Python can print its stack
        process = self._process
        assert process is not None
        dump = process.stack()
        self._end()
        return self._place(self._output, dump)

    def _place(self, printed: str, dump: bytes) -> str:
        """Return the bot's innermost line in a dump; append the bot's traceback to its output."""
        frames = _own_frames(dump, self._root)
        if not frames:
            return ""
        shown = [f'  File "{file}", line {line}, in {name}' for file, line, name in frames[:SHOWN]]
        lines = (f"{printed}It was here (most recent call last):", *reversed(shown), "")
        self._output = "\n".join(lines)
        file, line, _ = frames[0]
        return f" ({file}, line {line})"

    def _start(self) -> None:
        bot = self._bot
        spec = BotSpec(
            root=bot.root,
            entry_point=bot.entry_point,
            memory_mb=self._limits.memory_mb,
            profile=profile_of(bot.entry_point.interface),
            move_seconds=self._limits.move_seconds,
            first_move_seconds=self._limits.first_move_seconds,
            load_seconds=self._limits.load_seconds,
        )
        self._starter = self._starter.for_bot(bot)
        self._oom_kills = oom_kills()
        self._process = process = self._starter.start(spec)
        self._root = process.root
        self._clock = process.new_clock(is_program=self._is_program)
        more = PROGRAM_BYTES if self._is_program else self._clock.memory()
        self._most_bytes = (self._limits.memory_mb << 20) + more
        self._suspension = process.new_suspension(self._clock)
        self._shared = process.shared
        self._receive_ns = self._receive_limit_ns = 0
        self._send = process.channel.send
        self._receive = process.channel.recv_into

    def _end(self) -> tuple[int, int]:
        """Kill and reap the process, if any; return its exit code and peak memory in bytes."""
        process, self._process = self._process, None
        if process is None:
            return 0, 0
        self._clock.close()
        self._output = _tail(process)
        return self._starter.end(process)


# The line that a bot ran comes from Python's faulthandler in the bot's own process and may be
# forged. It is shown to the bot's author and decides nothing.
FATAL = b"Fatal Python error: "  # First words of a crash dump.
# Its last line, which with large packages is longer than OUTPUT_TAIL.
EXTENSIONS = re.compile(rb"^Extension modules: .*\n?", re.MULTILINE)

_PATHS = sysconfig.get_paths()
# Folders of Python, installed packages and Arena; inner folders first.
LIBRARIES = (_PATHS["purelib"], _PATHS["platlib"], _PATHS["stdlib"], _PATHS["platstdlib"],
             str(Path(__file__).parents[2]))  # fmt: skip

MAX_NAME = 80
SHOWN = 20  # Most frames shown; the innermost ones.
_FRAME = re.compile(r'^ *File "(.+)", line (\d+) in (.+)$', re.MULTILINE)


def _tail(process: StartedBot) -> str:
    tail = EXTENSIONS.sub(b"", process.printed(OUTPUT_CAP))[-OUTPUT_TAIL:]
    return tail.decode("utf-8", "replace")


def _own_frames(dump: bytes, root: str) -> list[tuple[str, int, str]]:
    """Return a dump's (file, line from 1, function) in files of `root`, innermost first."""
    inside = root.encode("ascii", "backslashreplace").decode() + os.sep
    return [
        (one_line(path.removeprefix(inside), MAX_NAME), int(line), one_line(name, MAX_NAME))
        for path, line, name in _FRAME.findall(dump.decode("utf-8", "replace"))
        if path.startswith(inside) and len(line) < 9
    ]


def _hide_paths(text: str, root: str) -> str:
    """Return a bot's output without the paths of this machine's folders."""
    for folder in (root, *LIBRARIES):
        text = text.replace(f"{folder}{os.sep}", "")
    for folder in (root, os.path.dirname(root)):
        text = text.replace(folder, ".") if folder else text
    return text
