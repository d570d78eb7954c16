"""Fewer openings and smaller limits, and the time that a contest would take with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from arena.contest.estimate import Estimate, Known, Plan, estimate

NICE = tuple(digit * 10.0**power for power in range(-1, 4) for digit in (1, 2, 5))
"""Limits that are worth proposing, in seconds."""

SHORT = 60.0
"""Seconds up to which nobody needs to save any."""

SPARE = 2
"""Multiple of the slowest move seen that is enough for all, as far as can be told."""

WORTHWHILE = 0.75
"""Part of the time that a smaller limit has to leave at most to be proposed."""


class Saving(NamedTuple):
    """A smaller number for an option, and the contest with it."""

    option: str
    """The option as it is typed, `--openings 5`."""

    estimate: Estimate
    """The time that the contest takes with it."""

    cut: tuple[str, ...]
    """Bots that took longer, or more nodes, than that when they were tried."""


def savings(plan: Plan, openings: int) -> Iterator[Saving]:
    """Yield what half of the openings and smaller limits would save, where that is much."""
    whole = estimate(plan)
    if whole is None or whole.seconds <= SHORT:
        return
    if openings > 1:
        fewer = openings // 2
        games = {pair: max(1, count * fewer // openings) for pair, count in plan.games.items()}
        yield from _saving(f"--openings {fewer}", replace(plan, games=games), ())
    yield from _shorter_moves(plan, whole)
    if plan.limits.nodes is not None and plan.limits.nodes > 1:
        nodes = plan.limits.nodes // 2
        proposed, cut = _with_nodes(plan, nodes)
        if cut and (less := estimate(proposed)) and less.seconds < WORTHWHILE * whole.seconds:
            yield Saving(f"--nodes {nodes}", less, cut)


def _shorter_moves(plan: Plan, whole: Estimate) -> Iterator[Saving]:
    """Yield the shortest time for a move that is enough for all, or else the longest that saves.

    Enough is SPARE times what any bot took that answered.
    """
    shorter = [each for each in NICE if each < plan.limits.move_seconds]
    slowest = max((each for pace in plan.paces.values() for each in pace.later), default=0.0)
    enough = [each for each in shorter if each >= SPARE * slowest]
    too_short = [each for each in reversed(shorter) if each < slowest]
    for seconds in (*enough[:1], *too_short):
        proposed, cut = _limited(plan, seconds)
        if (less := estimate(proposed)) and less.seconds < WORTHWHILE * whole.seconds:
            yield Saving(f"--move-seconds {seconds:g}", less, cut)
            return


def _saving(option: str, plan: Plan, cut: tuple[str, ...]) -> Iterator[Saving]:
    if less := estimate(plan):
        yield Saving(option, less, cut)


def _limited(plan: Plan, seconds: float) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with a shorter time for a move, and who would need longer.

    Those run out of time, as far as is known; so they are taken to be retired.
    """
    limits = replace(plan.limits, move_seconds=seconds)
    longest = seconds + limits.first_move_seconds
    cut = tuple(name for name, pace in plan.paces.items() if max(pace.later, default=0) > seconds)
    paces = {
        name: replace(pace, limit=seconds)
        if name in cut
        else replace(pace, limit=min(pace.limit, longest))
        for name, pace in plan.paces.items()
    }
    known = {name: played for name, played in plan.known.items() if name not in cut}
    return replace(plan, limits=limits, paces=paces, known=known), cut


def _with_nodes(plan: Plan, nodes: int) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with a smaller node budget, and who used more.

    Their moves are taken to be shorter in proportion.
    """
    paces, known = dict(plan.paces), dict(plan.known)
    cut = tuple(name for name, pace in paces.items() if pace.nodes > nodes)
    for name in cut:
        pace, part = paces[name], nodes / paces[name].nodes
        later = tuple(each * part for each in pace.later)
        paces[name] = replace(pace, first=pace.first * part, later=later)
        if name in known:
            known[name] = Known(known[name].games, known[name].seconds * part)
    return replace(plan, paces=paces, known=known), cut
