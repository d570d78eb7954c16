"""The table at which a person plays: moves are taken back, games loaded and saved."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.person import Person, Spent, ask_afterwards, read_game, save_game
from arena.cli.saving import is_page, save_page
from arena.cli.screen import WIDE
from arena.cli.terminal import Terminal
from arena.errors import InputError, LeftError, LoadedError, TakenBackError
from arena.host.protocol import UNMETERED
from arena.numbers import counted, duration
from arena.quoting import plain_lines
from arena.referee import Answer, Bot, Fault, GameKey, GameRecord, Limits, Player, play
from arena.referee.bot_player import BotPlayer
from arena.referee.game import outcome
from arena.referee.refusal import refuses
from arena.rules import MARKS, Position, Ruleset, format_moves

if TYPE_CHECKING:
    from arena.report.html import PlayedGame

NOBODY = Bot(content_hash="", root="")
"""Stands in a game's key for a person: there is nothing to load."""


YOU = "You"
"""Stands for the person in sentences at the table."""


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
        self._spent: Spent = {}
        self._result: GameRecord | None = None
        players: list[Player] = [
            Person(terminal, self._begins, self._save, self._spent) for _ in range(2)
        ]
        self._bots = [NOBODY, NOBODY]
        self._names = ["", ""]
        if opponent is not None:
            players[1 - person] = _Announced(opponent, terminal, self._spent)
            self._bots[1 - person] = opponent.bot
            self._names[person], self._names[1 - person] = YOU, opponent.name
        self._players = players

    def play(self, position: Position) -> int:
        """Play on from a position. Returns the exit code: 1 if the bot could not be loaded."""
        self._check(position.rules)
        self._terminal.caption(self._header(position.rules))
        self._terminal.show(position)
        while True:
            try:
                if self._result is None and not position.is_over:
                    self._result = self._game(position)
                    position = Position(position.rules, self._result.columns)
                self._terminal.show(position)
                header = self._header(position.rules)
                self._terminal.caption(header, *self._ending(position))
                ask_afterwards(self._terminal, position, self._begins, self._save)
            except TakenBackError:
                position, self._result = self._taken_back(), None
            except LoadedError as loaded:
                try:
                    game = read_game(str(loaded))
                    self._check(game.rules)
                except InputError as error:
                    self._terminal.say(str(error))
                    position = self._terminal.position
                else:
                    position, self._result = game, None
                    self._spent.clear()
            except (LeftError, KeyboardInterrupt) as left:
                if isinstance(left, KeyboardInterrupt):
                    click.echo()  # it may stand at a prompt
                if moves := self._terminal.position.moves:
                    click.echo(f"moves: {format_moves(moves)}")
                if isinstance(left, KeyboardInterrupt):
                    raise
                # a fault before any move was asked for
                result = self._result
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

    def _save(self, position: Position, file: str) -> None:
        """Write the game to a file. Raises InputError, StorageError."""
        if not is_page(file):
            save_game(position, file)
            return
        players = [
            (
                "person" if name == YOU else name or mark,
                bot.own(self._limits).nodes if bot is not NOBODY else None,
            )
            for name, mark, bot in zip(self._names, MARKS, self._bots, strict=True)
        ]
        save_page(Path(file), position.rules, self._limits, players, [self._played(position)])

    def _played(self, position: Position) -> PlayedGame:
        """Return the game so far as a page shows it; what was loaded counts as its opening."""
        from arena.report.html import PlayedGame  # pandas and jinja2 take a while

        moves, result = position.moves, self._result
        begun = len(moves)
        while begun and begun - 1 in self._spent:
            begun -= 1
        spent = [self._spent[ply] for ply in range(begun, len(moves))]
        if result is None:
            winner, verdict, reason = outcome(position)
            result = GameRecord(
                key="",
                columns=moves,
                opening_plies=begun,
                charged_ns=(),
                nodes=(),
                winner=winner,
                verdict=verdict,
                reason=reason,
            )
        elif result.verdict.is_fault and result.charged_ns:
            spent.append((result.charged_ns[-1], result.nodes[-1]))
        return PlayedGame(
            number=1,
            opening=1,
            first=0,
            second=1,
            record=replace(
                result,
                opening_plies=begun,
                charged_ns=tuple(ns for ns, _ in spent),
                nodes=tuple(nodes for _, nodes in spent),
            ),
            is_over=position.is_over or result.verdict.is_fault,
        )

    def _ending(self, position: Position) -> Iterator[str]:
        """Yield lines about a game's end; there is no result if it was over when it was loaded."""
        result = self._result
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

    def __init__(self, opponent: Opponent, terminal: Terminal, spent: Spent) -> None:
        self._spent = spent
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
            self._spent[self._terminal.position.ply] = spent_ns, searched
        return answer

    def dismiss(self) -> str:
        """End its process; returns the last of what it printed."""
        return self._player.dismiss()
