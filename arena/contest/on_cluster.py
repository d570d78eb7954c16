"""A contest on a cluster: what every machine that plays it must have, and opening it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from arena.cluster.connection import Place
from arena.cluster.executor import ClusterExecutor
from arena.cluster.start import open_cluster, require_distributed
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


def check(place: str) -> None:
    """Raise InputError for what names no cluster, or where Dask is not installed."""
    Place.parse(place)
    require_distributed()


def opened(session: Session, place: str) -> AbstractContextManager[ClusterExecutor]:
    """Return the cluster there, to play a session on."""
    return open_cluster(Place.parse(place), terms_of(session))
