"""The record that says how to enter a bot's code, and what an instructor sets in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class InterfaceName(StrEnum):
    """The interfaces, by the names that contest files and tables use."""

    PICK_MOVE = "pick_move"
    NEXT_MOVE = "next_move"
    MAKE_MOVE = "make_move"
    PLAYER = "player"
    ONE_MOVE = "one-move"
    AGENT = "agent"
    LINES = "lines"

    NONE = ""
    """No interface fits, so the bot cannot play."""


class Profile(StrEnum):
    """The kind of code in a bot's process, which decides how that is confined."""

    MODULE = "module"
    """A Python module in this very process: no other program, no other process."""

    PROGRAM = "program"
    """A program of the bot's own, with further processes, all of them in the process group of the
    one confined, which none can leave: killing the group kills them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    """An entry into a bot's code. The same record from the submission to the bot's process."""

    file: str = ""
    """The file to enter, relative to the bot's folder; empty if there is none."""

    interface: InterfaceName = InterfaceName.NONE
    """The interface by which it is called."""

    name: str = ""
    """The class or function to enter; `entry` in contest files."""

    node_function: str | None = None
    """The search function whose calls are nodes; None to find it in the sources."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for the bot's constructor, by parameter name."""

    engine: str | None = None
    """Version of the engine's play, for a house player that plays with it; no other bot may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """An instructor's settings for a bot in the contest file, in place of what is found."""

    file: str | None = None
    """The file to enter, if the bot has several that could be it."""

    interface: InterfaceName | None = None
    """The interface, if the one found is wrong."""

    entry: str | None = None
    """Class or function to enter, if the one found is wrong."""

    node_function: str | None = None
    """The search function whose calls are nodes, if the one found is wrong."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for the bot's constructor, by parameter name."""
