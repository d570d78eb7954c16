"""A list of games on a terminal, filtered by bots, result and verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rich.table import Table

from arena.common.errors import InputError
from arena.common.names import hint_for
from arena.common.text import MAX_SENTENCE, one_line, some_of
from arena.game.verdict import Verdict
from arena.report.replay import ShownGame
from arena.report.screen.fitting import fitted, fitted_table
from arena.rules import MARKS

NAMED = 10  # bots that a message names if a bot is not found


class GameResult(StrEnum):
    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    bots: tuple[str, ...] = ()
    """With one name, all games of this bot; with several, only games between these bots."""

    result: GameResult | None = None
    verdict: Verdict | None = None

    def __post_init__(self) -> None:
        if self.result is not None and not self.bots:
            raise InputError(f"--result {self.result}: also name the bot, with --bot")

    def has(self, game: ShownGame) -> bool:
        return (
            self._has_bots(game.names)
            and self.verdict in (None, game.result.verdict)
            and (self.result is None or self.result is self._result(game))
        )

    def _has_bots(self, names: tuple[str, str]) -> bool:
        if len(self.bots) == 1:
            return self.bots[0] in names
        return not self.bots or set(names) <= set(self.bots)

    def _result(self, game: ShownGame) -> GameResult | None:
        record = game.result
        if self.bots[0] not in game.names or not record.is_game:
            return None
        if record.winner is None:
            return GameResult.DRAWN
        return GameResult.WON if game.names[record.winner] == self.bots[0] else GameResult.LOST


def chosen(games: Iterable[ShownGame], choice: Choice, place: str) -> Iterator[ShownGame]:
    """Yield the games that match.

    After the last game, raises InputError if no game at all has a bot of `choice`.
    `place` names the games' source in messages.
    """
    names: set[str] = set()
    for game in games:
        names.update(game.names)
        if choice.has(game):
            yield game
    if not names:
        raise InputError(f"{place}: no game has been played yet")
    for bot in choice.bots:
        if bot not in names:
            hint = hint_for(bot, names, f"there are {some_of(sorted(names), NAMED)}")
            raise InputError(f"{place}: no game of {one_line(bot, 60)!r}; {hint}")


# columns that a narrow screen leaves out, in this order
DROPPED = ("plies", "opening", "reason", "verdict")
NAME = 24  # cells of a name, at most


def games_table(games: Sequence[ShownGame], width: int) -> Table:
    rows = [_cells(game) for game in games]
    cells = {title: [row[title] for row in rows] for title in rows[0]}
    styles = ["red" * game.result.verdict.is_fault for game in games]
    return fitted_table(cells, width, DROPPED, styles=styles)


def _cells(game: ShownGame) -> dict[str, str]:
    record = game.result
    names = (fitted(name, NAME) for name in game.names)
    nobody = "draw" if record.is_game else "no game"
    return {
        "game": f"{game.number}",
        "opening": f"{game.opening}",
        **dict(zip(MARKS, names, strict=True)),
        "winner": fitted(winner_of(game) or nobody, NAME),
        "plies": f"{len(record.columns)}",
        "verdict": f"{record.verdict.name}{' (forfeit)' if game.forfeit else ''}",
        "reason": fitted(record.reason, MAX_SENTENCE),
    }


def winner_of(game: ShownGame) -> str | None:
    winner = game.result.winner
    return None if winner is None else game.names[winner]


def as_plain(game: ShownGame) -> dict[str, Any]:
    record = game.result
    return {
        "game": game.number,
        "opening": game.opening,
        "first": game.names[0],
        "second": game.names[1],
        "winner": winner_of(game),
        "verdict": record.verdict.name,
        "reason": record.reason,
        "plies": len(record.columns),
        "forfeit": game.forfeit is not None,
        "key": record.key,
    }
