"""A first look at bots: those that cannot play on a contest's board do not take part.

Nor do those that cannot be loaded, unless the schedule is `with_unloadable`. They are tried again
whenever the bots are entered again: what they need may have been installed since.

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
from arena.errors import InputError
from arena.numbers import counted
from arena.referee import Bot
from arena.referee.pace import Pace, engine_pace, first_look
from arena.referee.refusal import refuses


class Finding(NamedTuple):
    """The outcome of a first look at a bot."""

    refused: str
    """The reason why it does not take part, a predicate; else empty."""

    pace: Pace | None
    """Its pace, if it is known."""

    unloadable: bool = False
    """True if that is since it cannot be loaded."""


def known_findings(contest: Contest, before: Contest | None, snapshots: Path) -> dict[str, Finding]:
    """Return what is known of bots, by their identity, so that they need not be tried again.

    `before` is the contest that the folder holds. A bot is known if it is the same, under the same
    rules. A house player plays on every board; a bot whose files tell that it cannot play is left
    out, or takes part to lose its games.
    """
    bots = seated(contest, snapshots)
    known: dict[str, Finding] = {}
    if before is not None and _terms(before) == _terms(contest):
        for name, bot in seated(before, snapshots).items():
            entry = before.bots[name]
            if not entry.unloadable:
                known[bot.identity] = Finding(entry.refused or "", None)
    for name, bot in bots.items():
        if contest.bots[name].house:
            known[bot.identity] = Finding("", None)
        elif bot.problem is not None and not contest.schedule.with_unloadable:
            known[bot.identity] = _unloadable(contest, f"could not be loaded: {bot.problem}")
    return known


def _terms(contest: Contest) -> tuple[object, ...]:
    """Return what it depends on whether a bot takes part."""
    return contest.rules, contest.schedule.with_unloadable


def _unloadable(contest: Contest, why: str, pace: Pace | None = None) -> Finding:
    """Return the finding about a bot that cannot be loaded."""
    if contest.schedule.with_unloadable:
        return Finding("", pace or Pace(fails=True))
    return Finding(why, None, unloadable=True)


def untried(contest: Contest, known: Container[str], snapshots: Path) -> dict[str, Bot]:
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
    names = {bot.identity: name for name, bot in seated(contest, Path()).items()}
    for key, bot in bots.items():
        why = refuses(bot, contest.rules)
        if why is not None:
            yield key, Finding(why, None)
        elif bot.problem is not None:
            yield key, _unloadable(contest, f"could not be loaded: {bot.problem}")
        elif key in known and (nodes := _engine_nodes(bot, contest)) is not None:
            yield key, Finding("", engine_pace(nodes))
        else:
            to_try.append(Candidate(key, names.get(bot.identity, key), bot, (key in known,)))
    for key, found, _ in try_bots(first_look, to_try, contest, executor):
        refusal, pace = found or (None, None)
        if key not in known and pace is not None and pace.not_loaded:
            yield key, _unloadable(contest, pace.not_loaded, pace)
        else:
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


def with_findings(contest: Contest, found: Mapping[str, Finding], snapshots: Path) -> Contest:
    """Return the contest with the refused bots marked; `found` is by the bots' identity."""
    bots = seated(contest, snapshots)
    nothing = Finding("", None)
    findings = {name: found.get(bots[name].identity, nothing) for name in contest.bots}
    return replace(
        contest,
        bots={
            name: replace(
                entry,
                refused=findings[name].refused or None,
                unloadable=findings[name].unloadable,
            )
            for name, entry in contest.bots.items()
        },
    )


def require_players(contest: Contest) -> None:
    """Raise InputError if no hand-in can be loaded, or if fewer than two bots are left."""
    hand_ins = [name for name, bot in contest.bots.items() if not bot.house]
    unloadable = [name for name in hand_ins if contest.bots[name].unloadable]
    if hand_ins and unloadable == hand_ins:
        first, more = hand_ins[0], len(hand_ins) - 1
        others = f", nor {counted(more, 'other')}" if more else ""
        raise InputError(
            f"no hand-in can be loaded, so there is nothing to play: {first} "
            f"{contest.bots[first].refused}{others}; with --with-unloadable they take part, and "
            "lose their games"
        )
    boards = [bot for bot in contest.bots.values() if bot.refused and not bot.unloadable]
    if len(contest.playing) < 2:
        left = ", ".join(contest.playing) or "no bot"
        how = "take part" if len(contest.left_out) > len(boards) else "play on this board"
        raise InputError(f"only {left} can {how}; a contest needs two")
