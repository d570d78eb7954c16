"""One game between two players, from its opening to its verdict."""

from __future__ import annotations

import logging
from dataclasses import replace

from arena.errors import IllegalMoveError
from arena.referee.player import Answer, Fault, Player
from arena.referee.record import GameKey, GameRecord
from arena.referee.verdict import TWICE, Ending, Verdict
from arena.rules import Goal, Position

NOTHING_SEEN = -1

log = logging.getLogger("arena.referee")


def play(key: GameKey, first: Player, second: Player) -> GameRecord:
    """Play one game to its end.

    Never raises for anything a bot does: a fault becomes the record's verdict. A bot that was
    killed may not have done that itself: the game is played once more, and its second such end is
    its fault. Where a fault may be due to an earlier game in the same process, the bot is asked
    again in a new one.
    """
    return play_to_fault(key, first, second)[0]


def play_to_fault(key: GameKey, first: Player, second: Player) -> tuple[GameRecord, Fault | None]:
    """Play one game like `play`; return its record and the fault by which the loser lost."""
    killed_before: set[int] = set()
    while True:
        record, faults = _play_once(key, first, second)
        killed = {seat for seat, fault in faults.items() if fault.killed}
        if killed & killed_before:
            record = replace(record, reason=TWICE.format(reason=record.reason))
        elif killed:
            log.info("game %s is played once more: a bot %s", key.digest, record.reason)
            killed_before |= killed
            continue
        return record, None if record.loser is None else faults.get(record.loser)


def _play_once(key: GameKey, first: Player, second: Player) -> tuple[GameRecord, dict[int, Fault]]:
    """Play a game; return its record and the faults that ended it, by seat."""
    position = Position(key.rules, key.opening)
    players = (first, second)
    charged: list[int] = []
    nodes: list[int] = []

    def record(winner: int | None, verdict: Verdict, reason: str, output: str = "") -> GameRecord:
        return GameRecord(
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

    faults: dict[int, Fault] = {}
    for seat, player in enumerate(players):
        fault = player.sit(seat, key.rules, key.opening, key.bot_seed(seat))
        if fault is not None:
            faults[seat] = fault
    if len(faults) == 2:
        both = Ending.NEITHER_LOADED
        reason = both.sentence.format(first=faults[0].reason, second=faults[1].reason)
        return record(None, both.verdict, reason), faults
    for seat, fault in faults.items():
        output = players[seat].dismiss()
        return record(1 - seat, fault.verdict, fault.sentence, output), faults

    seat = position.ply % 2
    seen = NOTHING_SEEN
    while not position.is_over:
        answer = players[seat].ask(seen)
        if isinstance(answer, Fault) and answer.is_of_worn:
            log.info("game %s: asked again in a new process: a bot %s", key.digest, answer.reason)
            answer = _asked_again(key, position, players[seat]) or answer
        if isinstance(answer, Fault):
            charged.append(answer.charged_ns)
            nodes.append(answer.nodes)
            fault = answer
        else:
            seen, spent_ns, searched = answer
            charged.append(spent_ns)
            nodes.append(searched)
            try:
                position.play(seen)
            except IllegalMoveError:
                fault = _illegal(seen, position)
            else:
                seat = 1 - seat
                continue
        fault = replace(fault, ply=position.ply + 1)
        output = players[seat].dismiss()
        return record(1 - seat, fault.verdict, fault.sentence, output), {seat: fault}
    return record(*outcome(position)), {}


def _asked_again(key: GameKey, position: Position, player: Player) -> Answer | Fault | None:
    """Seat the player to move once more, and ask it for all its moves up to this one.

    Returns its answer; None if it does not make the same moves before, so that nobody can take one
    back.
    """
    seat = position.ply % 2
    if player.sit(seat, key.rules, key.opening, key.bot_seed(seat)) is not None:
        return None
    seen = NOTHING_SEEN
    for ply in range(len(key.opening), position.ply):
        if ply % 2 != seat:
            seen = position.moves[ply]
            continue
        answer = player.ask(seen)
        if isinstance(answer, Fault) or answer[0] != position.moves[ply]:
            return None
    return player.ask(seen)


def outcome(position: Position) -> tuple[int | None, Verdict, str]:
    """Return winner, verdict and reason of a game that was played to its end."""
    facts: dict[str, object] = {}
    winner = position.winner
    if winner is None:
        ending = Ending.BOARD_FULL
    elif position.rules.goal is Goal.MOST:
        ending = Ending.MOST_LINES
        made, others = position.lines_made[winner], position.lines_made[1 - winner]
        facts = {"made": made, "lines": "line" if made == 1 else "lines", "others": others}
    else:
        ending = Ending.LINE
        facts = {"column": position.moves[-1]}
    return winner, ending.verdict, ending.sentence.format(**facts)


def _illegal(column: int, position: Position) -> Fault:
    """Return the fault of a column that cannot be played."""
    columns = position.rules.columns
    if 0 <= column < columns:
        return Fault.of(Ending.FULL_COLUMN, column=column)
    exist = f"columns 0 to {columns - 1}" if columns > 1 else "only column 0"
    return Fault.of(Ending.NO_SUCH_COLUMN, column=column, columns=exist)
