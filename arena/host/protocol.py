"""The messages between the referee and a bot's process.

Each is one message of fixed layout: a packet of a pipe, or in home mode what a `MessageStream`
sends. The bot answers each request for a game or move once, with the request's nonce, and an
opening not at all. Anything else is a protocol fault. The referee trusts nothing that it reads from
a bot.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import IntEnum, StrEnum

from arena.common.text import one_line
from arena.interfaces import EntryPoint, Profile
from arena.rules import Goal, Ruleset

NONCE_BYTES = 8
MAX_REQUEST = 4096  # Bytes of the longest request, a packet of a pipe.
MOST_COLUMNS = 4000  # Columns of the longest message with an opening; an even number.
TEXT_BYTES = 480  # Bytes of the text of an answer.
NO_COLUMN = -1
UNMETERED = -1


# The bot never had more than one thread, may have had more, or has unsupervised threads.
ALONE, CROWDED, UNKNOWN = range(3)

# Memory that a zygote shares with its referee for each bot: ALONE, CROWDED or UNKNOWN, and the CPU
# in nanoseconds that the zygote used for the bot's requests.
SHARED = struct.Struct("<B7xQ")
ZYGOTE_CPU = struct.Struct("<Q")  # The second field, at offset ZYGOTE_CPU_AT.
ZYGOTE_CPU_AT = 8


class Ask(IntEnum):
    GAME = 1
    MOVE = 2

    OPENING = 3
    """Columns played before the first move.

    Sent only after loading: a bot could search from there while it loads, when no node counts.
    """


class AnswerKind(IntEnum):
    READY = 1
    """The text may say how the bot is seated, like `sees its own board, board.Board`."""

    COLUMN = 2
    NOT_LOADED = 3
    RAISED = 4

    NOT_A_COLUMN = 5
    """The text is what the bot returned."""

    STOPPED_SEARCH = 6
    """Calls exceeded the budget and what a search needs to unwind."""

    OUT_OF_MEMORY = 7
    """The text is where memory ran out."""

    NO_MOVE = 8
    """A program answered without a move; the text is a clause about the bot."""

    PROGRAM_FAILED = 9
    """A program gave no answer; the text is a clause about the bot."""

    PROGRAM_KILLED = 10
    """A program was killed; the text is a clause about the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSpec:
    """Everything that a process needs to load a bot.

    Sent as JSON on the socket for its start. The zygote, from which all bots are forked, never
    reads it.
    """

    root: str
    """Folder with the bot's files; in the bot's process, with their copy."""

    entry_point: EntryPoint

    memory_mb: int = 512
    """In MiB."""

    move_seconds: float = 30.0
    """The time limit for a move, as shown to the bot."""

    first_move_seconds: float = 10.0
    """Added to that for its first move."""

    load_seconds: float = 60.0

    profile: Profile = Profile.MODULE

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: bytes) -> BotSpec:
        values = json.loads(text)
        point = values["entry_point"]
        values["profile"] = Profile(values["profile"])
        return cls(**values | {"entry_point": EntryPoint(**point)})


class Loaded(StrEnum):
    """A zygote's preloaded code; the last argument of its command."""

    NUMPY = "numpy"

    NUMBA = "numba"
    """For bots that import numba, or whose course modules do."""

    ENGINE = "engine"
    """The engine's search; like the next, for house players only."""

    SOLVER = "solver"
    """The engine's search and solver."""


MAX_SPEC = 65536  # Bytes of the longest BotSpec.

# A lane's order to its zygote. To fork a bot's process: (START, b""), with START_FDS descriptors:
# the socket for its start, the bot's answers, requests, output and source folder, and shared
# memory. To end the process: (its id as the zygote sees it, name of the bot's folder). Other bots
# must not learn the name, so it is sent only at the end.
ORDER = struct.Struct("<i64s")
START, START_FDS = 0, 6

# The zygote's replies. When ready: (the zygote's process id as the lane sees it, 0, 0). After
# START: (the bot's process id as the zygote sees it, 0, 0), with a descriptor of the bot's folder.
# After an order to end: (that process id, wait status, peak resident memory in KiB).
ZYGOTE_REPLY = struct.Struct("<iiq")

# A bot's process sends this on the socket for its start, before any of the bot's code runs:
# (CONFINED_MARK, the process id as the lane sees it). Anything else is the text of an error.
CONFINED = struct.Struct("<8si")
CONFINED_MARK = b"confined"
_GAME = struct.Struct("<B8sBHHHBqQ")
_OPENING = struct.Struct("<BH")
_MOVE = struct.Struct("<B8sh")
_ANSWER = struct.Struct("<8sBHqq")
ANSWER_BYTES = _ANSWER.size
FAULT_BYTES = _ANSWER.size + TEXT_BYTES
pack_move_request = _MOVE.pack  # (Ask.MOVE, nonce, column of the opponent or NO_COLUMN) -> bytes
unpack_move_request = _MOVE.unpack_from  # buffer -> (Ask.MOVE, nonce, column)

# (nonce, AnswerKind, depth, column, nodes) -> bytes; for depth and nodes see Meter
pack_answer = _ANSWER.pack

# buffer -> (nonce, kind, depth, column, nodes); reads only ANSWER_BYTES
unpack_answer = _ANSWER.unpack_from


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRequest:
    player: int
    """0 for the side that moves first, else 1."""

    rules: Ruleset

    nodes: int | None
    """Node budget for one move, or None."""

    seed: int
    """0 to 2**64 - 1."""

    def pack(self, nonce: bytes) -> bytes:
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
        _, nonce, player, rows, columns, connect, most, nodes, seed = _GAME.unpack_from(data)
        request = cls(
            player=player,
            rules=Ruleset(rows, columns, connect, Goal.MOST if most else Goal.FIRST),
            nodes=None if nodes < 0 else nodes,
            seed=seed,
        )
        return nonce, request


def pack_opening(columns: tuple[int, ...]) -> Iterator[bytes]:
    """Yield the messages that tell an opening: mostly one, none if it is empty."""
    for start in range(0, len(columns), MOST_COLUMNS):
        part = columns[start : start + MOST_COLUMNS]
        yield _OPENING.pack(Ask.OPENING, len(part)) + bytes(part)


def unpack_opening(data: bytearray) -> tuple[int, ...]:
    _, plies = _OPENING.unpack_from(data)
    return tuple(data[_OPENING.size : _OPENING.size + plies])


def pack_fault(nonce: bytes, kind: AnswerKind, depth: int, nodes: int, text: str) -> bytes:
    """Return an answer with a text: a fault or READY. The text is cut to TEXT_BYTES."""
    cut = text.encode("utf-8", "replace")[:TEXT_BYTES].ljust(TEXT_BYTES, b"\0")
    return _ANSWER.pack(nonce, kind, depth, NO_COLUMN, nodes) + cut


def answer_text(data: bytes | bytearray) -> str:
    """Return an answer's text as one printable line, whatever the bot sent."""
    text = data[ANSWER_BYTES:FAULT_BYTES].rstrip(b"\0").decode("utf-8", "replace")
    return one_line(text, TEXT_BYTES)
