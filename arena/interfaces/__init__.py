"""The bot interfaces that courses use, one module each."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType

from arena.interfaces import agent, lines, make_move, next_move, one_move, pick_move, player
from arena.interfaces.contract import Adapter, Entry, Interface, Setup

INTERFACES: Mapping[str, Interface] = MappingProxyType(
    {
        interface.NAME: interface
        for interface in (pick_move, next_move, make_move, player, one_move, agent, lines)
    }
)
"""Every interface by name, in the order in which a bot's source is tried against them."""


def find_entry(tree: ast.Module) -> Entry | None:
    """The first interface that recognises the source, and the name to enter it by."""
    for name, interface in INTERFACES.items():
        found = interface.find(tree)
        if found is not None:
            return Entry(name, found)
    return None


def is_program(interface: str) -> bool:
    """Whether bots of that interface are programs, whose nodes nobody can count."""
    return interface in INTERFACES and INTERFACES[interface].PROFILE == "program"


__all__ = [
    "INTERFACES",
    "Adapter",
    "Entry",
    "Interface",
    "Setup",
    "find_entry",
    "is_program",
]
