"""The packages that Arena needs, and their licences, from the metadata of what is installed."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import Message
from importlib.metadata import PackageNotFoundError, metadata, requires
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from arena.common.packages import DISTRIBUTION

EXTRAS = ("", "cluster", "web", "similar", "pictures")
"""The extras that a user may install; the empty one is Arena itself."""


class Dependency(NamedTuple):
    name: str
    version: str
    licence: str
    needed_for: str
    """An extra; empty if Arena itself needs it."""


def dependencies() -> list[Dependency]:
    """Return every installed package that Arena or an extra needs, also indirectly, by name."""
    found: dict[str, Dependency] = {}
    for extra in EXTRAS:
        waiting = [*needs(DISTRIBUTION, extra)]
        while waiting:
            need = waiting.pop()
            name = canonicalize_name(need.name)
            if name in found:
                continue
            try:
                about = metadata(name)
            except PackageNotFoundError:
                continue  # of an extra that is not installed
            found[name] = Dependency(name, about["Version"], licence(about), extra)
            waiting += [each for more in ("", *need.extras) for each in needs(name, more)]
    return sorted(found.values())


def needs(name: str, extra: str) -> Iterator[Requirement]:
    """Yield what an installed package needs here: itself, or one of its extras."""
    for line in requires(name) or ():
        need = Requirement(line)
        here = need.marker is None or need.marker.evaluate({"extra": extra})
        alone = need.marker is None or need.marker.evaluate({"extra": ""})
        if here and alone == (not extra):
            yield need


def licence(about: Message) -> str:
    """Return a package's licence, in its own words."""
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = about.get_all("Classifier") or ()
    names = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    said = " ".join(about.get("License", "").split())
    return ", ".join(names) or said[:60] or "not said"
