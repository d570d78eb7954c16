"""The estimated time of a contest, in words and as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.common.text import SECOND, counted, duration, estimated_duration, some_of
from arena.contest.estimate import BotShare, Estimate

MOST = 5  # bots in one line


def time_line(estimate: Estimate, *, at_most: bool = False) -> str:
    """Return a contest's estimated time: `about 12 min on 2 lanes (9 min to 16 min)`."""
    low, high = estimated_duration(estimate.low), estimated_duration(estimate.high)
    between = f" ({low} to {high})" if low != high else ""
    prefix = "at most about" if at_most else "about"
    duration = estimated_duration(estimate.seconds)
    return f"{prefix} {duration} on {counted(estimate.lanes, 'lane')}{between}"


def slow_lines(estimate: Estimate) -> Iterator[str]:
    """Yield lines about slow bots, and about bots whose speed is unknown."""
    total = sum(share.total for share in estimate.bots.values()) or 1.0
    slow = [name for name in estimate.slow if not estimate.bots[name].limit]
    if slow:
        facts = (_fact(name, estimate.bots[name], total) for name in slow[:MOST])
        more = f"; and {counted(len(slow) - MOST, 'bot')} more" if len(slow) > MOST else ""
        yield f"slow: {'; '.join(facts)}{more}"
    if waiting := [name for name, share in estimate.bots.items() if share.limit]:
        said = "assumed to run out of time"
        yield f"no answer in the time of a trial: {some_of(waiting, MOST)}; {said}"


def estimate_record(estimate: Estimate | None, **facts: Any) -> dict[str, Any]:
    """Return an estimate as plain data; times in seconds, None if unknown."""
    record: dict[str, Any] = {**facts, "seconds": None, "low": None, "high": None, "players": []}
    if estimate is not None:
        total = sum(share.total for share in estimate.bots.values()) or 1.0
        record |= {"seconds": estimate.seconds, "low": estimate.low, "high": estimate.high}
        record["players"] = [
            {
                "name": name,
                "first_move_seconds": share.first,
                "move_seconds": share.move,
                "game_seconds": share.game,
                "share": share.total / total,
                "unanswered": share.limit > 0,
            }
            for name, share in sorted(estimate.bots.items(), key=lambda item: -item[1].total)
        ]
    return record


def _fact(name: str, share: BotShare, total: float) -> str:
    move = f"{duration(share.move * SECOND)} a move"
    if share.first > 2 * share.move:
        move += f" and {duration(share.first * SECOND)} the first"
    return f"{name} {move}, {share.total / total:.0%} of all time"
