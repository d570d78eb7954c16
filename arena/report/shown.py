"""Single games as they are shown: each with all that is known of it, wherever it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.contest import GameAnalysis, Results, ScheduledGame, forfeit
from arena.errors import InputError
from arena.numbers import listed
from arena.referee import GameRecord
from arena.rules import Ruleset

LEAST_OF_KEY = 6
"""Digits of a key that tell a game, at least."""


@dataclass(frozen=True, slots=True)
class OwnSeat:
    """The part in a game of the bot for whose author it is shown."""

    seat: int
    """Its seat: 0 for the bot that moves first from the empty board."""

    seed: int
    """The seed of its random numbers in this game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGame:
    """A game with all that is known of it."""

    number: int
    """Its number among the games that are kept together."""

    opening: int
    """The number of its opening, from 1."""

    names: tuple[str, str]
    """Names of the bot that moves first from the empty board, and of the other."""

    rules: Ruleset
    """The rules of the game."""

    record: GameRecord
    """The game as it was played, or the made-up record of one that is forfeited unplayed."""

    analysis: GameAnalysis | None = None
    """The worth of its moves; None if it was not analysed."""

    forfeit: GameRecord | None = None
    """The made-up record that counts in its place, as a bot is retired; None if it counts."""

    own: OwnSeat | None = None
    """The part of the bot for whose author it is shown; None if it is shown to anybody."""

    @property
    def is_played(self) -> bool:
        """True if `record` was played."""
        return self.record is not self.forfeit

    @property
    def result(self) -> GameRecord:
        """The record that counts."""
        return self.forfeit or self.record


class ShownGames(Protocol):
    """Games that are kept together: those of a contest, or of a file."""

    def __iter__(self) -> Iterator[ShownGame]:
        """Yield every game that has a result, in the order of their numbers."""

    def find(self, word: str) -> ShownGame:
        """Return the game of that number, or whose key begins so. Raises InputError."""


class ContestGames:
    """The games of a contest."""

    def __init__(self, place: str, games: Sequence[ScheduledGame], results: Results) -> None:
        """`games` are all of the contest, `results` those that have one.

        `place` is the contest's folder, as it was typed.
        """
        self._place, self._games, self._results = place, games, results

    def __iter__(self) -> Iterator[ShownGame]:
        for game, record, is_forfeit in self._results.settled.games:
            yield self._shown(game, record if is_forfeit else None)

    def find(self, word: str) -> ShownGame:
        game = self._scheduled(word)
        made_up = forfeit(game, self._results.settled.retired)
        if made_up is None and game.key.digest not in self._results.records:
            raise self._not_yet(game)
        return self._shown(game, made_up)

    def played(self, word: str) -> tuple[ScheduledGame, GameRecord]:
        """Return the game of that number, or whose key begins so, and its record.

        Raises InputError if it was not played.
        """
        game = self._scheduled(word)
        record = self._results.records.get(game.key.digest)
        if record is not None:
            return game, record
        if forfeit(game, self._results.settled.retired) is None:
            raise self._not_yet(game)
        retired = [
            name for name in (game.first, game.second) if name in self._results.settled.retired
        ]
        raise InputError(
            f"{self._place}: game {game.number} was never played, as {listed(retired)} "
            f"{'was' if len(retired) == 1 else 'were'} retired and forfeits it; "
            "there is nothing to play again"
        )

    def _scheduled(self, word: str) -> ScheduledGame:
        for game in self._games:
            if is_called(word, game.number, game.key.digest):
                return game
        if any(is_called(word, 0, key) for key in self._results.records):
            raise InputError(
                f"{self._place}: game {word} belongs to this contest no more, as a bot or a "
                "setting has changed since; its record is kept, without what it was played from"
            )
        raise InputError(
            f"{self._place}: there is no game {word}; games are numbered 1 to {len(self._games)}"
        )

    def _not_yet(self, game: ScheduledGame) -> InputError:
        return InputError(
            f"{self._place}: game {game.number} has not been played yet; arena resume {self._place}"
        )

    def _shown(self, game: ScheduledGame, made_up: GameRecord | None) -> ShownGame:
        """Return a game that was played, or is forfeited by that made-up record."""
        played = self._results.records.get(game.key.digest)
        record = played or made_up
        assert record is not None
        return ShownGame(
            number=game.number,
            opening=game.opening,
            names=(game.first, game.second),
            rules=game.key.rules,
            record=record,
            analysis=self._results.analyses.get(record.key) if played else None,
            forfeit=made_up,
        )


def is_called(word: str, number: int, key: str) -> bool:
    """Return whether a word is the number of a game, or the beginning of its key."""
    return word == str(number) or (len(word) >= LEAST_OF_KEY and key.startswith(word))


def outcome(names: tuple[str, str], record: GameRecord) -> str:
    """Return who won and why, in one line."""
    if record.winner is None:
        return f"draw: {record.reason}" if record.is_game else f"no game: {record.reason}"
    winner, loser = names[record.winner], names[1 - record.winner]
    if record.verdict.is_fault:
        return f"{winner} wins: {loser} {record.reason} [{record.verdict.name}]"
    return f"{winner} wins: {record.reason}"
