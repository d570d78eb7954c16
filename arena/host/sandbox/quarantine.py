"""Confining a process of Arena's own that reads strangers' files: it can read them and answer.

It runs none of their code. But parsers have faults, and a small file can cost them minutes and
gigabytes: so it has a limit of time and of memory, sees no file but those it is to read and
Python's own, and can start nothing, write nothing and speak to nobody but by its one channel.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterable

from arena.host.sandbox import confining, landlock, seccomp
from arena.host.sandbox.kernel import prctl

CHANNEL = confining.CHANNEL
"""Descriptor of the channel to whoever asked."""

OPEN_FILES = 32

PATIENCE_SECONDS = 600
"""By the clock: a process that neither computes nor ends by then waits for a disk that is gone."""


def rehearse(layers: confining.Layers) -> None:
    """Prepare, before any fork, everything that takes long the first time."""
    if layers.landlock:
        os.close(_rules(()))
    if layers.seccomp:
        seccomp.program_for(programs=False, create=seccomp.REFUSE, signals=False)


def confine(
    *,
    channel: int,
    parent: int,
    readable: Iterable[str],
    seconds: int,
    memory: int,
    layers: confining.Layers,
) -> None:
    """Turn a fork into a process that reads. Raises OSError if a layer fails.

    Keeps `channel` as descriptor CHANNEL and no other. `seconds` of computing and `memory` in bytes
    of data are its limits: it is killed by SIGXCPU, or what needs more memory raises MemoryError.
    """
    rules = _rules(readable) if layers.landlock else None
    null = os.open(os.devnull, os.O_WRONLY)
    rules = confining.keep_only(channel, null, null, rules)
    # the second is a grace in which SIGXCPU ends it; the hard limit would kill as others do
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    signal.alarm(PATIENCE_SECONDS)
    confining.limit(resource.RLIMIT_DATA, memory)
    confining.limit(resource.RLIMIT_FSIZE, 0)
    confining.limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    confining.limit(resource.RLIMIT_CORE, 0)
    confining.die_with_parent(parent)
    prctl(confining.PR_SET_NO_NEW_PRIVS, 1)
    if rules is not None:
        landlock.restrict(rules)
    if layers.seccomp:
        os.close(seccomp.restrict(programs=False, create=seccomp.REFUSE, signals=False))
        seccomp.seal()


def _rules(paths: Iterable[str]) -> int:
    """Landlock's rules, as a descriptor: to read these paths, and what Python is made of."""
    reads = int(landlock.READ)
    places = [os.open(path, os.O_PATH) for path in paths]
    rules = [(place, reads & rights) for place, rights in landlock.readable(landlock.READABLE)]
    fd = landlock.ruleset([*rules, *((place, reads) for place in places)])
    for place in places:
        os.close(place)
    return fd
