"""Executors on which commands play: this machine's lanes, or what an option names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.common.errors import InputError
from arena.common.home import at_home
from arena.contest.session import Session
from arena.intake.facts import imported_modules
from arena.intake.submission import read_submission
from arena.playing.batches import open_lanes, plan_lanes
from arena.playing.driver import LaneExecutor

if TYPE_CHECKING:
    from arena.cluster.terms import ClusterTerms


class ExecutorKind(NamedTuple):
    name: str
    metavar: str
    words: str
    lanes: str
    check: Callable[[str], None]
    opened: Callable[[Session, str], AbstractContextManager[LaneExecutor]]


def terms_of(session: Session, places: int | None = None) -> ClusterTerms:
    """Return what a session's contest needs from a cluster. Raises StorageError."""
    from arena.cluster.terms import ClusterTerms, Software

    known = {each.content_hash: each for each in session.submissions.values()}
    modules: set[str] = set()
    for bot in session.bots.values():
        submission = known.get(bot.content_hash) or read_submission(Path(bot.root))
        modules |= imported_modules(submission)
    return ClusterTerms(
        software=Software.here(modules),
        modules=tuple(sorted(modules)),
        memory_mb=session.contest.limits.memory_mb,
        engine=session.contest.needs_engine,
        places=places,
    )


def _check_cluster(place: str) -> None:
    from arena.cluster.connection import ClusterAddress, require_distributed

    ClusterAddress.parse(place)
    require_distributed()


def _open_cluster(session: Session, place: str) -> AbstractContextManager[LaneExecutor]:
    from arena.cluster.connection import ClusterAddress
    from arena.cluster.start import open_cluster

    return open_cluster(ClusterAddress.parse(place), terms_of(session))


# Every command that plays gets an option for each of these kinds.
EXECUTORS = (
    ExecutorKind(
        "cluster",
        "ADDRESS",
        "Play on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, or local:N "
        "for N workers on this machine.",
        "--lanes is for this machine; a cluster has those of its workers",
        _check_cluster,
        _open_cluster,
    ),
)


def require_sandbox(kind: ExecutorKind) -> None:
    if at_home():
        raise InputError(f"home mode plays on this machine; leave out --{kind.name}")


class Elsewhere(NamedTuple):
    kind: ExecutorKind
    place: str


def executor_of(
    session: Session, lanes: int | None, elsewhere: Elsewhere | None, say: Callable[[str], object]
) -> AbstractContextManager[LaneExecutor]:
    if elsewhere is None:
        cores, remarks = plan_lanes(lanes, session.contest.limits)
        for remark in remarks:
            say(remark)
        return open_lanes(cores)
    if lanes is not None:
        raise InputError(elsewhere.kind.lanes)
    require_sandbox(elsewhere.kind)
    return elsewhere.kind.opened(session, elsewhere.place)
