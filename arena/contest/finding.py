"""Findings: what a check of a contest's folder found to be wrong."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a contest's folder that is not as it must be."""

    where: str
    """The file, relative to the folder, perhaps with a game or a row of it."""

    what: str
    """What is wrong there, a predicate."""

    repair: str | None = None
    """What to do, an imperative; None if nothing can be done."""


REPAIR = "--repair"
"""The option that repairs, as sentences name it."""
