"""A list of games on a terminal, filtered by bots, result, verdict and opening."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from arena.common.errors import InputError
from arena.common.names import hint_for
from arena.common.text import MAX_SENTENCE, one_line, some_of
from arena.game.verdict import Verdict
from arena.report.replay import ShownGame
from arena.report.screen.fitting import fitted, padded
from arena.rules import MARKS

NAMED = 10  # bots that a message names if a bot is not found


class GameResult(StrEnum):
    """A game's result for one of its two bots."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A filter for games; by default all match."""

    bots: tuple[str, ...] = ()
    """With one name, all games of this bot; with several, only games between these bots."""

    result: GameResult | None = None
    """The game's result for the first of `bots`."""

    verdict: Verdict | None = None

    opening: int | None = None
    """Number of the opening, from 1."""

    def __post_init__(self) -> None:
        if self.result is not None and not self.bots:
            raise InputError(f"--result {self.result}: also name the bot, with --bot")

    def has(self, game: ShownGame) -> bool:
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

    def _result(self, game: ShownGame) -> GameResult | None:
        record = game.result
        if self.bots[0] not in game.names or not record.is_game:
            return None
        if record.winner is None:
            return GameResult.DRAWN
        return GameResult.WON if game.names[record.winner] == self.bots[0] else GameResult.LOST


def chosen(games: Iterable[ShownGame], choice: Choice, place: str) -> Iterator[ShownGame]:
    """Yield the games that match.

    After the last game, raises InputError if no game at all has a bot or the opening of `choice`.
    `place` names the games' source in messages.
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
            hint = hint_for(bot, names, f"there are {some_of(sorted(names), NAMED)}")
            raise InputError(f"{place}: no game of {one_line(bot, 60)!r}; {hint}")
    if choice.opening is not None and choice.opening > last_opening:
        raise InputError(
            f"{place}: no game from opening {choice.opening}; they are numbered 1 to {last_opening}"
        )


NAMES = (*MARKS, "winner")  # columns with bots' names, which a narrow screen shortens
LEFT = (*NAMES, "verdict", "reason")  # columns aligned to the left

# columns that a narrow screen leaves out, in this order
DROPPED = ("plies", "opening", "reason", "verdict")
NAME, REASON = 24, 20  # cells: most of a name, least of a reason that is longer
GAP = "  "


def games_table(games: Sequence[ShownGame], width: int) -> Text:
    """Return a line of titles, then one for each game, at most `width` cells wide."""
    rows = [_cells(game) for game in games]
    titles = {title: title for title in rows[0]}
    sizes = {title: max(cell_len(row[title]) for row in [titles, *rows]) for title in titles}
    reason = sizes["reason"]
    sizes["reason"] = min(reason, REASON)
    for title in DROPPED:
        if _width(sizes) > width:
            del sizes[title]
    while _width(sizes) > width and (longest := max(sizes[title] for title in NAMES)) > 1:
        sizes[next(title for title in NAMES if sizes[title] == longest)] -= 1
    if "reason" in sizes:
        sizes["reason"] = min(reason, sizes["reason"] + width - _width(sizes))
    lines = [Text(_line(titles, sizes), "bold")]
    for game, row in zip(games, rows, strict=True):
        lines.append(Text(_line(row, sizes), "red" if game.result.verdict.is_fault else ""))
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


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


def _width(sizes: Mapping[str, int]) -> int:
    return sum(sizes.values()) + len(GAP) * (len(sizes) - 1)


def _line(cells: Mapping[str, str], sizes: Mapping[str, int]) -> str:
    fields = (padded(cells[title], sizes[title], right=title not in LEFT) for title in sizes)
    return GAP.join(fields).rstrip()


def winner_of(game: ShownGame) -> str | None:
    """Return the winner's name; None after a draw, or if neither bot could play."""
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
