"""The needs of a contest: what every machine that plays it must have."""

from __future__ import annotations

from pathlib import Path

from arena.cluster.terms import Software, Terms
from arena.contest.session import Session
from arena.intake import read_submission
from arena.intake.imports import imported_modules


def terms_of(session: Session, places: int | None = None) -> Terms:
    """Return the terms on which a session's contest is played. Raises StorageError.

    `places` is the number of lanes of every worker, whatever it has room for; only to measure.
    """
    known = {each.content_hash: each for each in session.submissions.values()}
    modules: set[str] = set()
    for bot in session.bots.values():
        submission = known.get(bot.content_hash) or read_submission(Path(bot.root))
        modules |= imported_modules(submission)
    return Terms(
        software=Software.here(modules),
        modules=tuple(sorted(modules)),
        memory_mb=session.contest.limits.memory_mb,
        engine=session.contest.needs_engine,
        places=places,
    )
