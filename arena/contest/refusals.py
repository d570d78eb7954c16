"""A first look at bots: those that cannot play on a contest's board do not take part.

The same trials tell the pace of the others. Bots are tried where games are played, on the lanes.
One that takes its lane down costs no other bot anything, and is not refused: its games will show
what it does.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from arena.contest.config import Contest
from arena.contest.driver import LaneExecutor
from arena.contest.entries import seated
from arena.contest.trials import Candidate, try_bots
from arena.referee import Bot
from arena.referee.pace import Pace, engine_pace, first_look
from arena.referee.refusal import refuses


class Finding(NamedTuple):
    """The outcome of a first look at a bot."""

    refused: str
    """The reason why it does not take part, a predicate; else empty."""

    pace: Pace | None
    """Its pace, if it is known."""


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


def look_at(
    bots: Mapping[str, Bot],
    contest: Contest,
    executor: LaneExecutor,
    known: Container[str] = (),
) -> Iterator[tuple[str, Finding]]:
    """Yield (key, finding) for each of the bots, as it is found out.

    Those that are `known` to play on this board, by their keys, are only timed, and of those that
    play with Arena's engine it is computed.
    """
    to_try = []
    for key, bot in bots.items():
        why = refuses(bot, contest.rules)
        if why is not None:
            yield key, Finding(why, None)
        elif bot.problem is not None:
            yield key, Finding("", Pace(fails=True))
        elif key in known and (nodes := _engine_nodes(bot, contest)) is not None:
            yield key, Finding("", engine_pace(nodes))
        else:
            to_try.append(Candidate(key, bot, (key in known,)))
    for key, found, _ in try_bots(first_look, to_try, contest, executor):
        refusal, pace = found or (None, None)
        yield key, Finding(refusal.reason if refusal else "", pace)


def _engine_nodes(bot: Bot, contest: Contest) -> int | None:
    """Return how many nodes a player with Arena's engine searches for a move, if that is all.

    None for any other bot, and if a depth or the solver decides.
    """
    point = bot.entry_point
    if point.engine is None or point.options.keys() - {"nodes"}:
        return None
    nodes = point.options.get("nodes") or contest.limits.nodes
    return nodes if isinstance(nodes, int) else None


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
