"""The key that identifies a game, and the record of its result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from arena.game.limits import Limits
from arena.game.verdict import Proof, Verdict
from arena.interfaces import EntryPoint
from arena.rules import Ruleset

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ENGINE_MB = 256  # Memory for the engine's compiled code and compiler, in MiB.
# Part of every digest. Raise this version when an equal key no longer means an equal game.
KEY_FORMAT = 2
# Fields of version 2 of the key. Every digest contains them, whatever their values, except `engine`
# and `has_budget`, which are left out at their defaults.
KEYED_RULES = ("rows", "columns", "connect", "goal")
KEYED_LIMITS = ("move_seconds", "first_move_seconds", "load_seconds", "nodes", "memory_mb")
KEYED_OF_ENTRY = ("file", "interface", "name", "node_function", "options", "engine")
KEYED_OF_BOT = ("content_hash", "entry_point", "has_budget")
# Fields that change no game. `nodes_for_all` only acts through each bot's `has_budget`.
UNKEYED_LIMITS = ("nodes_for_all",)
UNKEYED_OF_BOT = ("root", "problem")


@dataclass(frozen=True, kw_only=True)
class Bot:
    """A bot as a lane needs it: where its files are and how to enter them."""

    content_hash: str
    """Digest of the names and bytes of its files."""

    root: str
    """Folder with the bot's files. Not part of `identity`."""

    entry_point: EntryPoint = field(default_factory=EntryPoint)

    problem: str | None = None
    """Why the bot cannot be loaded, if its files already show that; else None."""

    has_budget: bool = True
    """True if the contest's node budget applies to this bot."""

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
        """Return the contest's limits as they apply to this bot.

        A house player with the engine gets more memory and the nodes of its level. A bot without a
        budget gets `nodes=None`.
        """
        if self.entry_point.engine is None:
            return limits if self.has_budget else replace(limits, nodes=None)
        nodes = self.entry_point.options.get("nodes", limits.nodes)
        return replace(limits, nodes=nodes, memory_mb=limits.memory_mb + ENGINE_MB)


NOBODY = Bot(content_hash="", root="")  # Stands for a person in a game's key; cannot be loaded.


@dataclass(frozen=True, slots=True, kw_only=True)
class GameKey:
    """Everything that can change a game. Two equal keys mean the same game."""

    rules: Ruleset
    limits: Limits

    opening: tuple[int, ...]
    """Columns played before the bots move."""

    first: Bot
    """Player 0, who moves first from the empty board."""

    second: Bot
    seed: int

    digest: str = field(init=False, compare=False)
    """A hash of the key, as 32 hexadecimal digits.

    A key must keep its digest for ever: journals and seeds depend on it. So a field that was added
    later to rules, limits or bots is left out at its default, with which all earlier games were
    played.
    """

    def __post_init__(self) -> None:
        terms = _terms(self.rules, self.limits, self.seed, self.opening)
        parts = (terms, self.first.identity, self.second.identity)
        digest = sha256("\n".join(parts).encode()).hexdigest()[:32]
        object.__setattr__(self, "digest", digest)

    def bot_seed(self, seat: int) -> int:
        digest = sha256(f"{self.digest}/{seat}".encode()).digest()
        return int.from_bytes(digest[:8], "little")


def digests(
    rules: Ruleset,
    limits: Limits,
    seed: int,
    openings: Sequence[tuple[int, ...]],
    meetings: Iterable[tuple[Bot, Bot, Iterable[int]]],
) -> Iterator[bytes]:
    """Yield the 16-byte digest of each game of the meetings: each opening, both sides.

    A meeting is two bots and the indices of their openings in `openings`.
    Equal to the digests of `GameKey`s, and several times faster to make.
    """
    begun = [sha256(f"{_terms(rules, limits, seed, each)}\n".encode()) for each in openings]
    for one, other, played in meetings:
        sides = [f"{a.identity}\n{b.identity}".encode() for a, b in ((one, other), (other, one))]
        for opening in played:
            for bots in sides:
                digest = begun[opening].copy()
                digest.update(bots)
                yield digest.digest()[:16]


def _json(*values: Any) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


@cache
def _terms(rules: Ruleset, limits: Limits, seed: int, opening: tuple[int, ...]) -> str:
    own = _json(_keyed(rules, KEYED_RULES), _keyed(limits, KEYED_LIMITS, UNKEYED_LIMITS))
    return f"{own}\n{_json(KEY_FORMAT, seed, opening)}"


def _keyed(
    record: DataclassInstance, always: tuple[str, ...], never: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {name: getattr(record, name) for name in always} | _added(record, always + never)


def _added(record: DataclassInstance, known: tuple[str, ...]) -> dict[str, Any]:
    """Return, by name, the fields added since version 2 that do not have their default."""
    added = {}
    for each in fields(record):
        default = each.default if each.default_factory is MISSING else each.default_factory()
        value = getattr(record, each.name)
        if each.name not in known and value != default:
            added[each.name] = value
    return added


@dataclass(frozen=True, slots=True, kw_only=True)
class Retake:
    """A game or move played again after a fault that may not be the bot's own."""

    key: str

    at: int
    """Microseconds since 1970."""

    seat: int

    ply: int
    """The fault's ply, from 1; 0 while the bot was being loaded."""

    proof: Proof
    """The evidence. With Proof.WORN only the move is played again."""

    reason: str
    """The fault, as a sentence without its subject, the bot."""

    instead: GameRecord | None = field(default=None, compare=False)
    """The record without the retry; None if read from a journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """A finished game. Seats are 0 for the first bot and 1 for the second.

    >>> from arena import play
    >>> record = play("random", "quartets", opening=[3, 3], seed=1)
    >>> record.columns[:2], record.opening_plies
    ((3, 3), 2)
    >>> len(record.charged_ns) == len(record.columns) - record.opening_plies
    True
    """

    key: str

    columns: Sequence[int]
    """Every legal move from the empty board, including the opening."""

    opening_plies: int

    charged_ns: Sequence[int]
    """Charged nanoseconds of every answer in order, including a fault's."""

    nodes: Sequence[int]
    """Nodes of every answer in order; -1 if they cannot be counted."""

    winner: int | None
    """Seat of the winner; None for a draw, or if neither bot could be loaded."""

    verdict: Verdict

    reason: str
    """One sentence; for a fault it begins with what the loser did."""

    output: str = ""
    """The end of what the faulty bot printed."""

    retakes: tuple[Retake, ...] = field(default=(), compare=False)
    """Retries in order; those read from a journal lack `instead`."""

    place: str | None = field(default=None, compare=False)
    """Machine and core of the lane, `lab3/5`; None if unknown."""

    @property
    def loser(self) -> int | None:
        return None if self.winner is None else 1 - self.winner

    @property
    def is_game(self) -> bool:
        """False if neither bot could be loaded."""
        return self.winner is not None or not self.verdict.is_fault

    def seat_of_answer(self, index: int) -> int:
        """Return the seat whose answer is at `index` of `charged_ns` and `nodes`."""
        return (self.opening_plies + index) % 2
