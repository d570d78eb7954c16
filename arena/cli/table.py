"""The table at which a person plays: moves are taken back, games loaded and saved."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import click

from arena.cli.person import Person, ask_afterwards, read_game
from arena.cli.screen import WIDE
from arena.cli.terminal import Terminal
from arena.errors import InputError, LeftError, LoadedError, TakenBackError
from arena.host.protocol import UNMETERED
from arena.numbers import counted, duration
from arena.quoting import plain_lines
from arena.referee import Answer, Bot, Fault, GameKey, GameRecord, Limits, Player, play
from arena.referee.bot_player import BotPlayer
from arena.referee.refusal import refuses
from arena.rules import MARKS, Position, Ruleset, format_moves

NOBODY = Bot(content_hash="", root="")
"""Stands in a game's key for a person: there is nothing to load."""


@dataclass(frozen=True)
class Opponent:
    """The bot at a table."""

    name: str
    """Its name."""

    bot: Bot
    """The bot as it is entered."""

    player: BotPlayer
    """Its process."""


class Table:
    """A table at which one game after another is played until the person leaves."""

    def __init__(
        self,
        terminal: Terminal,
        opponent: Opponent | None,
        limits: Limits,
        seed: int | None,
        *,
        person: int,
    ) -> None:
        """`person` is the seat, 0 or 1, of the one person, if there is an opponent."""
        self._terminal = terminal
        self._opponent = opponent
        self._limits = limits
        self._seed = secrets.randbits(60) if seed is None else seed
        self._begins = 0 if opponent is None else person
        players: list[Player] = [Person(terminal, self._begins) for _ in range(2)]
        self._bots = [NOBODY, NOBODY]
        self._names = ["", ""]
        if opponent is not None:
            players[1 - person] = _Announced(opponent, terminal)
            self._bots[1 - person] = opponent.bot
            self._names[person], self._names[1 - person] = "You", opponent.name
        self._players = players

    def play(self, position: Position) -> int:
        """Play on from a position. Returns the exit code: 1 if the bot could not be loaded."""
        self._check(position.rules)
        self._terminal.caption(self._header(position.rules))
        self._terminal.show(position)
        result = None
        while True:
            try:
                if result is None and not position.is_over:
                    result = self._game(position)
                    position = Position(position.rules, result.columns)
                self._terminal.show(position)
                header = self._header(position.rules)
                self._terminal.caption(header, *self._ending(result, position))
                ask_afterwards(self._terminal, position, self._begins)
            except TakenBackError:
                position, result = self._taken_back(), None
            except LoadedError as loaded:
                try:
                    game = read_game(str(loaded))
                    self._check(game.rules)
                except InputError as error:
                    self._terminal.say(str(error))
                    position = self._terminal.position
                else:
                    position, result = game, None
            except (LeftError, KeyboardInterrupt) as left:
                if isinstance(left, KeyboardInterrupt):
                    click.echo()  # it may stand at a prompt
                if moves := self._terminal.position.moves:
                    click.echo(f"moves: {format_moves(moves)}")
                if isinstance(left, KeyboardInterrupt):
                    raise
                # a fault before any move was asked for
                return int(result is not None and result.verdict.is_fault and not result.charged_ns)
            self._terminal.caption(self._header(position.rules))

    def _game(self, position: Position) -> GameRecord:
        """Play one game to its end. Raises an InterruptedGameError."""
        key = GameKey(
            rules=position.rules,
            limits=self._limits,
            opening=position.moves,
            first=self._bots[0],
            second=self._bots[1],
            seed=self._seed,
        )
        return play(key, *self._players)

    def _check(self, rules: Ruleset) -> None:
        """Raise InputError if the opponent cannot play by these rules."""
        opponent = self._opponent
        if opponent is not None and (why := refuses(opponent.bot, rules)) is not None:
            raise InputError(f"{opponent.name} {why}")

    def _taken_back(self) -> Position:
        """Return the game as it stood when a person was last to move."""
        rules, moves = self._terminal.position.rules, self._terminal.position.moves[:-1]
        if not isinstance(self._players[len(moves) % 2], Person):
            moves = moves[:-1]
        return Position(rules, moves)

    def _header(self, rules: Ruleset) -> str:
        """Return who plays which discs, if one of them has a name, and the rules."""
        one, two = self._names
        who = f"{MARKS[0]}: {one}, {MARKS[1]}: {two}; " if one else ""
        return f"{who}{rules}; ? for help"

    def _ending(self, result: GameRecord | None, position: Position) -> Iterator[str]:
        """Yield lines about a game's end; `result` is None if it was over when it was loaded."""
        if result is None:
            winner = position.winner
            yield "Tie game!" if winner is None else f"Win for {MARKS[winner]}!"
            return
        if result.winner is None:
            yield f"Tie game! {_sentence(result.reason)}"
            return
        fault = result.verdict.is_fault
        who = self._names[1 - result.winner if fault else result.winner]
        how = f"{who} {result.reason}." if who else _sentence(result.reason)
        yield f"Win for {MARKS[result.winner]}! {how}"
        if result.output.strip():
            yield "The last it printed, or where it was:"
            yield from plain_lines(result.output, WIDE)


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


class _Announced:
    """A bot player that prints each of its moves."""

    def __init__(self, opponent: Opponent, terminal: Terminal) -> None:
        self._name = opponent.name
        self._player = opponent.player
        self._terminal = terminal

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        """Load the bot."""
        with self._terminal.busy(f"{self._name} is being loaded"):
            return self._player.sit(player, rules, opening, seed)

    def ask(self, seen: int) -> Answer | Fault:
        """Ask the bot, and print its move with the time and nodes that it took."""
        with self._terminal.busy(f"{self._name} is thinking"):
            answer = self._player.ask(seen)
        if not isinstance(answer, Fault):
            column, spent_ns, searched = answer
            nodes = "nodes not counted" if searched == UNMETERED else counted(searched, "node")
            self._terminal.say(f"{self._name}: column {column}, {duration(spent_ns)}, {nodes}")
        return answer

    def dismiss(self) -> str:
        """End its process; returns the last of what it printed."""
        return self._player.dismiss()
