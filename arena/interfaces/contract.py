"""What every bot interface must have, and the records that it shares with the rest.

`EntryPoint` says how to enter a bot's code, `Overrides` what an instructor sets in it, `Setup`
which game it is brought to.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from arena.rules import Ruleset


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The game that a bot is brought to, as far as the bot may know it."""

    rules: Ruleset
    """The rules of the game."""

    player: int
    """0 if the bot has the first disc of the game, else 1."""

    nodes: int | None
    """The contest's node budget for one move; None for no budget."""

    options: Mapping[str, object]
    """The contest file's `options` of this bot, by parameter name."""

    move_seconds: float = 30.0
    """The contest's limit for one move, in charged seconds."""

    count: Callable[[int], None] | None = None
    """Called by a house player with Arena's engine, with the positions that it searched."""

    sources: Callable[[], Mapping[str, ast.Module]] = dict
    """Returns the syntax trees of the bot's own files, by the name that each can be imported by."""

    remark: Callable[..., None] = lambda text, instead=False: None
    """Called with a predicate about what the bot was given: `remark("sees its own board")`.

    With `instead` that is the course's in place of its own, and faults mention it."""


def plays_all(rules: Ruleset) -> str | None:
    """`refuses` of an interface whose boards come in all sizes."""
    return None


class Adapter(Protocol):
    """Stands between the referee and a bot for one game: shows it the discs, asks for its moves."""

    def see(self, player: int, column: int) -> None:
        """A disc of `player` falls in `column`: the opponent's or the bot's own."""

    def pick(self) -> object:
        """Ask the bot for its move; return its answer unread."""


class Interface(Protocol):
    """A way in which students' bots are called. Implemented by a module of this package."""

    NAME: InterfaceName
    """The interface's name in contest files and tables."""

    PROFILE: Profile
    """What is run in the process of its bots."""

    HAS_BUDGET: bool
    """Whether its courses limit the nodes of a move; if not, no budget holds unless one is asked
    for, see `Limits.nodes_for_all`."""

    MOVES: tuple[str, ...]
    """Names of the method that picks a move when the entry is a class."""

    STARTER: str
    """Source of a small bot of this kind, for `arena new`."""

    def find(self, tree: ast.Module) -> str | None:
        """Return the class or function of this source that the host should enter, if it has one."""

    def refuses(self, rules: Ruleset) -> str | None:
        """Return why no bot of this kind can play by these rules, as a clause; None if it can."""

    def adapt(self, entry: Any, setup: Setup) -> Adapter:
        """Bring the bot to a game. Raises UnsuitableError, and whatever its own code raises.

        `entry` is the class or function to enter, as it was defined, whatever its name stands for
        by the end of the module; of a program the name of its file, relative to the working
        directory.
        """
