"""Choosing games: by the bots that played, by result, verdict and opening."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from arena.errors import InputError
from arena.naming import hint_for
from arena.numbers import some
from arena.quoting import one_line
from arena.referee import Verdict
from arena.report.shown import ShownGame

NAMED = 10
"""Bots named at most where one is not found."""


class Result(StrEnum):
    """The result of a game for one of its bots."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What games have to be like to be chosen; by default all are."""

    bots: tuple[str, ...] = ()
    """One bot that plays in them, or several that play one another in them."""

    result: Result | None = None
    """Their result for the first of these bots."""

    verdict: Verdict | None = None
    """The way in which they ended."""

    opening: int | None = None
    """The number of their opening, from 1."""

    def __post_init__(self) -> None:
        if self.result is not None and not self.bots:
            raise InputError(f"--result {self.result}: of which bot? name it with --bot")

    def has(self, game: ShownGame) -> bool:
        """Return whether a game is chosen."""
        return (
            self._has_bots(game.names)
            and self.opening in (None, game.opening)
            and self.verdict in (None, game.result.verdict)
            and (self.result is None or self.result is self._result(game))
        )

    def _has_bots(self, names: tuple[str, str]) -> bool:
        if len(self.bots) == 1:
            return self.bots[0] in names
        return not self.bots or set(names) <= set(self.bots)

    def _result(self, game: ShownGame) -> Result | None:
        """Return a game's result for the first bot; None if it is not its, or no game."""
        record = game.result
        if self.bots[0] not in game.names or not record.is_game:
            return None
        if record.winner is None:
            return Result.DRAWN
        return Result.WON if game.names[record.winner] == self.bots[0] else Result.LOST


def chosen(games: Iterable[ShownGame], choice: Choice, place: str) -> Iterator[ShownGame]:
    """Yield the games that are chosen.

    Raises InputError at the end if there is no game of a bot or of an opening that was asked for;
    `place` is where the games are kept.
    """
    names: set[str] = set()
    last_opening = 0
    for game in games:
        names.update(game.names)
        last_opening = max(last_opening, game.opening)
        if choice.has(game):
            yield game
    if not names:
        raise InputError(f"{place}: no game has been played yet")
    for bot in choice.bots:
        if bot not in names:
            hint = hint_for(bot, names, f"there are {some(sorted(names), NAMED)}")
            raise InputError(f"{place}: no game of {one_line(bot, 60)!r}; {hint}")
    if choice.opening is not None and choice.opening > last_opening:
        raise InputError(
            f"{place}: no game from opening {choice.opening}; they are numbered 1 to {last_opening}"
        )
