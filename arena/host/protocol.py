"""The messages between the referee and a bot's process.

Binary and of fixed layout, one SEQPACKET datagram each. The referee asks, the bot's process
answers a game and a move once, with the request's nonce, and an opening not at all; anything
else is a protocol fault.
Nothing here is trusted by the side that reads it from a bot.
"""

from __future__ import annotations

import json
import signal
import struct
from dataclasses import asdict, dataclass
from enum import IntEnum, StrEnum

from arena.common.text import one_line
from arena.interfaces import EntryPoint, InterfaceName, Profile
from arena.rules import Goal, Ruleset

NONCE_BYTES = 8
MAX_REQUEST = 8192
"""Bytes of the longest request: an opening on the largest board."""

TEXT_BYTES = 480
"""Bytes of the text of an answer that reports a fault."""

TRACE_SIGNAL = signal.SIGRTMAX
"""Has a bot's process write where it is; a signal that no program uses."""

NO_COLUMN = -1
UNMETERED = -1


ALONE, CROWDED, UNKNOWN = range(3)
"""A bot has never had more than one thread, it may have more by now, or its threads are not
supervised."""

SHARED = struct.Struct("<B7xQ")
"""The memory that a zygote shares with its referee for every bot: ALONE, CROWDED or UNKNOWN, and
the CPU in nanoseconds that the zygote has used to grant or refuse what the bot asked for."""

ZYGOTE_CPU = struct.Struct("<Q")
"""The second of these, at its place ZYGOTE_CPU_AT."""

ZYGOTE_CPU_AT = 8


class Ask(IntEnum):
    """The referee's requests."""

    GAME = 1
    """Load the bot afresh and sit down to a game."""

    MOVE = 2
    """See the opponent's move, if there was one, and make a move."""

    OPENING = 3
    """See the columns played before the first move. Told once the bot is loaded and no sooner,
    or it could search from there while it is loaded, when no node counts."""


class AnswerKind(IntEnum):
    """The kinds of answer of a bot's process."""

    READY = 1
    """The bot is loaded and seated; the text says how, if there is anything to say."""

    COLUMN = 2
    """The bot's move."""

    NOT_LOADED = 3
    """Importing or building the bot failed; the text says how."""

    RAISED = 4
    """The bot raised an exception; the text says which and where."""

    NOT_A_COLUMN = 5
    """The bot returned something that is no column number; the text says what."""

    SAID_TOO_MANY_NODES = 6
    """The search function was called more often than the budget and the unwinding allow."""

    OUT_OF_MEMORY = 7
    """The bot reached its memory limit; the text says where."""

    NO_MOVE = 8
    """The bot's program answered, and not with a move; the text is a clause about the bot."""

    PROGRAM_FAILED = 9
    """The bot's program failed to answer; the text is a clause about the bot."""

    PROGRAM_KILLED = 10
    """The bot's program was killed, perhaps from outside; the text is a clause about the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSpec:
    """Everything that a process needs to load a bot.

    Travels from the referee to that process as JSON, over its channel and before anything else: its
    zygote, of which all bots are forks, never sees it.
    """

    root: str
    """Folder that holds the bot's files; in its process the copy of them in which it plays."""

    entry_point: EntryPoint
    """The way into the bot's code."""

    memory_mb: int = 512
    """Memory the process may allocate, in MiB."""

    move_seconds: float = 30.0
    """The time for a move as the bot is told it, in seconds."""

    profile: Profile = Profile.MODULE
    """The kind of program run in the process, which decides how that is confined."""

    def to_json(self) -> str:
        """Return the record as JSON, for `from_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: bytes) -> BotSpec:
        """Read what `to_json` wrote."""
        values = json.loads(text)
        point = values["entry_point"]
        point["interface"] = InterfaceName(point["interface"])
        values["profile"] = Profile(values["profile"])
        return cls(**values | {"entry_point": EntryPoint(**point)})


class Loaded(StrEnum):
    """What a zygote has in memory, and every bot that is forked from it: its last argument."""

    NUMPY = "numpy"
    """What every bot needs."""

    NUMBA = "numba"
    """Also numba, for bots that import it, or whose course modules do."""

    ENGINE = "engine"
    """Also Arena's engine, for house players alone."""


