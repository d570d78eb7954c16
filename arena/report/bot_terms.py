"""The terms on which a bot played, as a file for its author tells them: so that it can be asked the
same again where the contest is not."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from arena.common.errors import InputError
from arena.common.plain import Table
from arena.game.limits import Limits
from arena.interfaces import InterfaceName, Overrides
from arena.machine.facts import Machine
from arena.settings.contest import Contest

SETTINGS = ("file", "entry", "node_function")
"""What an instructor may have set in a bot besides its interface and options: texts."""

MAX_OPTIONS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTerms:
    """The terms on which a bot played."""

    limits: Limits
    """The limits of the contest."""

    overrides: Overrides
    """What the instructor had set in the bot."""

    content_hash: str
    """Digest of its files."""

    likeness: str
    """The same for bots that play the same for sure, see `Submission`; empty if unknown."""

    python: str = ""
    """The version of Python that it played with; empty if none is known."""

    numpy: str = ""
    """The version of numpy, likewise."""


def terms_of(contest: Contest, bot: str, machine: Machine | None) -> BotTerms:
    """Return the terms on which a bot of a contest played, last on this machine."""
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
    """Return the terms as the file has them.

    Options that are no plain values stay out, and texts that may be paths of the instructor's
    machine.
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
    """Return the terms that a file has. Raises InputError."""
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
    """Return the limits; one that is missing was not there yet when the file was written."""
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
