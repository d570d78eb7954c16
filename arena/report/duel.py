"""Which of two versions of a bot is better, decided while they play, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.common.text import counted
from arena.game.record import GameRecord
from arena.statistics.betting import SCORES, certainty, elo, interval
from arena.statistics.bradley_terry import LEVEL

MOST_OPENINGS = 200  # Unless --openings names another number.

# No more openings are played after this many, all with the same moves on both sides. If the bots
# differed in 1 of 10 openings, the chance of that would be under 5 %.
ALIKE = 30
WIDEST = 150  # Elo points. With a wider interval, bots are not called equal.
RESULTS = ("won", "drew", "lost")  # A game of the newer bot.


@dataclass(slots=True)
class Duel:
    new: str
    old: str
    _pairs: list[int] = field(default_factory=lambda: [0] * len(SCORES))
    """Numbers of opening pairs by the newer bot's score."""

    _games: list[int] = field(default_factory=lambda: [0] * len(RESULTS))
    """Numbers of games by RESULTS."""

    _are_alike: bool = True

    def add(self, pair: Sequence[tuple[int, GameRecord]]) -> str:
        """Add an opening's two games, each with the newer bot's seat; return a line.

        The pair does not count if neither bot could be loaded in one of its games.
        """
        words, results = [], []
        for seat, record in pair:
            place = 1 if record.winner is None else 0 if record.winner == seat else 2
            results.append(place)
            fault = f" [{record.verdict.name}]" if record.verdict.is_fault else ""
            words.append(f"{RESULTS[place] if record.is_game else 'no game'}{fault}")
        if all(record.is_game for _, record in pair):
            self._pairs[sum(2 - place for place in results)] += 1
            for place in results:
                self._games[place] += 1
            one, other = (tuple(record.columns) for _, record in pair)
            self._are_alike &= one == other
        won, drawn, lost = self._games
        return f"{', '.join(words):<24}  {won} won, {drawn} drawn, {lost} lost"

    @property
    def is_decided(self) -> bool:
        is_enough = self._are_alike and sum(self._pairs) >= ALIKE
        return is_enough or certainty(self._pairs) >= LEVEL

    def answer(self) -> str:
        won, drawn, lost = self._games
        games = counted(sum(self._games), "game")
        score = f"({won} won, {lost} lost, {drawn} drawn in {games})"
        if not sum(self._pairs):
            return "no opening was played with both sides, so nothing is known"
        if self._are_alike:
            return f"{self.new} and {self.old} are equal: they played the same moves in all {games}"
        sure = certainty(self._pairs)
        if sure >= LEVEL:
            better, other = (self.new, self.old) if won > lost else (self.old, self.new)
            chance = min(int(1000 * sure) / 10, 99.9)
            return f"{better} is better than {other} with a chance of {chance:g} % {score}"
        low, high = map(elo, interval(self._pairs))
        within = max(-low, high)
        if within > WIDEST:
            return f"too few games to know which is better {score}"
        return f"{self.new} and {self.old} are about equal, within ±{within:.0f} Elo {score}"
