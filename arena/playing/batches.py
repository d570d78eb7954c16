"""The work of a lane, and the number of lanes that this machine has room for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from arena.common.errors import (
    InputError,
    OutOfMemoryError,
    StartError,
    StorageError,
    ZygoteDiedError,
)
from arena.common.home import at_home
from arena.common.system import available_cores
from arena.common.text import one_line, quote
from arena.game.bot_player import BotPlayer
from arena.game.limits import Limits
from arena.game.listening import Heard, HeardRecord, Listener
from arena.game.play import play
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.seats import Seats
from arena.game.starter import Starter, new_starter
from arena.game.verdict import Verdict
from arena.intake.files import holds
from arena.machine.capacity import room_in_memory, room_in_quota, room_in_tasks
from arena.machine.facts import Machine
from arena.playing.driver import Batch, LaneExecutor
from arena.playing.log import about, set_place, this_place

BATCH_SECONDS = 0.5  # Playing time after which a lane returns its finished games.
LOAD_SHARE = 10  # A batch plays at least this many times as long as its bots took to load.

# Least playing time per bot in a batch, because a process takes 15 ms to start and end.
PROCESS_SECONDS = 0.4

# The seats of this thread's last batch. If its starter has ended, so have their bots.
_seats: ContextVar[Seats | None] = ContextVar("arena.seats", default=None)

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger("arena.lane")


def open_lanes(cores: Sequence[int], *, bots: bool = True) -> LaneExecutor:
    """Return a lane for each core; without `bots`, lanes that never play."""
    if at_home():
        return HomeLanes(len(cores))
    from arena.playing.lanes import Lanes  # needs modules that only Linux has

    return Lanes(cores, bots=bots)


def play_batch(batch: Batch[GameKey]) -> list[GameRecord]:
    """Play the games of a batch in order, at least one, until time is up.

    Raises StorageError if a bot's files are missing or changed.
    """
    there = {bot.identity: bot for key in batch.items for bot in (key.first, key.second)}
    bots = {batch.names.get(identity, bot.content_hash): bot for identity, bot in there.items()}
    try:
        records = with_starter(_play, batch)
    except InputError:
        require_files(bots)
        raise
    if any(record.verdict.is_fault for record in records):
        require_files(bots)
    return records


def with_starter(
    function: Callable[Concatenate[Starter, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function with this process's starter and `args`; return its result."""
    starter = own_starter()
    try:
        return function(starter, *args, **kwargs)
    except ZygoteDiedError:
        own_starter.cache_clear()  # the next game gets a new starter
        starter.close()
        raise


def require_files(bots: Mapping[str, Bot]) -> None:
    """Raise StorageError if bots' files are missing or changed: it is not their fault."""
    for name, bot in bots.items():
        root = Path(bot.root)
        if not holds(root, bot.content_hash):
            folder = quote(str(root.parent.parent))
            raise StorageError(
                f"{root}: the files of {one_line(name)} are missing or changed; to copy them from "
                f"the submissions, if those are unchanged: arena verify {folder} --repair"
            )


def _play(starter: Starter, batch: Batch[GameKey]) -> list[GameRecord]:
    records: list[GameRecord] = []
    started, keys, names = monotonic(), batch.items, batch.names
    playing = _listened if batch.listens else play
    with _seated(starter, keys[0].limits) as seats:
        seats.new_process = batch.new_process
        loads: dict[BotPlayer, float] = {}
        for key in keys:
            first, second = seats.at(key.first, key.second)
            began = monotonic()
            bots = tuple(
                names.get(bot.identity, bot.content_hash) for bot in (key.first, key.second)
            )
            try:
                with about(key=key.digest, bots=bots):
                    record = playing(key, first, second)
                    records.append(replace(record, place=this_place()))
                    if record.verdict.is_fault:
                        loser = "both bots" if record.loser is None else bots[record.loser]
                        log.info("%s lost by %s: %s", loser, record.verdict.name, record.reason)
            except OutOfMemoryError as error:
                raise OutOfMemoryError(str(error), error.record, records) from None
            except StartError:
                if not records:
                    raise
                break  # keep the finished games; the driver submits this game again
            now, verdict = monotonic(), records[-1].verdict
            if verdict is Verdict.TIMEOUT or (verdict.is_fault and now - began > BATCH_SECONDS):
                break  # report a hanging bot before it hangs again
            for player in (first, second):
                loads[player] = max(player.start_ns / 1e9, loads.get(player, 0.0))
            if now - started > enough_seconds(loads.values()):
                break
    return records


@contextmanager
def _seated(starter: Starter, limits: Limits) -> Iterator[Seats]:
    """Yield the seats of this lane's last batch if they fit, else new ones."""
    seats = _seats.get()
    if seats is not None and (seats.starter is not starter or seats.limits != limits):
        if seats.starter is starter:
            seats.close()
        seats = None
    seats = seats or Seats(starter, limits)
    _seats.set(None)
    try:
        yield seats
        seats.rest()
    except BaseException:
        seats.close()
        raise
    _seats.set(seats)


def _listened(key: GameKey, first: BotPlayer, second: BotPlayer) -> GameRecord:
    heard: Heard = {}
    record = play(key, Listener(first, heard), Listener(second, heard))
    return HeardRecord.of(record, heard)


def enough_seconds(loads: Iterable[float]) -> float:
    """Return the seconds after which bots with these `loads` start no more games."""
    return max(BATCH_SECONDS, sum(LOAD_SHARE * load + PROCESS_SECONDS for load in loads))


@cache
def own_starter() -> Starter:
    return new_starter()


def end_starter() -> None:
    if own_starter.cache_info().currsize:
        own_starter().close()
        own_starter.cache_clear()


def plan_lanes(lanes: int | None, limits: Limits | None = None) -> tuple[list[int], list[str]]:
    """Return a core for each lane, and a sentence for each reason to use fewer cores.

    There are at most `lanes`, and at least one; else no more than memory, threads and CPU quota
    allow with these limits. Raises InputError if `lanes` is below 1 or above the number of cores.
    """
    cores = available_cores()
    if lanes is not None and lanes < 1:
        raise InputError(f"lanes = {lanes}: expected 1 or more")
    if lanes is not None and lanes > len(cores):
        raise InputError(f"lanes = {lanes}: expected at most {len(cores)}, one for each core")
    cores = cores[:lanes]
    remarks: list[str] = []
    if limits is None:
        return cores, remarks
    rooms = (
        (room_in_memory(limits.memory_mb), "games that do not fit into memory are not played"),
        (room_in_tasks(), "a bot's thread may fail to start through no fault of its own"),
        (room_in_quota(), "games take longer, which no bot is charged for"),
    )
    for (room, plan), otherwise in rooms:
        if room < len(cores):
            more = "" if room else f", and {otherwise}"
            remarks.append(f"{plan}: {max(1, room)} at a time{more}")
            cores = cores[: max(1, room)]
    return cores, remarks


class HomeLanes(LaneExecutor):
    """Lanes in home mode: threads of this process, which mostly wait for bots."""

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        own_starter()  # here, as each thread would make one
        places = iter(range(lanes))
        self._threads = ThreadPoolExecutor(
            lanes, "lane", initializer=lambda: set_place(next(places))
        )

    @property
    def lanes(self) -> int:
        return self._lanes

    def machines(self) -> list[Machine]:
        return [Machine.this(self._lanes)]

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._threads.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if not wait:
            end_starter()  # so that no thread waits for a bot
        self._threads.shutdown(cancel_futures=cancel_futures)
        end_starter()
