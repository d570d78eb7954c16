"""A running contest: totals, faults and standings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.contest.index import STAND_INS, Ends, index_of
from arena.contest.retirement import KINDS, SHARE, Retirement, forfeit
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.settings.contest import Contest, ScheduledGame

if TYPE_CHECKING:
    import pandas as pd

    from arena.ranking.identical import SameSoFar
    from arena.scoring.tie_breaks import Scores

# Codes of forfeits: none, and one without a winner. Other forfeits have 1 + the winner's seat.
NO_FORFEIT, NOBODY = 0, 3
UNKNOWN = 2  # in place of a winner's seat if nobody won


class Standing(NamedTuple):
    name: str

    rank: int
    """Bots that are level share a rank."""

    points: float
    games: int
    faults: int
    is_retired: bool


class BotFault(NamedTuple):
    """A bot's faults of one kind."""

    name: str
    verdict: Verdict

    reason: str
    """What the bot did in the last such fault; follows its name."""

    game: int
    """Number of the last such game."""

    times: int


class Scoreboard:
    """Running totals of a contest.

    A game that was played and later became a forfeit counts only as a forfeit.
    """

    def __init__(self, contest: Contest, games: Sequence[ScheduledGame]) -> None:
        self._contest = contest
        self._index = index = index_of(games)
        self._ends = Ends(index)
        self.names = {name: number for number, name in enumerate(index.names)}
        self._forfeits = np.zeros(len(games), np.int8)
        self._same_so_far: SameSoFar | None = None
        self._same: Mapping[str, str] = {}
        self.retired: Mapping[str, Retirement] = {}  # see `retire`
        self.total = len(games)
        self.played = 0  # games that were played and count
        self.suspects: Container[str] = ()  # bots that probably hang; the caller sets them
        self.forfeited = 0  # games that do not count as played, as a bot is retired
        self.faults: dict[tuple[str, Verdict], BotFault] = {}  # the latest is last
        self._pairings = np.bincount(index.pairings)
        self._count_again()

    @property
    def is_over(self) -> bool:
        return self.played + self.forfeited == self.total

    def add(self, record: GameRecord) -> int:
        """Count a record for all identical games; return the index of the first of them."""
        key = self._index.key(record.key)
        assert key is not None
        self._ends.add(key, record.verdict, record.winner)
        self._played_games.add(key, record)
        places = self._index.places_of(key)
        for place in places:
            if self._forfeits[place] == NO_FORFEIT:
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
        """Return the bots of the game at index `place`; the first bot moves first."""
        first, second = self._index.sides[place].tolist()
        return self._index.names[first], self._index.names[second]

    def retire(self, retired: Mapping[str, Retirement]) -> list[str]:
        """Count the games of exactly these bots as forfeits.

        Returns the newly retired bots.
        """
        before, names = self.retired, {*self.retired, *retired}
        changed = [name for name in names if before.get(name) != retired.get(name)]
        if not changed:
            return []
        for place in np.flatnonzero(self._index.are_with(changed)).tolist():
            made_up = forfeit(self._index.games[place], retired)
            if made_up is None:
                self._forfeits[place] = NO_FORFEIT
            else:
                self._forfeits[place] = NOBODY if made_up.winner is None else 1 + made_up.winner
        self.retired = retired
        self._count_again()
        return [name for name in retired if name not in before]

    def _count(self, place: int, record: GameRecord, *, is_first: bool) -> None:
        """Add a played game; `is_first` of identical games is the one that is played."""
        self.played += 1
        self._met[self._index.pairings[place]] += record.is_game
        for seat, bot in enumerate(self._index.sides[place].tolist()):
            self._to_play[bot] -= is_first
            self._games[bot] += 1
            if record.loser == seat:
                self._slow_faults[bot] += record.verdict in KINDS

    def _count_again(self) -> None:
        index, ends = self._index, self._ends
        is_forfeit = self._forfeits != NO_FORFEIT
        is_played = ends.are_known[index.keys] & ~is_forfeit
        winner, is_fault, is_slow = self._results()
        bots = len(self.names)

        def by_bot(sides: NDArray[np.int32]) -> list[int]:
            return np.bincount(sides.ravel(), minlength=bots).tolist()  # type: ignore[no-any-return]

        self.played, self.forfeited = int(is_played.sum()), int(is_forfeit.sum())
        to_play = index.firsts[~ends.are_known & ~is_forfeit[index.firsts]]
        self._to_play = by_bot(index.sides[to_play])
        self._games = by_bot(index.sides[is_played])
        lost = np.flatnonzero(is_played & is_slow & (winner != UNKNOWN))
        self._slow_faults = by_bot(index.sides[lost, 1 - winner[lost]])
        is_game = is_played & ((winner != UNKNOWN) | ~is_fault)
        self._met = np.bincount(index.pairings[is_game], minlength=len(self._pairings)).tolist()

    def _results(self) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return, by game, the winner, whether a fault ended the game, and whether a slow one.

        Values of games that were not played mean nothing.
        """
        ends = [STAND_INS[0], *STAND_INS]  # end number 0: not ended yet
        numbers = self._ends.numbers[self._index.keys]
        winners = [UNKNOWN if end.winner is None else end.winner for end in ends]
        faults = [end.verdict.is_fault for end in ends]
        slow = [end.verdict in KINDS for end in ends]
        return np.array(winners)[numbers], np.array(faults)[numbers], np.array(slow)[numbers]

    @property
    def _played_games(self) -> SameSoFar:
        if self._same_so_far is None:
            from arena.ranking.identical import SameSoFar  # pandas is slow to import

            self._same_so_far = SameSoFar(self._contest, self._index)
        return self._same_so_far

    def find_same(self) -> None:
        """Find out from the games so far which bots are identical, for `standing`."""
        from arena.ranking.identical import representatives

        groups = self._played_games.groups(self._forfeits != NO_FORFEIT)
        self._same = representatives(groups)

    def standing(self) -> list[Standing]:
        """Return the standings, computed from the games so far as `arena rank` would.

        Bots that the last `find_same` found identical share their results.
        """
        from arena.ranking.standings import contest_standings_of

        scores = self._scores()
        ratings = self._ratings(scores) if self._contest.schedule.until_settled else None
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

        winner, is_fault, _ = self._results()
        made_up = self._forfeits
        is_forfeit = made_up != NO_FORFEIT
        winner = np.where(is_forfeit, np.where(made_up == NOBODY, UNKNOWN, made_up - 1), winner)
        is_fault = is_fault | is_forfeit
        is_known = self._ends.are_known[self._index.keys] | is_forfeit
        is_game = is_known & ((winner != UNKNOWN) | ~is_fault)
        place = {name: number for number, name in enumerate(self._contest.playing)}
        bots = np.array([place[name] for name in self._index.names], np.int64)
        sides = bots[self._index.sides]
        is_yardstick = np.zeros(len(place), np.bool_)
        is_yardstick[[place[name] for name in self._contest.yardsticks]] = True
        # an entry for each side of each game
        own, other = sides.T.ravel(), sides[:, ::-1].T.ravel()
        seat = np.repeat([0, 1], len(sides))
        winner, is_fault, is_game = (np.tile(each, 2) for each in (winner, is_fault, is_game))
        won, lost = winner == seat, winner == 1 - seat
        counts = is_game & ~(is_yardstick[own] & is_fault & won)
        points = 0.5 + 0.5 * won - 0.5 * lost
        columns = (own, other, points, seat == 1, is_fault & lost)
        return summed(len(place), *(column[counts] for column in columns))

    def pairing(self, game: ScheduledGame) -> tuple[int, int]:
        """Return how many games of this game's pairing are played, and how many it has."""
        return self._met[game.pairing], int(self._pairings[game.pairing])

    def remaining_games(self) -> Counter[tuple[str, str]]:
        """Count the games left for each pair of bots, named in alphabetical order.

        Identical games count once.
        """
        index = self._index
        is_open = np.zeros(len(index.games), np.bool_)
        is_open[index.firsts[~self._ends.are_known]] = True
        is_open &= self._forfeits == NO_FORFEIT
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
