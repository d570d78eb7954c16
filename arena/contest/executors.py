"""The executors on which commands play: this machine's lanes, or one that an option names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from arena.contest.driver import LaneExecutor
from arena.contest.lanes import Lanes, plan_lanes
from arena.errors import InputError

if TYPE_CHECKING:
    from arena.contest.session import Session


class ExecutorKind(NamedTuple):
    """A kind of executor other than this machine's lanes."""

    name: str
    """Its option, without the dashes."""

    metavar: str
    """What its option takes."""

    words: str
    """What commands' help says of it."""

    lanes: str
    """Why `--lanes` does not go with it."""

    home: str
    """The module with `check(place)`, which raises InputError for a place that cannot be one, and
    `opened(session, place)`; imported when it is asked for."""


EXECUTORS = (
    ExecutorKind(
        "cluster",
        "ADDRESS",
        "Play on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, a scheduler file, or local:N "
        "for N workers on this machine.",
        "--lanes is for this machine; a cluster has those of its workers",
        "arena.contest.on_cluster",
    ),
)
"""The kinds. A further one is a row and a module; every command that plays has its option."""


class Elsewhere(NamedTuple):
    """An executor that an option names."""

    kind: ExecutorKind
    """Its kind."""

    place: str
    """What was typed."""


def executor_of(
    session: Session, lanes: int | None, elsewhere: Elsewhere | None, say: Callable[[str], object]
) -> AbstractContextManager[LaneExecutor]:
    """Return the executor to play a session on; `say` gets the remarks on its lanes.

    Raises InputError.
    """
    if elsewhere is None:
        cores, remarks = plan_lanes(lanes, session.contest.limits)
        for remark in remarks:
            say(remark)
        return Lanes(cores)
    if lanes is not None:
        raise InputError(elsewhere.kind.lanes)
    opening: AbstractContextManager[LaneExecutor] = import_module(elsewhere.kind.home).opened(
        session, elsewhere.place
    )
    return opening
