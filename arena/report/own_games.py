"""A bot's games as its author may see them.

They show what happened on the board, but not the opponents' output and errors, which could reveal
code. With pseudonyms, the games get new numbers, in the order of the pseudonyms, as the contest's
numbers and keys depend on the bots' names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from arena.common.text import quote
from arena.contest.settled import SettledGame, SettledGames
from arena.game.record import GameRecord
from arena.journal.packed import Vector
from arena.report.facts import Facts
from arena.report.replay import OwnSeat, ShownGame


class CitedGames:
    """Collects the games that a feedback page names, by their numbers on the page."""

    def __init__(self, file: str, numbers: Mapping[int, int], source: str = "") -> None:
        """Start without games.

        `file` has the games. `numbers` maps the contest's game numbers to the page's, in the
        page's order. `source` is the submission's file name, if known.
        """
        self._file, self._numbers = quote(file), numbers
        self._source = source or "my_bot.py"
        self._named: set[int] = set()

    def number(self, game: int) -> int:
        """Return the page's number for a contest's game, and record that the page has it."""
        number = self._numbers[game]
        self._named.add(number)
        return number

    def replay(self, game: int) -> str:
        return f"arena replay {self._file} {self.number(game)}"

    def ask(self, game: int) -> str:
        """Return the command that asks the author's copy for its moves again."""
        return f"arena ask {quote(self._source)} --game {self._file} {self.number(game)}"

    @property
    def named(self) -> frozenset[int]:
        """The page's numbers of the games that it has named so far."""
        return frozenset(self._named)


def contest_games(facts: Facts) -> Iterator[ShownGame]:
    return (_shown(facts, settled) for settled in facts.settled.games)


def _shown(facts: Facts, settled: SettledGame) -> ShownGame:
    game, record, is_forfeit = settled
    analysis = None if is_forfeit else facts.analyses.get(record.key)
    return ShownGame.of(game, record, analysis, record if is_forfeit else None)


# Shown instead of the reason if neither bot could play, and if the opponent forfeits.
NEITHER, RETIRED = "neither bot plays", "was retired and forfeits this game"


class OwnGames:
    """The games of each bot, as its author may see them."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._games = facts, SettledGames.of(facts.settled.games)

    def numbers(self, bot: str) -> Mapping[int, int]:
        """Map the contest numbers of a bot's games to its author's, in the author's order."""
        numbers = self._games.numbers[self._places(bot)].tolist()
        shown = range(1, len(numbers) + 1) if self._facts.pseudonyms else numbers
        return dict(zip(numbers, shown, strict=True))

    def __call__(self, bot: str) -> Iterator[ShownGame]:
        """Yield a bot's games that have a result, in the author's order."""
        facts, numbers = self._facts, self.numbers(bot)
        for place in self._places(bot).tolist():
            settled = self._games[place]
            game, shown = settled.game, _shown(facts, settled)
            seat = int(game.second == bot)
            seen = _seen(shown.record, seat, is_forfeit=settled.is_forfeit)
            yield replace(
                shown,
                number=numbers[game.number],
                names=(facts.public_name(game.first), facts.public_name(game.second)),
                record=seen,
                analysis=shown.analysis and replace(shown.analysis, key=""),
                forfeit=seen if settled.is_forfeit else None,
                own=OwnSeat(seat, game.key.bot_seed(seat)),
            )

    def _places(self, bot: str) -> Vector:
        places = self._games.of_bot(bot)
        if self._facts.pseudonyms:
            names = sorted(map(self._facts.public_name, self._games.names))
            of = [names.index(self._facts.public_name(name)) for name in self._games.names]
            sides = np.array(of)[self._games.sides[places]]
            openings = self._games.openings[places]
            places = places[np.lexsort((openings, sides[:, 1], sides[:, 0]))]
        return places


def _seen(record: GameRecord, seat: int, *, is_forfeit: bool) -> GameRecord:
    """Return a record without its key, and without the opponent's reason and output."""
    reason, output = record.reason, record.output
    if not record.is_game:
        reason, output = NEITHER, ""
    elif record.verdict.is_fault and record.winner == seat:
        reason, output = RETIRED if is_forfeit else record.verdict.value, ""
    return replace(record, key="", reason=reason, output=output)
