"""The software on which games depend: it has to be the same on every machine of a cluster."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from arena.engine.version import PLAY

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
