"""The ways in which a game can end, and the sentence for each."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """The ways a game can end; the value is a sentence without its subject, a bot.

    Tables' columns, filters and the pages' scripts are made from them.

    >>> from arena import Verdict
    >>> Verdict.TIMEOUT.value, Verdict.TIMEOUT.is_fault
    ('ran out of time', True)
    """

    LINE = "made a line"
    MOST_LINES = "made the most lines"
    BOARD_FULL = "board full"
    TIMEOUT = "ran out of time"
    NODES = "searched too many nodes"
    ILLEGAL_MOVE = "made an illegal move"
    ERROR = "raised an error"
    CRASH = "crashed"
    MEMORY = "ran out of memory"
    PROTOCOL = "disturbed the protocol"
    LOAD_ERROR = "could not be loaded"

    @property
    def is_fault(self) -> bool:
        """True if a bot broke a rule and so lost, unless neither bot could be loaded."""
        return self not in (Verdict.LINE, Verdict.MOST_LINES, Verdict.BOARD_FULL)


class Ending(Enum):
    """An event that ends a game: its verdict, and a sentence without its subject.

    The subject is a bot. `place` is empty or ` (file, line 3)`; `text` is one line from the bot's
    process.
    """

    LINE = Verdict.LINE, "made a line with column {column}"
    MOST_LINES = Verdict.MOST_LINES, "made {made} {lines} against {others}"
    BOARD_FULL = Verdict.BOARD_FULL, "the board is full"
    TOO_SLOW = Verdict.TIMEOUT, "took more than {seconds:g} s {task}{place}"
    TOO_MANY_NODES = (
        Verdict.NODES,
        "used more than {budget:,} nodes in one move ({nodes:,}{calls}); search less deep",
    )
    STOPPED_SEARCH = (Verdict.NODES, "stopped its search as if its node budget were used up")
    FULL_COLUMN = Verdict.ILLEGAL_MOVE, "returned column {column}, which is full"
    NO_SUCH_COLUMN = Verdict.ILLEGAL_MOVE, "returned column {column}; the board has {columns}"
    NOT_A_COLUMN = Verdict.ILLEGAL_MOVE, "returned {text}, which is no column number"
    NO_MOVE = Verdict.ILLEGAL_MOVE, "{text}"
    RAISED = Verdict.ERROR, "raised {text}"
    ENDED_ITSELF = Verdict.CRASH, "ended its own process with status {status}"
    CLOSED_CHANNEL = Verdict.CRASH, "closed the referee's channel"
    LEFT_THREADS = Verdict.CRASH, "ended the main thread of its process and left others running"
    KILLED = Verdict.CRASH, "was killed (signal SIGKILL)", True
    CRASHED = Verdict.CRASH, "crashed its process (signal {signal}){place}"
    PROGRAM_FAILED = Verdict.CRASH, "{text}"
    PROGRAM_KILLED = Verdict.CRASH, "{text}", True
    CRASHED_FULL = (
        Verdict.MEMORY,
        "crashed its process (signal {signal}){place} with {used} of its {memory_mb} MB of memory "
        "in use",
    )
    TOO_LARGE = Verdict.MEMORY, "needed more than {memory_mb} MB of memory{place}"
    INTRUDED = Verdict.PROTOCOL, "wrote to the referee's channel itself"
    UNSTOPPED = Verdict.PROTOCOL, "was stopped in its opponent's turn and computed all the same"
    NOT_LOADED = Verdict.LOAD_ERROR, "could not be loaded: {text}"
    NEITHER_LOADED = (
        Verdict.LOAD_ERROR,
        "neither bot could be loaded: the first {first}; the second {second}",
    )

    def __init__(self, verdict: Verdict, sentence: str, by_kernel: bool = False) -> None:
        self.verdict = verdict
        self.sentence = sentence
        self.by_kernel = by_kernel  # the kernel may have done it because memory ran out


# Forms that add words to the sentence of a fault.
WHILE_LOADED = "{reason} while it was loaded"
AT_PLY = "{reason}, at ply {ply}"
TWICE = "{reason}, in both tries of this game"
NO_MORE = "{reason}; too many of its games and moves had been played again before"


class Proof(Enum):
    """Outside evidence that a fault may not be the bot's own, so the bot gets a retry."""

    MEMORY = "the kernel counted processes that it killed because memory ran out"
    SIGNAL = "ended by SIGKILL, which no process of the bot can send"
    WORN = "its process had played before, and the fault used a small part of the limits"
