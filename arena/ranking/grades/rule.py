"""Grade rules: the form that all of them have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from arena.ranking.grades.field import Field, Ints

TOP = 10
"""The best grade of the rules that have a fixed scale."""

LOWEST = 0
"""The worst grade of every rule."""


class Marks(NamedTuple):
    """What a rule gives the bots of a field."""

    values: Ints
    """The grade of each bot; those of house players mean nothing."""

    why: Callable[[int], str]
    """The reason for a bot's grade, by its index: a clause with the numbers in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A way to grade the bots of a field."""

    needs: tuple[str, ...]
    """House players without which it cannot grade."""

    mark: Callable[[Field], Marks]
    """The grades of a field in which those take part."""
