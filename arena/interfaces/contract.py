"""The parts of an interface, and the records that it shares with Arena."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from arena.common.names import house_folder
from arena.rules import Ruleset


class Profile(StrEnum):
    """The kind of a bot, which decides how it is sandboxed."""

    MODULE = "module"
    """A Python module in the bot's process, which starts no other processes."""

    PROGRAM = "program"
    """A program, which may start further processes.

    All are in one process group that none can leave, so killing the group ends them all.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    file: str = ""
    interface: str = ""
    """A name in `INTERFACES`; empty if none fits, so the bot cannot play."""

    name: str = ""
    """Class or function to enter; `entry` in contest files."""

    node_function: str | None = None
    """Name of the search function whose calls are nodes; None to find it in the sources."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for the bot's constructor, by parameter name."""

    engine: str | None = None
    """Version of the engine's play; None for bots without the engine."""

    description: str = ""
    """The interface's description as JSON; empty for the interfaces of `BY_NAME`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """An instructor's settings for a bot in the contest file; None to detect a value."""

    file: str | None = None
    """The file to enter, if several could be the bot."""

    interface: str | None = None
    """The interface, if the detected one is wrong."""

    entry: str | None = None
    """The class or function, if the detected one is wrong."""

    node_function: str | None = None
    """The search function whose calls are nodes, if the detected one is wrong."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for the bot's constructor, by parameter name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The game, as far as the bot may know it."""

    rules: Ruleset

    player: int
    """0 if the bot moves first, else 1."""

    nodes: int | None
    options: Mapping[str, object]

    move_seconds: float = 30.0
    """Limit for one move, in charged seconds."""

    count: Callable[[int], None] | None = None
    """House players with the engine report the nodes of a move here."""

    sources: Callable[[], Mapping[str, ast.Module]] = dict
    """Returns the syntax trees of the bot's own files, by import name."""

    remark: Callable[..., None] = lambda text, instead=False: None
    """Records the rest of a sentence about the bot: `remark("sees its own board")`.

    With True as second argument: the bot got the course's class instead; faults then mention this.
    """


class Adapter(Protocol):
    def see(self, player: int, column: int) -> None:
        """Show the bot a disc of `player`, itself or its opponent."""

    def pick(self) -> object:
        """Ask the bot for its move; return the unchecked answer."""


class Interface(Protocol):
    """A way to call students' bots; a module of this package."""

    NAME: str
    PROFILE: Profile

    @property
    def HAS_BUDGET(self) -> bool:
        """Whether its courses limit nodes; if not, only the limit `nodes_for_all` does."""

    @property
    def MOVES(self) -> tuple[str, ...]:
        """Possible names of the method that moves, in a class to enter."""

    def find(self, tree: ast.Module) -> str | None:
        """Return the name of the class or function that plays; None if there is none."""

    def fit(self, tree: ast.Module, name: str) -> int:
        """Return how exactly the interface describes a bot that `find` found."""

    def refuses(self, rules: Ruleset) -> str | None:
        """Return why no bot can play by these rules, as a clause; None if bots can."""

    def adapt(self, entry: Any, setup: Setup) -> Adapter:
        """Return the bot's adapter for one game.

        `entry` is the class or function as first defined, even if its name was assigned again; for
        a program, its file relative to the working directory. Raises UnsuitableError, and anything
        that the bot's own code raises.
        """


# The modules that courses give to bots, in a folder for each interface.
#
# A bot's import path has them after its own folders, so a module of the submission with the same
# name is imported instead. They are loaded again for every game, as the bot's own modules are.
COURSES = house_folder() / "support"


def starter(interface: str) -> str:
    return (COURSES / "starters" / f"{interface}.py").read_text("utf-8")


def course_folder(interface: str) -> Path | None:
    found = COURSES / interface
    return found if found.is_dir() else None


def course_modules(interface: str) -> frozenset[str]:
    found = course_folder(interface)
    return frozenset(path.stem for path in found.glob("*.py")) if found else frozenset()


def course_compiler(interface: str) -> Path | None:
    """Return the program that compiles a course's numba functions; None without any."""
    found = COURSES / interface / "compiled_by_numba.py"
    return found if found.is_file() else None


def is_course_file(path: str) -> bool:
    return Path(path).is_relative_to(COURSES)
