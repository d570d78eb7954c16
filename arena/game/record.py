"""The key that identifies a game, and the record that is kept of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import cache, cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from arena.game.limits import Limits
from arena.game.verdict import Proof, Verdict
from arena.interfaces import EntryPoint
from arena.rules import Ruleset

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ENGINE_MB = 256
"""Memory for compiled code and its compiler, in MiB, which others do not have in their process."""

KEY_FORMAT = 2
"""Part of every digest: raised when the same key would no longer give the same game."""

KEYED_RULES = ("rows", "columns", "connect", "goal")
KEYED_LIMITS = ("move_seconds", "first_move_seconds", "load_seconds", "nodes", "memory_mb")
KEYED_OF_ENTRY = ("file", "interface", "name", "node_function", "options", "engine")
KEYED_OF_BOT = ("content_hash", "entry_point", "has_budget")
"""Fields of version 2 of the key. They are in every digest, whatever their values, but for `engine`
and `has_budget`, which a bot's identity names only where they say something."""

UNKEYED_LIMITS = ("nodes_for_all",)
UNKEYED_OF_BOT = ("root", "problem")
"""Fields that change no game of their own: the first is told by each bot's `has_budget`."""


@dataclass(frozen=True, kw_only=True)
class Bot:
    """A bot as a lane needs it: where its files are and how to enter them."""

    content_hash: str
    """Digest of the bot's files, of their names and their bytes."""

    root: str
    """Folder with the files. Not part of the bot's identity."""

    entry_point: EntryPoint = field(default_factory=EntryPoint)
    """The way into its code."""

    problem: str | None = None
    """The reason for which the bot cannot even be tried, if its files already tell."""

    has_budget: bool = True
    """True if the contest's node budget holds for it."""

    @cached_property
    def identity(self) -> str:
        """Everything about the bot that can change a game, as JSON."""
        point = self.entry_point
        engine = [] if point.engine is None else [point.engine]
        budget = [] if self.has_budget else ["no budget"]
        added = _added(self, KEYED_OF_BOT + UNKEYED_OF_BOT) | _added(point, KEYED_OF_ENTRY)
        return _json(
            self.content_hash,
            point.file,
            point.interface,
            point.name,
            point.node_function,
            dict(point.options),
            *engine,
            *budget,
            *([added] if added else []),
        )

    def own(self, limits: Limits) -> Limits:
        """The limits that hold for it: the contest's, but for a house player with the engine.

        That has the nodes of its level, if it is of one, and memory for the engine besides. And
        but for a bot for which no node budget holds.
        """
        if self.entry_point.engine is None:
            return limits if self.has_budget else replace(limits, nodes=None)
        nodes = self.entry_point.options.get("nodes", limits.nodes)
        return replace(limits, nodes=nodes, memory_mb=limits.memory_mb + ENGINE_MB)


NOBODY = Bot(content_hash="", root="")
"""Stands in a game's key for a person: there is nothing to load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameKey:
    """Everything that can change a game. Two equal keys are the same game."""

    rules: Ruleset
    """The rules of the game."""

    limits: Limits
    """The limits of the contest."""

    opening: tuple[int, ...]
    """Columns played before the bots are asked."""

    first: Bot
    """The bot that plays as player 0, who moves first from the empty board."""

    second: Bot
    """The bot that plays as player 1."""

    seed: int
    """The contest's seed."""

    digest: str = field(init=False, compare=False)
    """The key as 32 hexadecimal digits.

    Journals are read and bots are seeded by it, so a key that could be built once must keep its
    digest. A field that is added to the rules, the limits or a bot is therefore left out while
    it has its default value, with which every earlier game was played.
    """

    def __post_init__(self) -> None:
        terms = _terms(self.rules, self.limits, self.seed, self.opening)
        parts = (terms, self.first.identity, self.second.identity)
        digest = sha256("\n".join(parts).encode()).hexdigest()[:32]
        object.__setattr__(self, "digest", digest)

    def bot_seed(self, seat: int) -> int:
        """Seed of one bot's random numbers, 64 bits; `seat` 0 is the first bot's."""
        digest = sha256(f"{self.digest}/{seat}".encode()).digest()
        return int.from_bytes(digest[:8], "little")


