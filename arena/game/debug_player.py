"""A bot in this process, for its author: without clock and sandbox.

Its files are the author's own. So prints are shown, debuggers work, and a profiler sees the bot's
functions. Its answers are judged as in a contest, except for time and memory.
"""

from __future__ import annotations

import bdb
import os
import traceback
from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import chdir, nullcontext, suppress
from cProfile import Profile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from arena.game.judge import Reply, Task, judge
from arena.game.limits import MOST, Limits
from arena.game.player import Answer, Fault
from arena.game.record import Bot
from arena.game.verdict import Ending
from arena.host.protocol import (
    NONCE_BYTES,
    Ask,
    BotSpec,
    GameRequest,
    pack_move_request,
    pack_opening,
)
from arena.host.serve import Host
from arena.rules import Ruleset

NONCE = bytes(NONCE_BYTES)  # A secret is not needed: the bot runs in this process.


class _OwnFolder:
    """The author's folder in place of a copy: nothing is removed from it."""

    def enter(self) -> bool:
        return True


class _OwnOutput:
    """The terminal in place of a file with a bot's output."""

    def new_game(self) -> None:
        """Do nothing: the terminal keeps what was printed."""


class DebugPlayer:
    """A player that runs a bot in this process, and may profile it."""

    def __init__(
        self, bot: Bot, limits: Limits, folder: Path, sources: Collection[str] | None = None
    ) -> None:
        """`folder` has the bot's files; `sources` are its Python files there, None for all."""
        self._bot, self._limits, self._folder = bot, bot.own(limits), folder
        self._sources = sources
        self._host: Host | None = None
        self._rules = Ruleset()
        self.profile: Profile | None = None
        """Collects the calls of the bot's moves, if set."""

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Load the bot's files again, and prepare for a game."""
        self._rules = rules
        if self._bot.problem is not None:
            return Fault.of(Ending.NOT_LOADED, text=self._bot.problem)
        if self._host is None:
            spec = BotSpec(
                root=str(self._folder),
                entry_point=self._bot.entry_point,
                memory_mb=self._limits.memory_mb,
                move_seconds=self._limits.move_seconds,
            )
            place = _OwnFolder(), _OwnOutput()
            self._host = Host(spec, *place, sources=self._sources, show=_show)
        request = GameRequest(player=player, rules=rules, nodes=self._limits.nodes, seed=seed)
        answer = self._answer(Task.LOAD, self._host.game, request.pack(NONCE))
        if isinstance(answer, Fault):
            return answer
        with chdir(self._folder):
            for message in pack_opening(opening):
                self._host.opening(bytearray(message))
        return None

    def ask(self, seen: int) -> Answer | Fault:
        assert self._host is not None
        request = pack_move_request(int(Ask.MOVE), NONCE, seen)
        with self.profile or nullcontext():
            return self._answer(Task.MOVE, self._host.move, request)

    def dismiss(self) -> str:
        """Return nothing: what the bot printed is on the screen."""
        return ""

    def _answer(
        self, task: Task, answering: Callable[[bytearray], bytes], request: bytes
    ) -> Answer | Fault:
        started = perf_counter_ns()
        with chdir(self._folder):
            data = answering(bytearray(request))
        spent = perf_counter_ns() - started
        reply = Reply(data=data, nonce=NONCE, task=task, charged_ns=spent, limit_ns=MOST)
        return judge(reply, self._limits, self._rules)


def _show(error: BaseException, root: str) -> None:
    """Print an error with the lines of the bot's own files only.

    Raises KeyboardInterrupt after Ctrl-C, and if the debugger was left.
    """
    own = f"{root}{os.sep}"
    if not isinstance(error, bdb.BdbQuit):
        with suppress(Exception):  # a bot's error may raise another when it is printed
            trace = traceback.extract_tb(error.__traceback__)
            frames = [frame for frame in trace if frame.filename.startswith(own)]
            lines = ["Traceback (most recent call last):\n"] if frames else []
            lines += traceback.format_list(frames) + traceback.format_exception_only(error)
            print("".join(lines), end="", flush=True)
    if isinstance(error, bdb.BdbQuit | KeyboardInterrupt):
        raise KeyboardInterrupt from None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTime:
    name: str

    place: str
    """`my_bot.py:12`."""

    calls: int

    own_seconds: float
    """Without the functions that it calls."""

    seconds: float


def function_times(profile: Profile, folder: Path) -> tuple[list[FunctionTime], dict[str, float]]:
    """Return times of the bot's functions, and seconds by name of others they call.

    In both, functions with the most own time come first. Arena's functions are left out.
    """
    entries = {entry.code: entry for entry in profile.getstats()}
    inside, house = f"{folder}{os.sep}", f"{Path(__file__).parents[1]}{os.sep}"
    own = {code for code in entries if _path(code).startswith(inside)}
    called: dict[Any, float] = defaultdict(float)
    pending: list[Any] = list(own)
    for code in pending:
        for call in entries[code].calls or ():
            if call.code in own or _path(call.code).startswith(house):
                continue
            if call.code not in called:
                pending.append(call.code)
            called[call.code] += call.inlinetime
    times = [_time(entries[code], inside) for code in own]
    others: dict[str, float] = defaultdict(float)
    for code, seconds in called.items():
        others[getattr(code, "co_qualname", str(code))] += seconds
    most = dict(sorted(others.items(), key=lambda each: -each[1]))
    return sorted(times, key=lambda each: -each.own_seconds), most


def _path(code: object) -> str:
    return getattr(code, "co_filename", "")


def _time(entry: Any, inside: str) -> FunctionTime:
    code = entry.code
    return FunctionTime(
        name=code.co_qualname,
        place=f"{code.co_filename.removeprefix(inside)}:{code.co_firstlineno}",
        calls=entry.callcount,
        own_seconds=entry.inlinetime,
        seconds=entry.totaltime,
    )
