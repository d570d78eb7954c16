"""Trying bots before a contest: confined, on the lanes, one bot a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from arena.contest.config import Contest
from arena.contest.driver import Batch, Driver, LaneExecutor
from arena.contest.lanes import with_zygote
from arena.contest.log import about
from arena.intake import FLOOR, house_player
from arena.referee import Bot

ATTEMPTS = 2
"""Times that a bot may take its lane down before it is given up."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot to be tried."""

    key: str
    """What its result is yielded by."""

    name: str
    """The bot's name, for the log."""

    bot: Bot
    """The bot."""

    more: tuple[object, ...] = ()
    """Further arguments for the function that tries it."""


def try_bots(
    function: Callable[..., T],
    candidates: Iterable[Candidate],
    contest: Contest,
    executor: LaneExecutor,
) -> Iterator[tuple[str, T | None, str]]:
    """Yield (key, result, why there is none) for each candidate, as they end.

    `function(zygote, bot, sparring, rules, limits, seed, *more)` makes the result; it is called on
    a lane. Raises InputError if this machine cannot confine bots.
    """
    player = house_player(FLOOR)
    sparring = Bot(
        content_hash=player.content_hash,
        root=str(player.source),  # it is a folder
        entry_point=player.entry_point,
    )
    shared = sparring, contest.rules, contest.limits, contest.schedule.seed
    work = partial(_try_batch, function, shared)
    driver: Driver[Candidate, tuple[str, T]] = Driver(executor, work, attempts=ATTEMPTS)
    driver.add(
        Batch(candidate.name, (candidate,), {candidate.bot.identity: candidate.name})
        for candidate in candidates
    )
    for ended in driver:
        for key, result in ended.results:
            yield key, result, ""
        for candidate, why in ended.given_up:
            yield candidate.key, None, why


def _try_batch(
    function: Callable[..., T], shared: tuple[object, ...], batch: Batch[Candidate]
) -> list[tuple[str, T]]:
    """Try the bots of a batch. Runs in whatever process an executor chooses."""
    results: list[tuple[str, T]] = []
    for each in batch.items:
        with about(bots=(each.name,)):
            results.append((each.key, with_zygote(function, each.bot, *shared, *each.more)))
    return results