def digests(
    rules: Ruleset,
    limits: Limits,
    seed: int,
    openings: Sequence[tuple[int, ...]],
    pairs: Iterable[tuple[Bot, Bot]],
) -> Iterator[bytes]:
    """Yield digests as 16 bytes: of each pair of bots, from each opening, with both sides.

    They are those of the `GameKey`s of these games, which take several times as long to make.
    """
    begun = [sha256(f"{_terms(rules, limits, seed, each)}\n".encode()) for each in openings]
    for one, other in pairs:
        sides = [f"{a.identity}\n{b.identity}".encode() for a, b in ((one, other), (other, one))]
        for terms in begun:
            for bots in sides:
                digest = terms.copy()
                digest.update(bots)
                yield digest.digest()[:16]


def _json(*values: Any) -> str:
    """Values as one line of JSON, the same for equal values."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


@cache
def _terms(rules: Ruleset, limits: Limits, seed: int, opening: tuple[int, ...]) -> str:
    """Everything but the bots as JSON; cached, as all pairings of a contest share it."""
    own = _json(_keyed(rules, KEYED_RULES), _keyed(limits, KEYED_LIMITS, UNKEYED_LIMITS))
    return f"{own}\n{_json(KEY_FORMAT, seed, opening)}"


def _keyed(
    record: DataclassInstance, always: tuple[str, ...], never: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The fields of a record that belong to a key, by name."""
    return {name: getattr(record, name) for name in always} | _added(record, always + never)


def _added(record: DataclassInstance, known: tuple[str, ...]) -> dict[str, Any]:
    """The fields added since version 2 that do not have their default value, by name."""
    added = (field for field in fields(record) if field.name not in known)
    values = ((field, getattr(record, field.name)) for field in added)
    return {field.name: value for field, value in values if value != _default(field)}


def _default(of: Field[Any]) -> Any:
    """The default value of a field; MISSING, which equals nothing, if it has none."""
    return of.default if of.default_factory is MISSING else of.default_factory()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retake:
    """A second try of a game or of a move, after a fault that may not be the bot's own."""

    key: str
    """Digest of the game's key."""

    at: int
    """When the fault was seen, in microseconds since 1970."""

    seat: int
    """Seat of the bot in that game."""

    ply: int
    """The ply of the fault, from 1; 0 if the bot was being loaded."""

    proof: Proof
    """The evidence. With Proof.WORN the bot was asked again alone, else the game was played again.
    """

    reason: str
    """The fault, the predicate of a sentence with the bot as subject."""

    instead: GameRecord | None = field(default=None, compare=False)
    """The game as it is recorded if the bot gets no second try; None for one from a journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """A game that was played. Seats are 0 for the first bot and 1 for the second."""

    key: str
    """Digest of the game's key."""

    columns: Sequence[int]
    """Every legal move from the empty board, the opening included."""

    opening_plies: int
    """Number of `columns` that are the opening."""

    charged_ns: Sequence[int]
    """Charged time of every answer asked for, in turn, a fault's included; nanoseconds."""

    nodes: Sequence[int]
    """Nodes of every answer asked for; -1 for a bot whose search cannot be counted."""

    winner: int | None
    """Seat of the winner; None for a draw, and when neither bot could be loaded."""

    verdict: Verdict
    """The way in which the game ended."""

    reason: str
    """One sentence about the end; a fault's begins with what the loser did."""

    output: str = ""
    """The last of what a faulty bot printed."""

    retakes: tuple[Retake, ...] = field(default=(), compare=False)
    """Second tries on the way to this end, in their order; from a journal without `instead`."""

    @property
    def loser(self) -> int | None:
        """Seat of the loser, or None."""
        return None if self.winner is None else 1 - self.winner

    @property
    def is_game(self) -> bool:
        """True if it counts, which it does unless neither bot could be loaded."""
        return self.winner is not None or not self.verdict.is_fault

    def seat_of_answer(self, index: int) -> int:
        """Return the seat that gave the answer whose time and nodes stand at `index`."""
        return (self.opening_plies + index) % 2
