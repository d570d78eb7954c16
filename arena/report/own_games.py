"""The games of a bot as its author is shown them.

They tell what happened on the board and nothing else of the opponents: not what those printed or
what their errors said, which shows their code. With pseudonyms the games have numbers of their own,
in an order of pseudonyms: those of the contest follow from the bots' names, and so do their keys.
"""

from __future__ import annotations

import shlex
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from arena.contest.retirement import SettledGame
from arena.game.record import GameRecord
from arena.report.facts import Facts
from arena.report.replay import OwnSeat, ShownGame


class CitedGames:
    """The games that a page for a bot's author names, by the numbers that they have for it."""

    def __init__(self, command: str, numbers: Mapping[int, int], source: str = "") -> None:
        """`command` shows a game, once its number is added; `numbers` are by those in the contest,
        in order. `source` is the name of what was handed in, if that is known."""
        self._command, self._numbers = command, numbers
        self._source = source or "my_bot.py"
        self._named: set[int] = set()

    def number(self, game: int) -> int:
        """Return what a game of the contest is called on the page, which names it from now on."""
        number = self._numbers[game]
        self._named.add(number)
        return number

    def replay(self, game: int) -> str:
        """Return the command that shows a game of the contest."""
        return f"{self._command} {self.number(game)}"

    def rerun(self, game: int) -> str:
        """Return the command that asks the bot again what it was asked in a game."""
        return f"{self.replay(game)} --rerun {shlex.quote(self._source)}"

    @property
    def named(self) -> frozenset[int]:
        """The numbers that the page names."""
        return frozenset(self._named)


NEITHER = "neither bot plays"
"""The reason of what is no game."""

RETIRED = "was retired and forfeits this game"
"""The reason of a game that an opponent forfeits."""


class OwnGames:
    """The games of each bot of a contest."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        places: dict[str, array[int]] = defaultdict(lambda: array("q"))
        for place, (game, _, _) in enumerate(facts.settled.games):
            places[game.first].append(place)
            places[game.second].append(place)
        self._places = places

    def numbers(self, bot: str) -> Mapping[int, int]:
        """Return the numbers that its games have for its author, by those in the contest.

        They are in the order of the former.
        """
        numbers = [settled.game.number for settled in self._settled(bot)]
        shown = range(1, len(numbers) + 1) if self._facts.pseudonyms else numbers
        return dict(zip(numbers, shown, strict=True))

    def __call__(self, bot: str) -> Iterator[ShownGame]:
        """Yield its games that have a result, in the order of the numbers that they have for it."""
        facts, numbers = self._facts, self.numbers(bot)
        for game, record, is_forfeit in self._settled(bot):
            seat = int(game.second == bot)
            seen = _seen(record, seat, is_forfeit=is_forfeit)
            analysis = None if is_forfeit else facts.analyses.get(record.key)
            yield ShownGame(
                number=numbers[game.number],
                opening=game.opening,
                names=(facts.called(game.first), facts.called(game.second)),
                rules=facts.contest.rules,
                record=seen,
                analysis=None if analysis is None else replace(analysis, key=""),
                forfeit=seen if is_forfeit else None,
                own=OwnSeat(seat, game.key.bot_seed(seat)),
            )

    def _settled(self, bot: str) -> list[SettledGame]:
        """Return its games in the order of the numbers that they have for its author."""
        facts = self._facts
        games = [facts.settled.games[place] for place in self._places[bot]]
        if facts.pseudonyms:
            games.sort(
                key=lambda each: (
                    *map(facts.called, (each.game.first, each.game.second)),
                    each.game.opening,
                )
            )
        return games


def _seen(record: GameRecord, seat: int, *, is_forfeit: bool) -> GameRecord:
    """Return a record without what the opponent of a seat printed, and without its key."""
    reason, output = record.reason, record.output
    if not record.is_game:
        reason, output = NEITHER, ""
    elif record.verdict.is_fault and record.winner == seat:
        reason, output = RETIRED if is_forfeit else record.verdict.value, ""
    return replace(record, key="", reason=reason, output=output)
