"""Refusals: bots that cannot play on a contest's board, and so do not take part.

Bots are tried where games are played, on the lanes. One that takes its lane down costs no other
bot anything, and is not refused: its games will show what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from arena.contest.config import Contest
from arena.contest.entries import seated
from arena.contest.trials import Candidate, try_bots
from arena.referee import Bot
from arena.referee.refusal import refusal, refuses


def known_refusals(contest: Contest, before: Contest | None, snapshots: Path) -> dict[str, str]:
    """Return why bots are refused, by their identity, where that need not be tried again.

    The reason is empty for a bot that is not refused. `before` is the contest that the folder
    holds. A bot is known if it is the same, under the same rules. A house player plays on every
    board.
    """
    bots = seated(contest, snapshots)
    known = {bots[name].identity: "" for name, entry in contest.bots.items() if entry.house}
    if before is not None and before.rules == contest.rules:
        old = seated(before, snapshots)
        known |= {old[name].identity: entry.refused or "" for name, entry in before.bots.items()}
    return known


def untried(contest: Contest, known: Mapping[str, str], snapshots: Path) -> dict[str, Bot]:
    """Return the bots, by identity, that are not among the `known`."""
    bots = {bot.identity: bot for bot in seated(contest, snapshots).values()}
    return {identity: bot for identity, bot in bots.items() if identity not in known}


def find_refusals(
    bots: Mapping[str, Bot], contest: Contest, executor: Executor, lanes: int
) -> Iterator[tuple[str, str]]:
    """Yield (key, why it is refused or an empty text) for each of the bots, as it is found out."""
    to_try = []
    for key, bot in bots.items():
        why = refuses(bot, contest.rules)
        if why is not None or bot.problem is not None:
            yield key, why or ""
        else:
            to_try.append(Candidate(key, bot))
    for key, found, _ in try_bots(refusal, to_try, contest, executor, lanes):
        yield key, found.reason if found else ""


def with_refusals(contest: Contest, refusals: Mapping[str, str], snapshots: Path) -> Contest:
    """Return the contest with the refused bots marked; `refusals` are by the bots' identity."""
    bots = seated(contest, snapshots)
    return replace(
        contest,
        bots={
            name: replace(entry, refused=refusals.get(bots[name].identity) or None)
            for name, entry in contest.bots.items()
        },
    )
