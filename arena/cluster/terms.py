"""The terms on which workers offer lanes, their reports, and the software that must be the same."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from arena.contest.machines import Machine
from arena.engine.ready import PLAY
from arena.host.sandbox import Layers
from arena.plain import from_plain


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
        return from_plain(cls, {**known, "differences": [*known["differences"]]})

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


COMPARED = ("numpy", "numba")
"""Packages that every contest depends on."""

MISSING = "none"


@dataclass(frozen=True, slots=True)
class Software:
    """Versions on one machine."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """The version of each thing, by its name; MISSING where it is not installed."""

    @classmethod
    def here(cls, modules: Iterable[str] = ()) -> Software:
        """Return what is on this machine, with the packages that these modules are from."""
        versions = {
            "Arena": f"{_version('arena')} ({_sources()})",
            "Python": platform.python_version(),
            "engine": PLAY,
        }
        versions |= {name: _version(name) for name in COMPARED}
        if wanted := sorted(set(modules) - set(COMPARED)):
            known = packages_distributions()
            for module in wanted:
                packages = sorted(set(known.get(module, ())))
                versions[module] = ", ".join(map(_version, packages)) or MISSING
        return cls(versions)

    def differences(self, other: Software) -> Iterator[str]:
        """Yield a clause for each difference of another machine from this one."""
        for name, own in self.versions.items():
            found = other.versions.get(name, MISSING)
            if found != own:
                there = f"has {name} {found}" if found != MISSING else f"has no {name}"
                here = f"here it is {own}" if own != MISSING else "there is none here"
                yield f"{there}, {here}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return MISSING


def _sources() -> str:
    """Return 8 digits over Arena's sources: between two versions they may differ.

    The house players do not count: they are in the package only once it is installed, and travel
    to workers like all bots.
    """
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        if (name := path.relative_to(package)).parts[0] != "bots":
            digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:8]
