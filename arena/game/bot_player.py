"""A player that is a bot in a process of its own. The move loop's hot path is `ask`."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from mmap import mmap
from time import perf_counter_ns

from arena.game.bot_process import BotProcess, Zygote, needed
from arena.game.clock import BotClock, ProgramClock
from arena.game.judge import MAX_NODES, Death, Reply, Task, judge
from arena.game.limits import SECOND, Limits
from arena.game.player import Answer, Fault
from arena.game.record import Bot
from arena.game.suspension import (
    FATAL,
    Suspension,
    as_traceback,
    ask_for,
    own_frames,
    without_places,
)
from arena.game.verdict import Ending, Proof, Verdict
from arena.host.protocol import (
    ANSWER_BYTES,
    FAULT_BYTES,
    NONCE_BYTES,
    UNMETERED,
    AnswerKind,
    Ask,
    BotSpec,
    GameRequest,
    answer_text,
    pack_move_request,
    pack_opening,
    unpack_answer,
)
from arena.interfaces import is_program, profile_of
from arena.machine.capacity import oom_kills
from arena.machine.proc import has_ended, is_alive, written
from arena.rules import Ruleset

NONCES_A_DRAW = 512
OUTPUT_TAIL = 4096
"""Bytes kept of what a faulty bot printed last."""

LOOK_NS, LOOKS = 200_000_000, 25
"""Interval of looks at the waiting of a bot's threads in a long move, and their least number in a
limit: the wait of a thread since the last look is unknown once it has ended."""

SOON_NS = 2_000_000
"""Time until the next look at a bot that has used up its limit, or nearly."""

TOO_LARGE, OVERDUE = -1, -2
"""In place of the size of an answer, of a bot that has more memory or took more time than it may.
"""

PROGRAM_BYTES = 64 << 20
"""Memory that a program may have beyond its limit: its host is one of its processes. Other bots may
have what they had before their code was loaded."""

ONE_RESTING_BYTES = 48 << 20
"""Memory that a bot's process may have, with what is the zygote's and all its files, while others
play."""

WORN_SHARE = 10
"""A fault in a process that has played before is the bot's if it took more than one part in so many
of its limits: what it has found out by then is not to help it when it is asked again."""

DELIBERATE = (
    *(Ending.CLOSED_CHANNEL, Ending.LEFT_THREADS, Ending.KILLED),
    *(Ending.INTRUDED, Ending.UNSTOPPED),
)
"""Endings that no earlier game can cause."""

ASK_MOVE, COLUMN = int(Ask.MOVE), int(AnswerKind.COLUMN)
"""As plain integers, which compare faster than members do."""


def _nonces() -> Iterator[tuple[bytes]]:
    """Random nonces, each in a tuple; the kernel is asked once for many, and C hands them out."""
    blocks = iter(lambda: os.urandom(NONCES_A_DRAW * NONCE_BYTES), b"")
    return chain.from_iterable(struct.iter_unpack(f"{NONCE_BYTES}s", block) for block in blocks)


class BotPlayer:
    """A bot, its process and its clock. The process is started when needed, ended by a fault."""

    def __init__(self, zygote: Zygote, bot: Bot, limits: Limits, *, afresh: bool = False) -> None:
        """With `afresh` every game is played in a new process."""
        self._zygote = zygote
        self._afresh = afresh  # or once a fault may have been due to an earlier game
        self._bot = bot
        self._limits = limits = bot.own(limits)
        self._is_program = is_program(bot.entry_point.interface)
        self._process: BotProcess | None = None
        self._clock: BotClock
        self._suspension: Suspension
        self._shared: mmap
        self._send: Callable[[bytes], int]
        self._receive: Callable[..., int]
        self._nonces = _nonces()
        self._move_ns = round(limits.move_seconds * SECOND)
        self._first_ns = round(limits.first_move_seconds * SECOND) + self._move_ns
        self._limit_ns = self._first_ns
        self._load_ns = round(limits.load_seconds * SECOND)
        self._most_bytes = 0  # of memory that its process may have
        self._receive_ns = 0  # for which the channel waits at most
        self._receive_limit_ns = 0  # the limit that this is for
        self._data = bytearray(FAULT_BYTES + 1)
        self._nodes = MAX_NODES if limits.nodes is None else limits.nodes
        self._rules = Ruleset()
        self._output = ""
        self._root = ""  # of the process that it has, or had last
        self._oom_kills = 0  # when its process was started
        self._is_worn = False  # its process was at other games before this one
        self.start_ns = 0
        """Charged nanoseconds of the last load, of a new process or of the bot alone."""
        self.seated = ""
        """The bot's seat in its process's words, `sees its own board, board.Board`; or empty."""

    def __enter__(self) -> BotPlayer:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Load the bot for a game, in a new process if it has none, or threads of its last game.

        If loading fails in the process of its last game, the bot is loaded again in a new one: what
        that game left may be to blame, such as open files, changed files, or an alarm that rings
        now. Not after a time-out, nor if memory ran out. Both loads together must be within the
        limit. A program's process is always a new one:
        nobody can tell what its last game left in it.
        """
        if self._process is not None and (
            self._is_program or self._afresh or (self._shared[0] and self._clock.has_threads())
        ):
            self._end()
        self._output = ""
        self._rules = rules
        if self._bot.problem is not None:
            return Fault.of(Ending.NOT_LOADED, text=self._bot.problem)
        is_new = self._process is None
        if is_new:
            self._start()
        request = GameRequest(
            player=player,
            rules=rules,
            nodes=self._limits.nodes,
            seed=seed,
        )
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
        answer = self._judge(size, nonce, self._load_ns, charged, Task.LOAD)
        self._limit_ns = self._first_ns
        self.seated = ""
        if isinstance(answer, Fault):
            if is_new or answer.verdict is Verdict.TIMEOUT or answer.proof is Proof.MEMORY:
                return answer
            return self._sit_again(charged, player, rules, opening, seed)
        self.seated = answer_text(self._data)
        with suppress(ConnectionError):  # if it is gone already, its first move will tell
            self._send(pack_opening(opening))
        if self._clock.stops or self._shared[0]:
            self._suspension.begin()
        return None

    def _sit_again(
        self, charged: int, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int
    ) -> Fault | None:
        """Load the bot in a new process, after a load that failed and for which it was charged."""
        self._afresh = True
        fault = self.sit(player, rules, opening, seed)
        self.start_ns += charged
        if fault is not None or self.start_ns <= self._load_ns:
            return fault
        self._end()
        seconds, task = self._load_ns / SECOND, Task.LOAD.value
        return Fault.of(Ending.TOO_SLOW, self.start_ns, seconds=seconds, task=task, place="")

    def ask(self, seen: int) -> Answer | Fault:
        """Ask the bot for a move. The hot path: two system calls here, two in the bot."""
        (nonce,) = next(self._nonces)
        limit_ns = self._limit_ns
        if limit_ns != self._receive_limit_ns:
            self._receive_within(limit_ns)
        clock = self._clock
        asked_at = perf_counter_ns()
        if asked_at > clock.stale_at:
            asked_at = clock.refresh()
            if self._holds_too_much():
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
            size = self._suspended(size)  # until its next turn
        self._limit_ns = self._move_ns
        if size == ANSWER_BYTES:
            its_nonce, kind, _, column, nodes = unpack_answer(self._data)
            within = charged <= limit_ns and UNMETERED <= nodes <= self._nodes
            if within and kind == COLUMN and its_nonce == nonce:
                return column, charged, nodes
        return self._judge(size, nonce, limit_ns, charged)

    def rest(self) -> int:
        """Leave the table until its next game: others play meanwhile, and its process is stopped.

        It is ended if it must start afresh or has more than its part: a program's, one with
        threads, one that has been caught thinking while it was not its turn, or one that holds much
        memory, files or output.
        Returns the bytes that it holds at rest, with what is the zygote's.
        """
        process = self._process
        if process is None:
            return 0
        clock = self._clock
        stays = not (self._is_program or self._afresh or clock.stops or clock.has_threads())
        if stays and self._suspension.rest():
            held = clock.memory() + written(process.folder) + os.fstat(process.output).st_size
            if held <= ONE_RESTING_BYTES:
                return held
        self._end()
        return 0

    def _holds_too_much(self) -> bool:
        """Return True if it has more memory than it may, with what it has written."""
        process = self._process
        assert process is not None
        files = written(process.folder) - process.brought + os.fstat(process.output).st_size
        return self._clock.holds_over(self._most_bytes - files)

    def dismiss(self) -> str:
        """End the bot's process, if a fault has not; returns the last of what it printed."""
        self._end()
        return without_places(self._output, self._root)

    def _late(self, error: OSError, asked_at: int, limit_ns: int) -> int:
        """Wait on, after the channel gave up, until more than the limit is charged.

        Returns the size of the answer, whose bytes are in `_data`: 0 if the process ended or
        closed its channel, OVERDUE if it is still thinking, TOO_LARGE if it has more memory than it
        may.
        """
        if not isinstance(error, BlockingIOError):
            return 0
        with suppress(ConnectionError):
            while True:
                referee_wait = self._clock.referee_wait()
                with suppress(BlockingIOError):  # it may have come while we waited for the core
                    return self._receive(self._data, 0, socket.MSG_DONTWAIT)
                left_ns = limit_ns - self._clock.charged(asked_at, referee_wait)
                if left_ns < 0:
                    return OVERDUE
                if self._holds_too_much():
                    return TOO_LARGE
                self._receive_within(limit_ns, max(left_ns, SOON_NS))
                with suppress(BlockingIOError):
                    return self._receive(self._data)
        return 0

    def _receive_within(self, limit_ns: int, left_ns: int = LOOK_NS) -> None:
        """Let the channel wait for an answer until the clock is to be looked at."""
        self._receive_limit_ns = limit_ns
        self._clock.look_ns = look_ns = min(limit_ns // LOOKS, LOOK_NS)
        receive_ns = min(left_ns, look_ns)
        if receive_ns == self._receive_ns:
            return
        seconds, rest = divmod(receive_ns, SECOND)
        timeval = struct.pack("ll", seconds, rest // 1000 + 1)
        assert self._process is not None
        self._process.channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval)
        self._receive_ns = receive_ns

    def _judge(
        self, size: int, nonce: bytes, limit_ns: int, charged: int, task: Task = Task.MOVE
    ) -> Answer | Fault:
        """Judge everything but the plain answer in time; after a fault the process is ended."""
        if task is Task.MOVE and limit_ns != self._move_ns:
            task = Task.FIRST_MOVE
        if size == OVERDUE:  # as the clock saw it, even if it has found more to forgive since
            charged = max(charged, limit_ns + 1)
        # what was quick is looked at before the next turn
        too_large = size == TOO_LARGE or (charged > LOOK_NS and self._holds_too_much())
        if too_large and not self._leads():  # so no memory could be read
            too_large, size = False, max(size, 0)
        place, death = "", None
        if size <= 0 and (too_large or charged > limit_ns):
            place = self._interrupt()
        elif size <= 0:
            death = self._death()
            place = self._at_crash() if death.status < 0 else ""
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
            self._end()  # nothing in it is to be relied on
            answer = replace(answer, proof=self._proof(answer, limit_ns, task))
            self._afresh = self._afresh or answer.proof is Proof.WORN
        return answer

    def _proof(self, fault: Fault, limit_ns: int, task: Task) -> Proof | None:
        """Return the evidence that a fault may not be the bot's own; None if there is none."""
        ending = fault.ending
        if ending and ending.by_kernel and oom_kills() > self._oom_kills:
            return Proof.MEMORY
        if fault.proof or not self._is_worn or task is Task.LOAD or ending in DELIBERATE:
            return fault.proof
        is_small = (
            fault.charged_ns <= limit_ns // WORN_SHARE and fault.nodes <= self._nodes // WORN_SHARE
        )
        return Proof.WORN if is_small else None

    def _leads(self) -> bool:
        """Return True if the main thread of the bot's process, which answers, has not ended."""
        assert self._process is not None
        return is_alive(self._process.pid)

    def _suspended(self, size: int) -> int:
        """Stop a bot with threads after an answer of that size; 0 if its main thread has ended."""
        if not self._leads():
            return 0
        self._suspension.begin()
        return size

    def _death(self) -> Death:
        """End a process that has closed its channel, and return how it had ended before."""
        assert self._process is not None
        process = self._process
        lived, kills_itself = not has_ended(process.pid), process.kills_itself
        lost_main_thread = lived and not self._leads()
        wait_status, peak = self._end()
        return Death(
            lived=lived,
            status=os.waitstatus_to_exitcode(wait_status),
            peak_bytes=peak,
            lost_main_thread=lost_main_thread,
            kills_itself=kills_itself,
        )

    def _at_crash(self) -> str:
        """Return the place of a crash, ` (file, line)`; make the dump in its output readable."""
        printed, fatal, dump = self._output.rpartition(FATAL.decode())
        return self._place(printed, dump.encode()) if fatal else ""

    def _interrupt(self) -> str:
        """Have a bot that is still thinking tell where it is, ` (file, line)`.

        Its process writes that from a signal handler in C, whatever the bot is doing; if the bot
        has seen to it that it does not, nobody knows.
        """
        if self._is_program:
            self._end()
            return ""  # it is not Python that tells
        process = self._process
        assert process is not None
        dump = ask_for(process.pid, process.output)
        self._end()
        return self._place(self._output, dump)

    def _place(self, printed: str, dump: bytes) -> str:
        """Return the innermost own line in a dump; keep all of them with what it printed."""
        frames = own_frames(dump, self._root)
        if not frames:
            return ""
        self._output = f"{printed}{as_traceback(frames)}\n"
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
        )
        self._zygote = self._zygote.having(needed(bot))
        self._oom_kills = oom_kills()
        self._process = self._zygote.start(spec)
        self._root = self._process.root
        clock = ProgramClock if self._is_program else BotClock
        self._clock = clock(self._process.pid, self._zygote.pid, self._process.shared)
        more = PROGRAM_BYTES if self._is_program else self._clock.memory()
        self._most_bytes = (self._limits.memory_mb << 20) + more
        self._suspension = Suspension(self._process, self._clock)
        self._shared = self._process.shared
        self._receive_ns = self._receive_limit_ns = 0
        self._send = self._process.channel.send
        self._receive = self._process.channel.recv_into

    def _end(self) -> tuple[int, int]:
        """Kill and reap the process, if there is one; returns wait status and peak memory."""
        process, self._process = self._process, None
        if process is None:
            return 0, 0
        self._clock.close()
        size = os.fstat(process.output).st_size
        tail = os.pread(process.output, OUTPUT_TAIL, max(0, size - OUTPUT_TAIL))
        self._output = tail.decode("utf-8", "replace")
        return self._zygote.end(process)
