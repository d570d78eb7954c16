"""The terms on which workers offer lanes, and the reports in which they do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.cluster.software import Software
from arena.contest.machines import Machine
from arena.host.sandbox import Layers


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The needs of a contest, the same for all workers."""

    software: Software
    """The software of the main process, which every worker has to have."""

    modules: tuple[str, ...] = ()
    """Modules that its bots import, beyond Python's own and theirs."""

    memory_mb: int = 0
    """The memory of a bot, in MiB."""

    engine: bool = False
    """True if a bot plays with Arena's engine."""

    places: int | None = None
    """Lanes of a worker, whatever its cores and its memory; only to measure with."""

    @property
    def name(self) -> str:
        """The name of the workers' plugin: contests with the same terms share one."""
        return f"arena-{hashlib.sha256(repr(self).encode()).hexdigest()[:8]}"

    @property
    def resource(self) -> str:
        """Dask's name for a lane on these terms."""
        return f"{self.name}-lane"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A worker's offer. It travels as a mapping of plain values, see `as_plain`."""

    address: str
    """The worker's address."""

    id: str = ""
    """The worker's own name, which no other has."""

    lanes: int = 0
    """The lanes that it offers."""

    why: str = ""
    """Why they are fewer than its threads, a clause about the worker; empty if they are not."""

    differences: tuple[str, ...] = ()
    """Each difference of its software from the main process's, a clause about the worker."""

    threads: int = 0
    """The worker's threads."""

    host: str = ""
    """The name of its machine."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of its software."""

    machine: Mapping[str, Any] = field(default_factory=dict)
    """The fields of a Machine."""

    free_mb: int = 0
    """Memory that is free there, in MiB."""

    layers: str = ""
    """The layers of its sandbox."""

    @property
    def as_plain(self) -> dict[str, Any]:
        """The report as a mapping, for `from_plain`; Dask adds some of its own to it."""
        return {"report": asdict(self)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Report:
        """Return the report that a mapping is made of."""
        known = plain["report"]
        return cls(**{**known, "differences": tuple(known["differences"])})

    def machine_with(self, lanes: int) -> Machine:
        """Return its machine, with so many lanes of it in use."""
        return Machine(**{**self.machine, "lanes": lanes})

    def __str__(self) -> str:
        return f"the worker {self.address} on {self.host}" if self.host else self.address


def layer_names(there: Layers) -> str:
    """Return the layers of a machine's sandbox as a list in words."""
    names = (
        (f"Landlock {there.landlock}", there.landlock),
        ("seccomp", there.seccomp),
        ("user ids", there.uids),
        ("namespaces", there.namespaces),
    )
    return ", ".join(name for name, is_there in names if is_there) or "none"
