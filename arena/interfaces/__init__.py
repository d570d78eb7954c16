"""The bot interfaces that courses use, one module each."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType

from arena.interfaces import agent, lines, make_move, next_move, one_move, pick_move, player
from arena.interfaces.contract import (
    Adapter,
    EntryPoint,
    Interface,
    Overrides,
    Profile,
    Setup,
)
from arena.source.classes import is_unfinished

# The interfaces by name, in the order in which a source is compared with them.
INTERFACES: Mapping[str, Interface] = MappingProxyType(
    {
        interface.NAME: interface
        for interface in (pick_move, next_move, make_move, player, one_move, agent, lines)
    }
)


def find_entry(tree: ast.Module) -> EntryPoint | None:
    """Return the first interface that recognises the source, with the name to enter.

    Returns None if no interface does. A finished function is preferred to a stub. `file` is not
    set.
    """
    stub = None
    for name, interface in INTERFACES.items():
        found = interface.find(tree)
        if found is not None:
            entry = EntryPoint(interface=name, name=found)
            if not is_stub(tree, entry):
                return entry
            stub = stub or entry
    return stub


def is_stub(tree: ast.Module, entry: EntryPoint) -> bool:
    found = [node for node in tree.body if getattr(node, "name", None) == entry.name]
    return any(is_unfinished(node, nothing=[None]) for node in found[-1:])


def profile_of(interface: str) -> Profile:
    return INTERFACES[interface].PROFILE if interface in INTERFACES else Profile.MODULE


def is_program(interface: str) -> bool:
    """Return whether bots of an interface are programs; their nodes cannot be counted."""
    return profile_of(interface) is Profile.PROGRAM


__all__ = [
    "INTERFACES",
    "Adapter",
    "EntryPoint",
    "Interface",
    "Overrides",
    "Profile",
    "Setup",
    "find_entry",
    "is_program",
    "is_stub",
    "profile_of",
]
