"""Timing bots that were not tried before this run: those of a contest that goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.contest.driver import LaneExecutor
from arena.contest.estimate import expected
from arena.contest.refusals import look_at
from arena.contest.run import Run
from arena.contest.session import Session
from arena.referee import Bot

WORTH_TIMING = 10
"""From so many games for each bot on it pays to time them, which takes as long as one game."""


def untimed(session: Session, run: Run) -> Mapping[str, Bot]:
    """Return the bots that play and of which nobody knows how long they take, by identity.

    None where few games are left: those are played sooner than in a good order.
    """
    names, bots = session.contest.playing.keys() - run.retired.keys(), session.bots
    found = {bots[name].identity: bots[name] for name in sorted(names)}
    new = {identity: bot for identity, bot in found.items() if identity not in session.timed}
    return new if run.missing > WORTH_TIMING * len(new) else {}


def time_bots(session: Session, run: Run, executor: LaneExecutor) -> Iterator[str]:
    """Time them, so that the run plays long games first and quick ones together.

    Yields the identity of each.
    """
    new = untimed(session, run)
    for identity, (_, pace, _) in look_at(new, session.contest, executor, new.keys()):
        if pace is not None:
            session.timed[identity] = pace
        yield identity
    run.expect(*expected(session.contest, session.paces))
