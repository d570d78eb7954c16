"""Presets: complete contest settings by name.

Openings are drawn if Arena has no book for the rules.
"""

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
"""Contests by name. Settings not given here have their defaults.

>>> from arena import PRESETS
>>> print(PRESETS["cs4100"].rules)
8 rows × 8 columns, connect 4
"""


def preset(name: str) -> Contest:
    """Return the preset with this name. Raises InputError."""
    if name not in PRESETS:
        raise InputError(f"preset = {name!r}: {one_of(name, PRESETS)}")
    return PRESETS[name]


def with_preset(name: str, base: Contest) -> Contest:
    """Return `base` with a preset's rules, limits and schedule.

    Bots, and schedule values that are defaults in the preset, stay as in `base`. Raises InputError.
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
