"""Checking a journal's rows against the rules: each game is replayed.

A checksum only proves that a row is unchanged, not that it is possible. The functions return a
defect, the rest of a sentence about the row, or "".
"""

from __future__ import annotations

import re
from dataclasses import replace

from arena.analysis.analysis import exact_values
from arena.common.errors import IllegalMoveError
from arena.common.text import counted
from arena.game.play import outcome
from arena.game.record import GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.journal.rows import KEY, JournalRow, analysis_of, analysis_row
from arena.rules import Position, Ruleset, format_moves

NUMBERS = re.compile(r"\[(-?[0-9]{1,18}(, -?[0-9]{1,18})*)?\]")  # A list of integers in a journal.

# End of a fault's sentence.
PLY = re.compile(r", at ply ([0-9]{1,6})(, in both tries of this game)?")
UNCOUNTED = -1  # Nodes of an answer that cannot be counted.


def unreadable(row: JournalRow) -> str:
    key, verdict, winner, reason, opening_plies, *lists, output, _, place = row
    if not (isinstance(key, str) and KEY.fullmatch(key)):
        return "has a key that is no game's"
    if not (isinstance(verdict, str) and verdict in Verdict.__members__):
        return "has no verdict"
    if not (winner is None or (type(winner) is int and winner in (0, 1))):
        return "has a winner that is no seat"
    if not (isinstance(reason, str) and isinstance(output, str)):
        return "has no reason"
    if not (place is None or isinstance(place, str)):
        return "has a place that is no text"
    if type(opening_plies) is not int:
        return "has an opening without a length"
    if not all(isinstance(each, str) and NUMBERS.fullmatch(each) for each in lists):
        return "has moves, times or nodes that are no whole numbers"
    return ""


def contradiction(record: GameRecord, key: GameKey) -> str:
    if wrong := miscounted(record):
        return wrong
    if record.columns[: record.opening_plies] != key.opening:
        return f"does not begin with its opening, {format_moves(key.opening) or 'the empty board'}"
    position = Position(key.rules)
    try:
        for column in record.columns:
            position.play(column)
    except IllegalMoveError as error:
        return f"has an illegal move at ply {position.ply + 1}: {error}"
    return _of_fault(record, position) if record.verdict.is_fault else _of_end(record, position)


def implausible(record: GameRecord) -> str:
    """Return how a record contradicts itself, or ""; for games of unknown rules."""
    is_draw, name = record.winner is None, record.verdict.name
    if wrong := miscounted(record):
        return wrong
    if not record.verdict.is_fault and is_draw != (record.verdict is Verdict.BOARD_FULL):
        return f"says it was {_shown(record.winner, record.verdict)}, which cannot be"
    if record.verdict.is_fault and is_draw and (record.charged_ns or name != "LOAD_ERROR"):
        return f"ended by {name}, but has no loser"
    return ""


def miscounted(record: GameRecord) -> str:
    moves, answers = len(record.columns) - record.opening_plies, len(record.charged_ns)
    if record.opening_plies < 0 or moves < 0:
        return "has fewer moves than its opening"
    if len(record.nodes) != answers:
        return f"has the times of {counted(answers, 'answer')} and the nodes of {len(record.nodes)}"
    wanted = {moves}
    if record.verdict.is_fault:
        # the last answer was the fault; there is none if a bot did not load
        wanted = {moves + 1} if moves or answers else {0}
    if answers not in wanted:
        return f"has {counted(answers, 'answer')} for {counted(moves, 'move')}"
    if min(record.charged_ns, default=0) < 0 or min(record.nodes, default=0) < UNCOUNTED:
        return "has a negative time or number of nodes"
    return ""


def _of_end(record: GameRecord, position: Position) -> str:
    if not position.is_over:
        return f"ended by {record.verdict.name}, but the game is not over"
    winner, verdict, reason = outcome(position)
    if (record.winner, record.verdict) != (winner, verdict):
        said, true = _shown(record.winner, record.verdict), _shown(winner, verdict)
        return f"says it was {said}, but it was {true}"
    if record.reason != reason:
        return f"has the reason {record.reason!r}, not {reason!r}"
    return "has the output of a fault, but there was no fault" if record.output else ""


def _of_fault(record: GameRecord, position: Position) -> str:
    name = record.verdict.name
    if position.is_over:
        return f"ended by {name} after the game was over"
    if not record.charged_ns:
        if record.winner is None and record.verdict is not Verdict.LOAD_ERROR:
            return f"ended by {name}, but has no loser"
        return ""
    if record.verdict is Verdict.LOAD_ERROR:
        return "ended by LOAD_ERROR though both bots played"
    if record.loser != position.to_move:
        return (
            f"says it was {_shown(record.winner, record.verdict)}, but seat {position.to_move} was "
            "to move"
        )
    at = PLY.search(record.reason, max(0, record.reason.rfind(", at ply ")))
    if at and at.end() == len(record.reason) and int(at[1]) != position.ply + 1:
        return f"has a reason that names ply {at[1]}, but its fault is at ply {position.ply + 1}"
    return ""


def _shown(winner: int | None, verdict: Verdict) -> str:
    return f"{'won by nobody' if winner is None else f'won by seat {winner}'} ({verdict.name})"


def analysis_contradiction(row: JournalRow, record: GameRecord, rules: Ruleset) -> str:
    try:
        analysis = analysis_of(row)
        plies = [position.ply for position in analysis.positions]
        heights = [0] * rules.columns
        for column in record.columns[: record.opening_plies]:
            heights[column] += 1
        last = len(record.columns) - (not record.verdict.is_fault)
        if plies != list(range(record.opening_plies, last + 1)):
            return "has other positions than its game"
        for position in analysis.positions:
            is_free = [height < rules.rows for height in heights]
            if [worth is not None for worth in position.columns] != is_free:
                return f"has the worth of columns that cannot be played at ply {position.ply + 1}"
            if position.ply < len(record.columns):
                heights[record.columns[position.ply]] += 1
        exact = replace(analysis, values=exact_values(record, analysis.positions))
        if analysis_row(exact)[3] != row[3]:
            return "has moves that do not follow from what columns are worth"
    except (ValueError, KeyError, TypeError, OverflowError, IndexError):
        return "is not as an analysis is written"
    return ""
