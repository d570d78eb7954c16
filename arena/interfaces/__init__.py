"""The bot interfaces: descriptions in `courses/`, and modules for programs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from arena.interfaces import lines, one_move
from arena.interfaces.agent import Agent
from arena.interfaces.contract import Adapter as Adapter
from arena.interfaces.contract import EntryPoint as EntryPoint
from arena.interfaces.contract import Interface as Interface
from arena.interfaces.contract import Overrides as Overrides
from arena.interfaces.contract import Profile as Profile
from arena.interfaces.contract import Setup as Setup
from arena.interfaces.described import Described
from arena.interfaces.make_move import MakeMove
from arena.interfaces.pick_move import PickMove
from arena.source.classes import is_unfinished

Interfaces = Mapping[str, Interface]
Descriptions = Mapping[str, str]  # An instructor's own interfaces: JSON texts by name.
NO_DESCRIPTIONS: Descriptions = MappingProxyType({})
DESCRIPTIONS = Path(__file__).with_name("courses")

# Fits, see `Finder`. A `player` beside a function of an observation is less exact than an agent.
EXACT, PLAYER, VAGUE = 12, 10, 3


def _shipped(kind: type[Described], name: str, fit: int = 0) -> Described:
    return kind(name, DESCRIPTIONS / f"{name}.toml", fit)


# In the order in which a source is compared with them. Keys of games have only the names of these;
# they have the whole text of other descriptions.
BY_NAME: Interfaces = MappingProxyType(
    {
        "pick_move": _shipped(PickMove, "pick_move", EXACT),
        "next_move": _shipped(Described, "next_move", EXACT),
        "make_move": _shipped(MakeMove, "make_move", EXACT),
        "player": _shipped(Described, "player", PLAYER),
        one_move.NAME: one_move,
        "agent": _shipped(Agent, "agent", VAGUE),
        lines.NAME: lines,
    }
)
_NAMES = sorted(path.stem for path in DESCRIPTIONS.glob("*.toml"))
INTERFACES: Interfaces = MappingProxyType(
    {**BY_NAME, **{name: _shipped(Described, name) for name in _NAMES if name not in BY_NAME}}
)


def load_descriptions() -> None:
    """Read the shipped descriptions, so that processes forked later have them."""
    for interface in INTERFACES.values():
        if isinstance(interface, Described):
            interface.load()


def with_own(own: Descriptions) -> Interfaces:
    return {**{name: Described(name, text) for name, text in own.items()}, **INTERFACES}


def find_entry(tree: ast.Module, known: Interfaces = INTERFACES) -> EntryPoint | None:
    """Return the interface that fits a source best, with the name to enter, or None.

    A finished function is preferred to a stub, then the more exact interface, then the first.
    """
    found = [
        entry_point(interface, name)
        for interface in known.values()
        if (name := interface.find(tree)) is not None
    ]
    return max(
        found,
        key=lambda entry: (not is_stub(tree, entry), known[entry.interface].fit(tree, entry.name)),
        default=None,
    )


def entry_point(interface: Interface, name: str) -> EntryPoint:
    """Return the entry point `name` of a bot; `file` is not set."""
    text = ""
    if isinstance(interface, Described) and interface.NAME not in BY_NAME:
        text = interface.text
    return EntryPoint(interface=interface.NAME, name=name, description=text)


def interface_of(point: EntryPoint) -> Interface:
    """Return a bot's interface. Raises KeyError if it has none."""
    shipped = INTERFACES.get(point.interface)
    if not point.description:
        return BY_NAME[point.interface]
    if isinstance(shipped, Described) and shipped.text == point.description:
        return shipped  # it may be loaded already
    return _described(point.interface, point.description)


def begins_empty(point: EntryPoint) -> bool:
    interface = interface_of(point) if point.interface else None
    return isinstance(interface, Described) and interface.description.move.only_opponent


_described = lru_cache(100)(Described)


def is_stub(tree: ast.Module, entry: EntryPoint) -> bool:
    found = [node for node in tree.body if getattr(node, "name", None) == entry.name]
    return any(is_unfinished(node, nothing=[None]) for node in found[-1:])


def profile_of(interface: str) -> Profile:
    return BY_NAME[interface].PROFILE if interface in BY_NAME else Profile.MODULE


def is_program(interface: str) -> bool:
    """Return whether bots of an interface are programs; their nodes cannot be counted."""
    return profile_of(interface) is Profile.PROGRAM
