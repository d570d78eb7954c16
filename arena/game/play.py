"""One game between two players, from its opening to its verdict."""

from __future__ import annotations

import logging
from dataclasses import replace
from time import time_ns

from arena.common.errors import IllegalMoveError, OutOfMemoryError
from arena.game.judge import charge_both
from arena.game.player import Answer, Fault, Player
from arena.game.record import GameKey, GameRecord, Retake
from arena.game.verdict import TWICE, Ending, Proof, Verdict
from arena.rules import Goal, Position

NOTHING_SEEN = -1
OUT_OF_MEMORY = "the machine ran out of memory and killed a bot"
log = logging.getLogger("arena.referee")


def play(key: GameKey, first: Player, second: Player) -> GameRecord:
    """Play one game to its end.

    Never raises for a bot's behaviour: a fault becomes the record's verdict. If outside evidence
    shows that a fault may not be the bot's own, the game or the move is played again; a second such
    fault stands. `retakes` has these retries. Raises OutOfMemoryError if the kernel killed a bot
    because the machine ran out of memory.
    """
    return play_to_fault(key, first, second)[0]


def play_to_fault(key: GameKey, first: Player, second: Player) -> tuple[GameRecord, Fault | None]:
    """Play one game like `play`; return its record and the loser's fault, or None."""
    retakes: list[Retake] = []
    killed_before: set[int] = set()
    while True:
        game = _Game(key, (first, second))
        record, faults = game.play()
        retakes += game.retakes
        if retakes:
            record = replace(record, retakes=tuple(retakes))
        killed = {seat for seat in faults if faults[seat].proof in (Proof.SIGNAL, Proof.MEMORY)}
        if killed & killed_before:
            record = replace(record, reason=TWICE.format(reason=record.reason))
        if not killed or killed & killed_before:
            return record, None if record.loser is None else faults.get(record.loser)
        retakes += [_retake(key, seat, faults[seat], record) for seat in sorted(killed)]
        if any(fault.proof is Proof.MEMORY for fault in faults.values()):
            raise OutOfMemoryError(OUT_OF_MEMORY, replace(record, retakes=tuple(retakes)))
        log.info("game %s is played again: a bot %s", key.digest, record.reason)
        killed_before |= killed


def _retake(key: GameKey, seat: int, fault: Fault, instead: GameRecord) -> Retake:
    assert fault.proof is not None
    return Retake(
        key=key.digest,
        at=time_ns() // 1000,
        seat=seat,
        ply=fault.ply or 0,
        proof=fault.proof,
        reason=fault.reason,
        instead=instead,
    )


class _Game:
    def __init__(self, key: GameKey, players: tuple[Player, Player]) -> None:
        self._key, self._players = key, players
        self._position = Position(key.rules, key.opening)
        self._charged: list[int] = []
        self._nodes: list[int] = []
        self.retakes: list[Retake] = []  # retries of moves

    def play(self) -> tuple[GameRecord, dict[int, Fault]]:
        """Return the game's record and the faults that ended it, by seat."""
        key, players, position = self._key, self._players, self._position
        faults: dict[int, Fault] = {}
        for seat, player in enumerate(players):
            fault = player.sit(seat, key.rules, key.opening, key.bot_seed(seat))
            if fault is not None:
                faults[seat] = fault
        if len(faults) == 2:
            both = Ending.NEITHER_LOADED
            reason = both.sentence.format(first=faults[0].reason, second=faults[1].reason)
            return self._record(None, both.verdict, reason), faults
        for seat, fault in faults.items():
            return self._lost(seat, fault), faults
        charged, nodes = self._charged, self._nodes
        seat = position.ply % 2
        seen = NOTHING_SEEN
        while not position.is_over:
            answer = players[seat].ask(seen)
            if isinstance(answer, Fault):
                answer = self._retry_move(seat, answer)
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
                    fault = illegal(seen, position)
                else:
                    seat = 1 - seat
                    continue
            fault = replace(fault, ply=position.ply + 1)
            return self._lost(seat, fault), {seat: fault}
        return self._record(*outcome(position)), {}

    def _record(
        self, winner: int | None, verdict: Verdict, reason: str, output: str = ""
    ) -> GameRecord:
        return GameRecord(
            key=self._key.digest,
            columns=self._position.moves,
            opening_plies=len(self._key.opening),
            charged_ns=tuple(self._charged),
            nodes=tuple(self._nodes),
            winner=winner,
            verdict=verdict,
            reason=reason,
            output=output,
        )

    def _lost(self, seat: int, fault: Fault) -> GameRecord:
        output = self._players[seat].dismiss()
        return self._record(1 - seat, fault.verdict, fault.sentence, output)

    def _retry_move(self, seat: int, fault: Fault) -> Answer | Fault:
        """Ask for a move again if an earlier game in the bot's process may have caused the fault.

        In a new process the bot repeats its earlier moves, and each is charged again. The fault
        stands if one of them differs: a bot must not take a move back.
        """
        if fault.proof is not Proof.WORN:
            return fault
        key, position, player = self._key, self._position, self._players[seat]
        self._charged.append(fault.charged_ns)
        self._nodes.append(fault.nodes)
        fault = replace(fault, ply=position.ply + 1)
        self.retakes.append(_retake(key, seat, fault, self._lost(seat, fault)))
        del self._charged[-1], self._nodes[-1]
        log.info(
            "game %s: the move is asked again in a new process: a bot %s",
            key.digest,
            fault.sentence,
        )
        if player.sit(seat, key.rules, key.opening, key.bot_seed(seat)) is not None:
            return fault
        seen = NOTHING_SEEN
        for at, column in enumerate(position.moves[len(key.opening) :]):
            ply = len(key.opening) + at
            if ply % 2 != seat:
                seen = column
                continue
            answer = player.ask(seen)
            again = answer.charged_ns if isinstance(answer, Fault) else answer[1]
            self._charged[at] += again
            if isinstance(answer, Fault) or answer[0] != column:
                return fault
        limits = (key.first, key.second)[seat].own(key.limits)
        is_first = len(self._charged) < 2
        return charge_both(fault, player.ask(seen), limits, is_first=is_first)


def outcome(position: Position) -> tuple[int | None, Verdict, str]:
    """Return winner, verdict and reason of a game that ended without a fault."""
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


def illegal(column: int, position: Position) -> Fault:
    """Return the fault of a player that answered with a column that it cannot play."""
    columns = position.rules.columns
    if 0 <= column < columns:
        return Fault.of(Ending.FULL_COLUMN, column=column)
    exist = f"columns 0 to {columns - 1}" if columns > 1 else "only column 0"
    return Fault.of(Ending.NO_SUCH_COLUMN, column=column, columns=exist)
