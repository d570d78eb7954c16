"""The terms on which a bot played, stored in its author's game file.

The author can ask the bot again on these terms, without the contest's folder.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from arena.common.errors import InputError
from arena.common.plain import Table
from arena.game.limits import Limits
from arena.interfaces import InterfaceName, Overrides
from arena.machine.facts import Machine
from arena.settings.contest import Contest

SETTINGS = ("file", "entry", "node_function")  # names of overrides that are texts
MAX_OPTIONS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTerms:
    limits: Limits

    overrides: Overrides
    """The instructor's settings for the bot."""

    content_hash: str

    likeness: str
    """See `Submission.likeness`; empty if unknown."""

    python: str = ""
    """The version of Python; empty if unknown."""

    numpy: str = ""
    """The version of numpy; empty if unknown."""


def terms_of(contest: Contest, bot: str, machine: Machine | None) -> BotTerms:
    """Return the terms on which a bot played; `machine` is the last one that played."""
    entry = contest.bots[bot]
    return BotTerms(
        limits=contest.limits,
        overrides=entry.overrides,
        content_hash=entry.content_hash or "",
        likeness=entry.likeness,
        python="" if machine is None else machine.python,
        numpy="" if machine is None else machine.numpy,
    )


def plain_terms(terms: BotTerms) -> dict[str, Any]:
    """Return the terms as plain data for the game file.

    Leaves out options that are no numbers or texts, and texts that may be paths.
    """
    overrides = terms.overrides
    options = {
        name: value
        for name, value in overrides.options.items()
        if type(value) in (int, float, bool) or (type(value) is str and "/" not in value)
    }
    settings = {name: getattr(overrides, name) for name in SETTINGS}
    return {
        "limits": asdict(terms.limits),
        "interface": None if overrides.interface is None else overrides.interface.value,
        "options": options,
        **settings,
        "content_hash": terms.content_hash,
        "likeness": terms.likeness,
        "python": terms.python,
        "numpy": terms.numpy,
    }


def read_terms(table: Table) -> BotTerms:
    """Return the terms in a game file's table. Raises InputError."""
    settings = {name: table.text(name) for name in SETTINGS if table.values.get(name) is not None}
    interface = None
    if table.values.get("interface") is not None:
        name = table.text("interface")
        if name not in [*InterfaceName]:
            table.refuse("interface", f"one of {', '.join(filter(None, InterfaceName))}")
        interface = InterfaceName(name)
    options = table.table("options").values
    if len(options) > MAX_OPTIONS:
        table.refuse("options", f"at most {MAX_OPTIONS}")
    return BotTerms(
        limits=_limits(table.table("limits")),
        overrides=Overrides(interface=interface, options=dict(options), **settings),
        content_hash=table.text("content_hash"),
        likeness=table.text("likeness"),
        python=table.text("python"),
        numpy=table.text("numpy"),
    )


def _limits(table: Table) -> Limits:
    """Return the limits; a limit that the file of an earlier Arena lacks gets its default."""
    values: dict[str, Any] = {}
    for each in fields(Limits):
        kind = type(each.default)
        if each.name not in table.values:
            continue
        if table.values[each.name] is None and each.name == "nodes":
            values[each.name] = None
        elif kind is float:
            values[each.name] = table.seconds(each.name)
        elif kind is bool:
            values[each.name] = table.truth(each.name)
        else:
            values[each.name] = table.number(each.name, 1, each.metadata["most"])
    try:
        return Limits(**values)
    except ValueError as error:
        raise InputError(f"{table.place}: {error}") from None
