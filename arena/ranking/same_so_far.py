"""Which bots of a contest under way are the same: `identical_bots`, without a frame of all games.

The moves of the games are kept in some forty bytes each. A look at the first moves alone clears
almost every bot; `identical_bots` compares the games of those that are left.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.contest import Contest, SettledGame
from arena.contest.game_index import GameIndex
from arena.ranking.games import games_frame
from arena.ranking.identical import Group, identical_bots, same_files, same_sources
from arena.ranking.ratings import only
from arena.ranking.same_play import ENOUGH_GAMES, alike
from arena.referee import GameRecord, Verdict

VERDICTS = tuple(Verdict)

Ints = NDArray[np.int64]


class SameSoFar:
    """Finds the bots that are the same, by the games that were played so far."""

    def __init__(self, contest: Contest, index: GameIndex) -> None:
        """Begin without a game; `index` has the games of the contest."""
        self._contest, self._index = contest, index
        self._files = list(same_files(contest))
        self._like = frozenset(chain.from_iterable(same_sources(contest)))
        first = {name: names[0] for names in self._files for name in names}
        number = {name: place for place, name in enumerate(index.names)}
        players = [number.get(first.get(name, name), place) for name, place in number.items()]
        self._players = np.array(players, np.int64)
        """The number of a bot with the same files, for each bot of the index."""
        self._opening_codes: dict[bytes, int] = {}
        # of each game that was played, as it came
        self._keys, self._openings = array("i"), array("i")
        self._begun, self._plies, self._ends = array("H"), array("H"), array("B")
        self._moves = bytearray()

    def add(self, key: int, record: GameRecord) -> None:
        """Take note of a game that was played, by the number of its key."""
        moves = bytes(record.columns)
        opening = moves[: record.opening_plies]
        self._keys.append(key)
        self._openings.append(self._opening_codes.setdefault(opening, len(self._opening_codes)))
        self._begun.append(record.opening_plies)
        self._plies.append(len(moves))
        winner = 2 if record.winner is None else record.winner
        self._ends.append(3 * VERDICTS.index(record.verdict) + winner)
        self._moves += moves

    def groups(self, is_forfeit: NDArray[np.bool_]) -> tuple[Group, ...]:
        """Return the groups of bots that are the same; `is_forfeit` is by the games' places."""
        told = self._told(is_forfeit)
        suspects = self._like | self._played_alike(told)
        named = [names for names in self._files if len(names) > 1 or names[0] in suspects]
        if not named:
            return ()
        contest = only(self._contest, frozenset(chain.from_iterable(named)))
        looked_at = frozenset(chain.from_iterable(each for each in named if each[0] in suspects))
        return identical_bots(self._frame(looked_at, told), contest)

    def _told(self, is_forfeit: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the places of the games that tell, and when each of them came."""
        came = np.full(len(self._index.firsts), -1, np.int64)
        came[np.array(self._keys, np.int64)] = np.arange(len(self._keys))
        came = came[self._index.keys]
        places = np.flatnonzero((came >= 0) & ~is_forfeit)
        return places, came[places]

    def _played_alike(self, told: tuple[Ints, Ints]) -> frozenset[str]:
        """Return the bots that another plays like, as far as numbers and first moves tell."""
        places, came = told
        names = self._index.names
        players = self._players[self._index.sides[places]]
        has_enough = np.bincount(players.ravel(), minlength=len(names)) >= ENOUGH_GAMES
        if has_enough.sum() < 2:
            return frozenset()
        begun, plies = (np.array(each, np.int64)[came] for each in (self._begun, self._plies))
        goes_on = plies > begun
        came, begun, players = came[goes_on], begun[goes_on], players[goes_on]
        movers = players[np.arange(len(came)), begun % 2]
        openings = np.array(self._openings, np.int64)[came]
        moves = np.array(self._moves, np.int64)[self._starts()[came] + begun]
        pairs = alike(movers, openings, moves, len(names), len(self._opening_codes))
        found = {bot for one, others in pairs for bot in (one, *others.tolist())}
        return frozenset(names[bot] for bot in found if has_enough[bot])

    def _starts(self) -> Ints:
        plies = np.array(self._plies, np.int64)
        return plies.cumsum() - plies

    def _frame(self, bots: frozenset[str], told: tuple[Ints, Ints]) -> pd.DataFrame:
        """Return the games of these bots as `games_frame` has them, without times."""
        starts, is_theirs = self._starts(), self._index.are_with(bots)

        def settled() -> Iterator[SettledGame]:
            for place, came in zip(*(each.tolist() for each in told), strict=True):
                if is_theirs[place]:
                    verdict, winner = divmod(self._ends[came], 3)
                    start = int(starts[came])
                    record = GameRecord(
                        key="",
                        columns=tuple(self._moves[start : start + self._plies[came]]),
                        opening_plies=self._begun[came],
                        charged_ns=(),
                        nodes=(),
                        winner=None if winner == 2 else winner,
                        verdict=VERDICTS[verdict],
                        reason="",
                    )
                    yield SettledGame(self._index.games[place], record, False)

        return games_frame(settled())
