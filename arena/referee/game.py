"""One game between two players, from its opening to its verdict."""

from __future__ import annotations

import logging
from dataclasses import replace

from arena.referee.player import Fault, Player
from arena.referee.record import GameKey, GameRecord
from arena.referee.verdict import Verdict
from arena.rules import Goal, IllegalMove, Position

NOTHING_SEEN = -1

log = logging.getLogger("arena.referee")


def play(key: GameKey, first: Player, second: Player) -> GameRecord:
    """Play one game to its end.

    Never raises for anything a bot does: a fault becomes the record's verdict. A bot that was
    killed may not have done that itself: the game is played once more, and its second such end is
    its fault.
    """
    killed_before: set[int] = set()
    while True:
        record, killed = _play_once(key, first, second)
        if not killed:
            return record
        if killed & killed_before:
            return replace(record, reason=f"{record.reason}, in both tries of this game")
        log.info("game %s is played once more: a bot %s", key.digest, record.reason)
        killed_before |= killed


def _play_once(key: GameKey, first: Player, second: Player) -> tuple[GameRecord, set[int]]:
    """The record of a game, and the seats of those whose process was killed."""
    position = Position(key.rules, key.opening)
    players = (first, second)
    faults = [
        player.sit(seat + 1, key.rules, key.opening, key.bot_seed(seat))
        for seat, player in enumerate(players)
    ]
    killed = {seat for seat, fault in enumerate(faults) if fault and fault.killed}
    charged: list[int] = []
    nodes: list[int] = []

    def record(
        winner: int | None, verdict: Verdict, reason: str, output: str = ""
    ) -> tuple[GameRecord, set[int]]:
        game = GameRecord(
            key=key.digest,
            columns=position.moves,
            opening_plies=len(key.opening),
            charged_ns=tuple(charged),
            nodes=tuple(nodes),
            winner=winner,
            verdict=verdict,
            reason=reason,
            output=output,
        )
        return game, killed

    match faults:
        case [Fault() as one, Fault() as other]:
            reason = f"neither bot could be loaded: the first {one.reason}; the second "
            return record(None, Verdict.LOAD_ERROR, reason + other.reason)
        case [Fault() as one, None]:
            return record(1, one.verdict, one.reason, first.dismiss())
        case [None, Fault() as other]:
            return record(0, other.verdict, other.reason, second.dismiss())

    seat = position.ply % 2
    seen = NOTHING_SEEN
    while not position.is_over:
        answer = players[seat].ask(seen)
        if isinstance(answer, Fault):
            charged.append(answer.charged_ns)
            killed = {seat} if answer.killed else set()
            nodes.append(answer.nodes)
        else:
            seen, spent_ns, searched = answer
            charged.append(spent_ns)
            nodes.append(searched)
            try:
                position.play(seen)
            except IllegalMove:
                answer = Fault(Verdict.ILLEGAL_MOVE, _why_illegal(seen, position))
            else:
                seat = 1 - seat
                continue
        reason = f"{answer.reason}, at ply {position.ply + 1}"
        return record(1 - seat, answer.verdict, reason, players[seat].dismiss())
    return record(*_outcome(position))


def _outcome(position: Position) -> tuple[int | None, Verdict, str]:
    """Winner, verdict and reason of a game that was played to its end."""
    made = position.lines_made
    if not position.winner:
        return None, Verdict.BOARD_FULL, "the board is full"
    winner = position.winner - 1
    if position.rules.goal is Goal.MOST:
        lines = "line" if made[winner] == 1 else "lines"
        reason = f"made {made[winner]} {lines} against {made[1 - winner]}"
        return winner, Verdict.MOST_LINES, reason
    return winner, Verdict.LINE, f"made a line with column {position.moves[-1]}"


def _why_illegal(column: int, position: Position) -> str:
    columns = position.rules.columns
    if 0 <= column < columns:
        return f"returned column {column}, which is full"
    exist = f"columns 0 to {columns - 1}" if columns > 1 else "only column 0"
    return f"returned column {column}; the board has {exist}"