MAX_SPEC = 65536
"""Bytes of the longest BotSpec."""

ORDER = struct.Struct("<i64s")
"""A lane's order to its zygote: (START, b"") to fork a bot's process, with the descriptors of its
channel, its output and the folder of its files; (its process id as the zygote sees it, the name of
its folder) to end it. The name is no other bot's to know, so it is told when that is gone."""

START = 0

ZYGOTE_REPLY = struct.Struct("<iiq")
"""The zygote's replies: (its process id as the lane sees it, 0, 0) once it is ready; (a bot's
process id as the zygote sees it, 0, 0) after a start, with a descriptor of its folder; after an end
(that id, wait status, most memory the bot had resident, in KiB)."""

CONFINED = struct.Struct("<8si")
"""First message of a bot's process, sent before any of the bot's code runs: (CONFINED_MARK, its
process id as the lane sees it). Any other message is the text of an error."""

CONFINED_MARK = b"confined"

_GAME = struct.Struct("<B8sBHHHBqQ")
_OPENING = struct.Struct("<BH")
_MOVE = struct.Struct("<B8sh")
_ANSWER = struct.Struct("<8sBHqq")
ANSWER_BYTES = _ANSWER.size
FAULT_BYTES = _ANSWER.size + TEXT_BYTES

pack_move_request = _MOVE.pack
"""(Ask.MOVE, nonce, column of the opponent or NO_COLUMN) -> bytes."""

unpack_move_request = _MOVE.unpack_from
"""buffer -> (Ask.MOVE, nonce, column)."""

pack_answer = _ANSWER.pack
"""(nonce, AnswerKind, depth, column, nodes) -> bytes; depth and nodes as the meter saw them."""

unpack_answer = _ANSWER.unpack_from
"""buffer -> (nonce, kind, depth, column, nodes); needs ANSWER_BYTES and reads no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRequest:
    """A new game, as a bot's process learns of it."""

    player: int
    """1 or 2."""

    rules: Ruleset
    """The rules of the game."""

    nodes: int | None
    """Node budget for one move; None for no budget."""

    seed: int
    """Seed for the bot's random numbers, 0 to 2**64 - 1."""

    def pack(self, nonce: bytes) -> bytes:
        """The request as bytes."""
        rules = self.rules
        return _GAME.pack(
            Ask.GAME,
            nonce,
            self.player,
            rules.rows,
            rules.columns,
            rules.connect,
            rules.goal is Goal.MOST,
            -1 if self.nodes is None else self.nodes,
            self.seed,
        )

    @classmethod
    def unpack(cls, data: bytearray) -> tuple[bytes, GameRequest]:
        """The nonce and the request."""
        _, nonce, player, rows, columns, connect, most, nodes, seed = _GAME.unpack_from(data)
        request = cls(
            player=player,
            rules=Ruleset(rows, columns, connect, Goal.MOST if most else Goal.FIRST),
            nodes=None if nodes < 0 else nodes,
            seed=seed,
        )
        return nonce, request


def pack_opening(columns: tuple[int, ...]) -> bytes:
    """The message that tells an opening."""
    return _OPENING.pack(Ask.OPENING, len(columns)) + bytes(columns)


def unpack_opening(data: bytearray) -> tuple[int, ...]:
    """The columns of an opening."""
    _, plies = _OPENING.unpack_from(data)
    return tuple(data[_OPENING.size : _OPENING.size + plies])


def pack_fault(nonce: bytes, kind: AnswerKind, depth: int, nodes: int, text: str) -> bytes:
    """An answer with a text, cut to TEXT_BYTES: a fault, or AnswerKind.READY."""
    cut = text.encode("utf-8", "replace")[:TEXT_BYTES].ljust(TEXT_BYTES, b"\0")
    return _ANSWER.pack(nonce, kind, depth, NO_COLUMN, nodes) + cut


def answer_text(data: bytes | bytearray) -> str:
    """The text of such an answer: one line of printable characters, whatever the bot sent."""
    text = data[ANSWER_BYTES:FAULT_BYTES].rstrip(b"\0").decode("utf-8", "replace")
    return one_line(text, TEXT_BYTES)
