"""Confining a process of Arena's own that reads untrusted files.

The process runs none of their code, but a small file can cost a parser minutes and gigabytes. So
its time and memory are limited. It reads only the given files and Python's own, and can start and
write nothing. It answers on one channel.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterable

from arena.host.sandbox import confining, landlock, seccomp
from arena.host.sandbox.kernel import prctl

CHANNEL = 3  # Descriptor of the channel to the caller.
OPEN_FILES = 32

# Wall time after which the process is killed: by then it can only be waiting for a lost disk.
PATIENCE_SECONDS = 600


def rehearse(layers: confining.Layers) -> None:
    """Do what is slow the first time; called once, before any fork."""
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
    """Turn a fork into a process that only reads. Raises OSError if a layer fails.

    The fork keeps only `channel`, as descriptor CHANNEL. SIGXCPU kills it after `seconds` of CPU.
    Python raises MemoryError in it above `memory` bytes of data.
    """
    rules = _rules(readable) if layers.landlock else None
    null = os.open(os.devnull, os.O_WRONLY)
    rules = confining.keep_only(null, channel, rules=rules)
    # SIGXCPU tells the cause; the hard limit's SIGKILL, a second later, may come from others too
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
    reads = int(landlock.READ)
    places = [os.open(path, os.O_PATH) for path in paths]
    rules = [(place, reads & rights) for place, rights in landlock.readable(landlock.READABLE)]
    fd = landlock.ruleset([*rules, *((place, reads) for place in places)])
    for place in places:
        os.close(place)
    return fd
