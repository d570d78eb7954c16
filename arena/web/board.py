"""The process of one board, on which visitors play against bots.

The server runs `python -m arena.web.board FOLDER CORE`. The process reads orders and prints the
game's state, each as a line of JSON. The bot has a contest's confinement, limits and clock.

Orders: {"bot", "person", "moves"} begins a game after the columns `moves`, with the visitor as
player `person`; {"column"} is the visitor's move; {"leave"} ends the game. The signal LEAVE stops a
thinking bot.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.common.errors import ArenaError, InputError, LeftError, MachineError
from arena.common.home import has_sandbox
from arena.contest.session import Session
from arena.game.bot_player import BotPlayer
from arena.game.play import play
from arena.game.player import Answer, Fault, Player
from arena.game.record import NOBODY, GameKey, GameRecord
from arena.game.starter import Starter, new_starter
from arena.host.protocol import UNMETERED
from arena.report.published import public_record, served_session
from arena.rules import Position, Ruleset
from arena.web.processes import BOTS, LEAVE, READERS, Message, end_with_server, lower_priority, send


class BoardGame:
    def __init__(self) -> None:
        self.position: Position
        self.answers: list[list[int]] = []
        """[ply, µs, nodes] of each move of the bot."""
        self.is_left = False
        self.is_interruptible = False
        """True while LEAVE may raise LeftError."""

    def send(self, *, thinking: bool, **more: Any) -> None:
        state = {"moves": list(self.position.moves), "answers": self.answers, "thinking": thinking}
        send(state | more)


class _Visitor:
    def __init__(self, game: BoardGame) -> None:
        self._game = game

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> None:
        """Nothing to prepare."""

    def ask(self, seen: int) -> Answer:
        self._game.send(thinking=False)
        order = _read_order()
        if "column" not in order:
            raise LeftError
        column = int(order["column"])
        self._game.position.play(column)
        return column, 0, UNMETERED

    def dismiss(self) -> str:
        return ""


class _ReportingBot:
    def __init__(self, game: BoardGame, player: BotPlayer) -> None:
        self._game, self._player = game, player

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        self._game.send(thinking=True, loading=True)
        return self._player.sit(player, rules, opening, seed)

    def ask(self, seen: int) -> Answer | Fault:
        game = self._game
        game.send(thinking=True)
        game.is_interruptible = True
        try:
            if game.is_left:
                raise LeftError
            answer = self._player.ask(seen)
        finally:
            game.is_interruptible = False
        if not isinstance(answer, Fault):
            column, spent_ns, nodes = answer
            if column in game.position.legal():
                game.answers.append([game.position.ply, spent_ns // 1000, nodes])
                game.position.play(column)
        return answer

    def dismiss(self) -> str:
        return self._player.dismiss()


def play_one(starter: Starter, session: Session, order: Message, game: BoardGame) -> GameRecord:
    contest, bots = session.contest, session.bots
    name, person = order["bot"], int(order["person"])
    if name not in contest.playing:
        raise InputError("no such bot takes part in this contest")
    bot, opening = bots[name], tuple(order["moves"])
    game.position, game.answers = Position(contest.rules, opening), []
    with BotPlayer(starter, bot, contest.limits) as player:
        players: list[Player] = [_ReportingBot(game, player), _ReportingBot(game, player)]
        players[person] = _Visitor(game)
        seats = [bot, bot]
        seats[person] = NOBODY
        key = GameKey(
            rules=contest.rules,
            limits=contest.limits,
            opening=opening,
            first=seats[0],
            second=seats[1],
            seed=secrets.randbits(60),
        )
        return public_record(play(key, *players), session)


def run(folder: Path) -> None:
    game = BoardGame()

    def leave(*_: object) -> None:
        game.is_left = True
        if game.is_interruptible:
            raise LeftError

    if LEAVE is not None:
        signal.signal(LEAVE, leave)
    starter = new_starter()
    lower_priority(BOTS, starter.pid)
    lower_priority(READERS)
    send({"ready": True})
    try:
        while True:
            order = _read_order()
            if "bot" not in order:
                continue
            game.is_left = False
            try:
                record = play_one(starter, served_session(folder), order, game)
                over = {
                    "winner": record.winner,
                    "verdict": record.verdict.value,
                    "reason": record.reason,
                    "is_fault": record.verdict.is_fault,
                    "output": record.output,
                }
                game.send(thinking=False, over=over)
            except LeftError:
                send({"left": True})
            except MachineError as error:
                send({"problem": str(error)})
                return  # the next game gets a new starter
            except ArenaError as error:
                send({"problem": str(error)})
    except LeftError:
        pass
    finally:
        starter.close()


def _read_order() -> Message:
    if line := sys.stdin.readline():
        order: Message = json.loads(line)
        return order
    raise LeftError


def main() -> None:
    end_with_server()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its boards
    if has_sandbox():
        with suppress(OSError):
            os.sched_setaffinity(0, {int(sys.argv[2])})
    run(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
