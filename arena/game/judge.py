"""From a bot process's reply to a move or a fault, as a pure function.

A `Reply` holds what `bot_player` observed. Its bytes are not trusted: a bot can forge them.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace
from enum import Enum

from arena.game.limits import SECOND, Limits
from arena.game.player import Answer, Fault
from arena.game.verdict import WHILE_LOADED, Ending, Proof, Verdict
from arena.host.protocol import (
    ANSWER_BYTES,
    FAULT_BYTES,
    UNMETERED,
    AnswerKind,
    answer_text,
    unpack_answer,
)
from arena.rules import Ruleset

SIGKILL = 9  # Windows has no such name.
MAX_NODES = 1 << 53  # More than any bot can count in a move; a larger number is forged.
NEARLY_ALL = 0.8  # A crash with at least this share of the memory limit counts as out of memory.

# Verdicts whose sentences already say that the bot was being loaded.
OWN_SENTENCE = frozenset({Verdict.LOAD_ERROR, Verdict.TIMEOUT})

# Faults that a bot's process reports itself, with a text: kinds of answers named like an Ending.
REPORTED = {kind: Ending[kind.name] for kind in AnswerKind if kind.name in Ending.__members__}


class Task(Enum):
    """A task with a time limit; its value completes `took more than 5 s …`."""

    LOAD = "to be imported and built"
    FIRST_MOVE = "for its first move"
    MOVE = "for its move"


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """How a process ended that had closed its channel without an answer."""

    lived: bool

    status: int
    """The exit status, or minus the number of the ending signal."""

    peak_bytes: int
    lost_main_thread: bool = False

    kills_itself: bool = True
    """See `StartedBot.kills_itself`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    data: bytes
    nonce: bytes
    task: Task
    charged_ns: int
    limit_ns: int
    too_large: bool = False

    ponders: bool = False
    """True if the bot also computed in its opponent's turn."""

    place: str = ""
    """Where the bot was ended or crashed: ` (file, line 3)` or empty."""

    death: Death | None = None
    """How the process ended; None if it still runs."""


def judge(reply: Reply, limits: Limits, rules: Ruleset) -> Answer | Fault:
    """Return the bot's move or its fault. `limits` are those from `Bot.own`.

    After Task.LOAD a loaded bot gives (NO_COLUMN, charged time, UNMETERED).
    """
    result = _judged(reply, limits, rules)
    is_loading = reply.task is Task.LOAD
    if is_loading and isinstance(result, Fault) and result.verdict not in OWN_SENTENCE:
        return replace(result, reason=WHILE_LOADED.format(reason=result.reason))
    return result


def _judged(reply: Reply, limits: Limits, rules: Ruleset) -> Answer | Fault:
    charged = reply.charged_ns
    if reply.too_large:
        place, memory_mb = reply.place, limits.memory_mb
        return Fault.of(Ending.TOO_LARGE, charged, memory_mb=memory_mb, place=place)
    if charged > reply.limit_ns:
        task = reply.task.value
        if reply.ponders and reply.task is not Task.LOAD:
            task += " and in its opponent's turn"
        seconds = reply.limit_ns / SECOND
        return Fault.of(Ending.TOO_SLOW, charged, seconds=seconds, task=task, place=reply.place)
    if reply.death is not None:
        return _of_death(reply.death, reply, limits)
    if len(reply.data) not in (ANSWER_BYTES, FAULT_BYTES):
        return Fault.of(Ending.INTRUDED, charged)
    return _of_answer(reply, limits, rules)


def charge_both(
    before: Fault, again: Answer | Fault, limits: Limits, *, is_first: bool
) -> Answer | Fault:
    """Return the second answer of a retried move, charged for both attempts.

    Returns a time-out if both together exceed the limit of one move. `limits` are those from
    `Bot.own`.
    """
    charged_ns, nodes = before.charged_ns, max(before.nodes, 0)
    if isinstance(again, Fault):
        nodes = max(again.nodes, before.nodes, again.nodes + nodes)
        return replace(again, charged_ns=charged_ns + again.charged_ns, nodes=nodes)
    column, more_ns, more_nodes = again
    charged_ns += more_ns
    nodes = UNMETERED if more_nodes == UNMETERED else nodes + more_nodes
    seconds = limits.move_seconds + (limits.first_move_seconds if is_first else 0)
    if charged_ns > round(seconds * SECOND):
        task = (Task.FIRST_MOVE if is_first else Task.MOVE).value
        return Fault.of(Ending.TOO_SLOW, charged_ns, nodes, seconds=seconds, task=task, place="")
    return column, charged_ns, nodes


def _of_answer(reply: Reply, limits: Limits, rules: Ruleset) -> Answer | Fault:
    charged = reply.charged_ns
    nonce, kind, depth, column, nodes = unpack_answer(reply.data)
    wanted = AnswerKind.READY if reply.task is Task.LOAD else AnswerKind.COLUMN
    is_move = len(reply.data) == ANSWER_BYTES
    as_asked = nonce == reply.nonce and (kind == AnswerKind.COLUMN == wanted) == is_move
    if not as_asked or not UNMETERED <= nodes <= MAX_NODES:
        return Fault.of(Ending.INTRUDED, charged)
    budget = MAX_NODES if limits.nodes is None else limits.nodes
    # a search that stops at its budget makes more calls while it unwinds
    unwinding = rules.columns * min(depth, rules.cells)
    text = "" if kind == wanted else answer_text(reply.data)
    if nodes > budget and (kind == AnswerKind.STOPPED_SEARCH or nodes - budget > unwinding):
        calls = f" {text}" if kind == AnswerKind.STOPPED_SEARCH and text else ""
        return Fault.of(Ending.TOO_MANY_NODES, charged, nodes, budget=budget, calls=calls)
    if kind == wanted:
        return column, charged, nodes
    if kind == AnswerKind.OUT_OF_MEMORY:
        place = f" {text}" if text else ""
        return Fault.of(Ending.TOO_LARGE, charged, nodes, memory_mb=limits.memory_mb, place=place)
    if kind == AnswerKind.NOT_LOADED and reply.task is not Task.LOAD:
        return Fault.of(Ending.INTRUDED, charged)
    return Fault.of(REPORTED.get(kind, Ending.INTRUDED), charged, nodes, text=text)


def _of_death(death: Death, reply: Reply, limits: Limits) -> Fault:
    charged = reply.charged_ns
    if death.lived and (death.status >= 0 or death.status == -SIGKILL):
        lost = death.lost_main_thread
        return Fault.of(Ending.LEFT_THREADS if lost else Ending.CLOSED_CHANNEL, charged)
    if death.status >= 0:
        return Fault.of(Ending.ENDED_ITSELF, charged, status=death.status)
    if death.status == -SIGKILL:
        proof = None if death.kills_itself else Proof.SIGNAL
        return replace(Fault.of(Ending.KILLED, charged), proof=proof)
    number = -death.status
    is_full = death.peak_bytes >= NEARLY_ALL * (limits.memory_mb << 20)
    return Fault.of(
        Ending.CRASHED_FULL if is_full else Ending.CRASHED,
        charged,
        signal=signal.Signals(number).name if number in set(signal.Signals) else number,
        place=reply.place,
        memory_mb=limits.memory_mb,
        used=min(death.peak_bytes >> 20, limits.memory_mb),  # the peak includes shared libraries
    )
