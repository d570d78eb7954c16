"""Presets: complete contest settings by name. Without a book openings are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType

from arena.common.errors import InputError
from arena.common.names import one_of
from arena.rules import RULESETS
from arena.settings.contest import Contest, Schedule

PRESETS: Mapping[str, Contest] = MappingProxyType(
    {
        "classic": Contest(rules=RULESETS["classic"]),
        "cs4100": Contest(rules=RULESETS["cs4100"]),
        "max": Contest(rules=RULESETS["max"]),
    }
)
"""Contests by name. Unnamed settings have their defaults.

>>> from arena import PRESETS
>>> print(PRESETS["cs4100"].rules)
8 rows × 8 columns, connect 4
"""


def preset(name: str) -> Contest:
    """Return the preset of that name. Raises InputError."""
    if name not in PRESETS:
        raise InputError(f"preset = {name!r}: {one_of(name, PRESETS)}")
    return PRESETS[name]


def with_preset(name: str, base: Contest) -> Contest:
    """Return `base` with a preset's rules, limits and schedule.

    Default values of the preset's schedule, and its bots, do not replace those of `base`. Raises
    InputError.
    """
    chosen = preset(name)
    stated = {
        field.name: value
        for field in fields(Schedule)
        if (value := getattr(chosen.schedule, field.name)) != field.default
    }
    try:
        planned = replace(base.schedule, **stated)
    except ValueError as error:
        raise InputError(f"preset {name}: {error}") from None
    return replace(base, rules=chosen.rules, limits=chosen.limits, schedule=planned)
