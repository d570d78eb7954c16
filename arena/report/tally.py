"""A running contest: totals, faults and standings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.contest.index import NOBODY_WON, NUMBERS, Ends, GamesAt, index_of, outcomes
from arena.contest.retirement import KINDS, SHARE, Retirement, forfeits
from arena.contest.settled import SettledGame
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.journal.rows import PackedNumbers
from arena.settings.contest import Contest, ScheduledGame

if TYPE_CHECKING:
    import pandas as pd

    from arena.scoring.tie_breaks import Scores

MOST_COMPARED = 20_000  # games that are kept to find bots that play the same
SLOW = [number for (verdict, _), number in NUMBERS.items() if verdict in KINDS]


class Standing(NamedTuple):
    name: str
    rank: int
    points: float
    games: int
    faults: int
    is_retired: bool


class BotFault(NamedTuple):
    name: str
    verdict: Verdict

    reason: str
    """What the bot did in the last such fault: the rest of a sentence."""

    game: int
    times: int


class Scoreboard:
    """Running totals of a contest.

    A game that was played and later became a forfeit counts only as a forfeit.
    """

    def __init__(self, contest: Contest, games: Sequence[ScheduledGame]) -> None:
        self._contest = contest
        self._index = index = index_of(games)
        self.ends = Ends(index)
        self.names = {name: number for number, name in enumerate(index.names)}
        self._forfeits = np.zeros(len(games), np.uint8)
        self._records: dict[int, GameRecord] = {}  # moves and ends of the first games, by key
        self._same: Mapping[str, str] = {}
        self.retired: Mapping[str, Retirement] = {}  # see `retire`
        self.total = len(games)
        self.played = 0  # games that were played and count
        self.suspects: Container[str] = ()  # bots that probably hang; the caller sets them
        self.forfeited = 0  # games that do not count as played, as a bot is retired
        self.faults: dict[tuple[str, Verdict], BotFault] = {}  # the latest is last
        self._count_again()

    @property
    def is_over(self) -> bool:
        return self.played + self.forfeited == self.total

    def add(self, record: GameRecord) -> int:
        """Count a record for all identical games; return the index of the first of them."""
        key = self._index.key(record.key)
        assert key is not None
        self.ends.add(key, record.verdict, record.winner)
        if len(self._records) < MOST_COMPARED:
            moves = PackedNumbers(record.columns)
            self._records[key] = replace(record, columns=moves, charged_ns=(), nodes=(), output="")
        places = self._index.places_of(key)
        for place in places:
            if not self._forfeits[place]:
                self._count(place, record, is_first=place == places[0])
        if record.verdict.is_fault and record.loser is not None:
            bot, verdict = self.players(places[0])[record.loser], record.verdict
            before = self.faults.pop((bot, verdict), None)
            times = before.times + 1 if before else 1
            number = self.game(places[0]).number
            self.faults[bot, verdict] = BotFault(bot, verdict, record.reason, number, times)
        return places[0]

    def game(self, place: int) -> ScheduledGame:
        return self._index.games[place]

    def players(self, place: int) -> tuple[str, str]:
        first, second = self._index.sides[place].tolist()
        return self._index.names[first], self._index.names[second]

    def retire(self, retired: Mapping[str, Retirement]) -> list[str]:
        """Count the games of exactly these bots as forfeits.

        Returns the newly retired bots.
        """
        before = self.retired
        if before == retired:
            return []
        self._forfeits = forfeits(self._index, retired)
        self.retired = retired
        self._count_again()
        return [name for name in retired if name not in before]

    def _count(self, place: int, record: GameRecord, *, is_first: bool) -> None:
        """Add a played game; of identical games, `is_first` marks the one that is played."""
        self.played += 1
        for seat, bot in enumerate(self._index.sides[place].tolist()):
            self._to_play[bot] -= is_first
            self._games[bot] += 1
            if record.loser == seat:
                self._slow_faults[bot] += record.verdict in KINDS

    def _count_again(self) -> None:
        index, ends = self._index, self.ends
        is_forfeit, numbers = self._forfeits > 0, ends.by_place
        is_played = (numbers > 0) & ~is_forfeit
        winner = outcomes(numbers).winner
        is_slow = np.isin(numbers, SLOW)
        bots = len(self.names)

        def by_bot(sides: NDArray[np.int32]) -> list[int]:
            return np.bincount(sides.ravel(), minlength=bots).tolist()  # type: ignore[no-any-return]

        self.played, self.forfeited = int(is_played.sum()), int(is_forfeit.sum())
        to_play = index.firsts[~ends.are_known & ~is_forfeit[index.firsts]]
        self._to_play = by_bot(index.sides[to_play])
        self._games = by_bot(index.sides[is_played])
        lost = np.flatnonzero(is_played & is_slow & (winner != NOBODY_WON))
        self._slow_faults = by_bot(index.sides[lost, 1 - winner[lost]])

    def find_same(self) -> None:
        """Find out from the games so far which bots are identical, for `standing`.

        After MOST_COMPARED games the last answer stands: by then copies have met often enough.
        """
        if len(self._records) < int(np.count_nonzero(self.ends.numbers)):
            return
        from arena.ranking.games import games_frame  # pandas is slow to import
        from arena.ranking.identical import identical_bots, representatives

        counted = np.flatnonzero((self.ends.by_place > 0) & (self._forfeits == 0)).astype(np.int32)
        games, keys = GamesAt(self._index.games, counted), self._index.keys[counted].tolist()
        settled = (
            SettledGame(game, self._records[key], False)
            for game, key in zip(games, keys, strict=True)
        )
        self._same = representatives(identical_bots(games_frame(settled), self._contest))

    def standing(self) -> list[Standing]:
        """Return the standings, computed from the games so far as `arena rank` would.

        Bots that the last `find_same` found identical share their results.
        """
        from arena.ranking.standings import contest_standings_of

        scores = self._scores()
        ratings = self._ratings(scores) if self._contest.schedule.in_rounds else None
        table = contest_standings_of(scores, self._contest, ratings, self._same)
        columns = (table[name].tolist() for name in ("rank", "points", "games", "forfeits"))
        return [
            Standing(name, rank, points, games, faults, is_retired=name in self.retired)
            for name, rank, points, games, faults in zip(table.index, *columns, strict=True)
        ]

    def ratings(self) -> dict[str, float]:
        return {str(bot): value for bot, value in self._ratings(self._scores()).items()}

    def _ratings(self, scores: Scores) -> pd.Series:
        from arena.ranking.ratings import players_of, ratings_of
        from arena.statistics.bradley_terry import Evidence

        players = players_of(self._contest.playing, self._same)
        own = np.fromiter(players.values(), np.int64, len(players))
        evidence = Evidence.none(len(set(players.values())))
        for sums, values in ((evidence.games, scores.games), (evidence.points, scores.points)):
            np.add.at(sums, (own[:, None], own[None, :]), values)
            np.fill_diagonal(sums, 0)  # games between identical bots say nothing
        return ratings_of(evidence, players, self._contest)

    def _scores(self) -> Scores:
        from arena.ranking.standings import summed

        numbers = np.where(self._forfeits, self._forfeits, self.ends.by_place)
        winner, is_fault, is_game = outcomes(numbers)
        is_game &= numbers > 0
        place = {name: number for number, name in enumerate(self._contest.playing)}
        bots = np.array([place[name] for name in self._index.names], np.int64)
        sides = bots[self._index.sides]
        is_yardstick = np.zeros(len(place), np.bool_)
        is_yardstick[[place[name] for name in self._contest.yardsticks]] = True
        # an entry for each side of each game
        own, other = sides.T.ravel(), sides[:, ::-1].T.ravel()
        seat = np.repeat([0, 1], len(sides))
        won, lost = np.tile(winner, 2) == seat, np.tile(winner, 2) == 1 - seat
        by_fault = np.tile(is_fault, 2)
        counts = np.tile(is_game, 2) & ~(is_yardstick[own] & by_fault & won)
        points = 0.5 + 0.5 * won - 0.5 * lost
        columns = (own, other, points, by_fault & lost)
        return summed(len(place), *(column[counts] for column in columns))

    def remaining_games(self) -> Counter[tuple[str, str]]:
        """Count the games left for each pair of bots, named in alphabetical order.

        Identical games count once.
        """
        index = self._index
        is_open = np.zeros(len(index.games), np.bool_)
        is_open[index.firsts[~self.ends.are_known]] = True
        is_open &= self._forfeits == 0
        met = np.zeros((len(self.names), len(self.names)), np.int64)
        np.add.at(met, tuple(index.sides[is_open].T), 1)
        left: Counter[tuple[str, str]] = Counter()
        for first, second in np.argwhere(met).tolist():
            one, other = sorted((index.names[first], index.names[second]))
            left[one, other] += int(met[first, second])
        return left

    def to_play(self) -> dict[str, float]:
        """Estimate how many games each bot still plays: few if it will soon be retired."""
        retire_after = self._contest.schedule.retire_after
        to_play: dict[str, float] = {}
        for name, bot in self.names.items():
            faults, left = self._slow_faults[bot], self._to_play[bot]
            is_suspect = faults > 0 or name in self.suspects
            if retire_after and is_suspect and faults * SHARE >= self._games[bot]:
                left = min(left, max(retire_after - faults, 0))
            if self._to_play[bot] > 0:
                to_play[name] = left
        return to_play
