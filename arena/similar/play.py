"""Likeness of play: equal moves beyond what strength explains.

Two bots are compared in positions that both were asked in, with what other bots of similar strength
chose there: an equal rare move says much.

Let q_b(m) be the share of bot b's answers in a position that are move m. Bots b and c agree there
by a = Σ_m q_b(m)·q_c(m). If c chooses like other bots of its strength, the expected agreement is

    p = Σ_m q_b(m) · (Σ_d w_cd·q_d(m) + K·p₀) / (Σ_d w_cd + K)

with sums over the other bots d that were asked; the mean of p for c and for b is used. The weight
w_cd falls with the difference of strength. Bots whose moves are nearly always equal share the
weight of one; otherwise a copy that half of a class has would look usual. The mean agreement p₀ of
all pairs counts as K bots, as few others may have been asked.

If moves are independent, a - p has mean 0 and variance p·(1 - p), also for positions that follow
each other in a game. But honest bots can share a style. So the excess of a pair, its mean of a - p,
is compared with this noise and with the usual excess in the contest: a median, which few copies
hardly change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, islice, product
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.contest.folder import ContestFolder, no_gc
from arena.contest.index import GameIndex
from arena.game.record import GameRecord
from arena.journal.rows import flat
from arena.ranking.identical import same_files
from arena.rules import Ruleset
from arena.statistics.bradley_terry import Evidence, Floats, Ints, fit

BATCH = 20_000  # Games read at a time.
LEAST_ASKED = 3  # Bots asked in a position that counts: two, and one to compare them with.
MOST_POSITIONS = 100_000  # Of a large contest a sample of positions is used.
LEAST_POSITIONS = 20  # A pair with fewer common positions is not judged.
FIELD = 1.0  # K, a number of bots.
WIDTH = 100.0  # Elo points; at this difference of strength a weight is about 0.6.
LEAST_WEIGHT = 0.1  # Of a bot of any strength.
CROWD = 0.9  # Bots with at least this share of equal moves share the weight of one bot.
STYLE, STYLE_PAIRS = 0.05, 20  # Usual size of excesses, and the pairs for which it counts.
MEDIAN = 0.455  # Median of the square of a standard normal number.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayPair:
    """Two bots of a contest, and how alike they play."""

    one: str
    other: str

    positions: int
    """Number of positions asked of both and of a third bot, from at most MOST_POSITIONS."""

    equal: float
    """Share of equal moves there, 0 to 1."""

    expected: float
    """Share expected of two independent bots of their strength."""

    surprise: float
    """Standard deviations by which `equal` is above `expected`. See `honest_surprise`."""


def honest_surprise(pairs: int) -> float:
    """Return the highest surprise expected among `pairs` pairs of independent bots."""
    # Blom (1958): the expected maximum of standard normal numbers
    return NormalDist().inv_cdf((pairs - 0.375) / (pairs + 0.25)) if pairs > 1 else 0.0


@no_gc()
def likeness_of_play(folder: ContestFolder) -> list[PlayPair]:
    """Return the pairs with LEAST_POSITIONS, highest surprise first.

    House players are in no pair. Bots with the same files count as one bot, and are no pair. Raises
    InputError, StorageError.
    """
    contest = folder.read()
    index = folder.games(contest).indexed
    place = {name: number for number, name in enumerate(index.names)}
    players = np.arange(len(place))
    students: dict[int, list[str]] = {}
    for same in same_files(contest):
        present = [name for name in same if name in place]
        for name in present:
            players[place[name]] = place[present[0]]
            if not contest.bots[name].house:
                students.setdefault(place[present[0]], []).append(name)
    moves = ChosenMoves(len(place), contest.rules)
    with folder.read_journal() as journal:
        moves.read(journal.records(), index, players[index.sides[index.firsts]])
    choices, elo = moves.choices(), fit(moves.evidence).elo
    likeness = likeness_of(choices, elo, likeness_of(choices, elo).crowds)
    pairs = list(combinations(sorted(students), 2))
    pairs = [pair for pair in pairs if likeness.positions[pair] >= LEAST_POSITIONS]
    found = [
        PlayPair(
            one=one,
            other=other,
            positions=round(likeness.positions[pair]),
            equal=float(likeness.equal[pair] / likeness.positions[pair]),
            expected=float(likeness.expected[pair] / likeness.positions[pair]),
            surprise=surprise,
        )
        for pair, surprise in zip(pairs, likeness.surprises(pairs), strict=True)
        for one, other in product(*(students[player] for player in pair))
    ]
    return sorted(found, key=lambda pair: (-pair.surprise, pair.one, pair.other))


class Choices(NamedTuple):
    """An entry for each position, bot and move, ordered by position.

    `choice` numbers positions and moves; `share` is the move's share of the bot's answers there.
    """

    position: Ints
    bot: Ints
    choice: Ints
    share: Floats


class ChosenMoves:
    def __init__(self, bots: int, rules: Ruleset) -> None:
        """Collect the moves and results of games among `bots` bots."""
        self.evidence = Evidence.none(bots)
        self._bots, self._rules = bots, rules
        # for each answer one number: a hash of the position, the bot, the move
        self._answers: list[NDArray[np.uint64]] = []
        self._move_bits = rules.columns.bit_length()
        self._low_bits = self._move_bits + bots.bit_length()

    def read(self, records: Iterable[GameRecord], index: GameIndex, sides: Ints) -> None:
        """Add the games that are in the index; `sides` has the two bots of each key."""
        records = iter(records)
        while batch := list(islice(records, BATCH)):
            known = [(each, key) for each in batch if (key := index.key(each.key)) is not None]
            if known:
                self._add([record for record, _ in known], sides[[key for _, key in known]])

    def _add(self, records: list[GameRecord], sides: Ints) -> None:
        first = np.array([0.5 if each.winner is None else 1 - each.winner for each in records])
        ones, points = np.ones(len(records)), (first, 1 - first)
        self.evidence += Evidence.of(self._bots, sides[:, 0], sides[:, 1], (ones, ones), points)
        moves = flat([record.columns for record in records])
        plies = np.array([len(record.columns) for record in records])
        opening = np.array([record.opening_plies for record in records])
        starts = plies.cumsum() - plies
        # Zobrist (1970): a position's hash combines a random number for each disc
        size = (2, self._rules.columns, self._rules.rows)
        discs = np.random.default_rng(0).integers(0, 1 << 64, size, np.uint64)
        hashes = np.zeros(len(records), np.uint64)
        heights = np.zeros((len(records), self._rules.columns), np.int64)
        for ply in range(plies.max(initial=0)):
            games = np.flatnonzero(plies > ply)
            column = moves[starts[games] + ply]
            low = ((sides[games, ply % 2] << self._move_bits) | column).astype(np.uint64)
            answers = (hashes[games] << np.uint64(self._low_bits)) | low
            self._answers.append(answers[opening[games] <= ply])
            hashes[games] ^= discs[ply % 2, column, heights[games, column]]
            heights[games, column] += 1

    def choices(self) -> Choices:
        """Return the choices in positions asked of LEAST_ASKED bots, and forget all moves."""
        answers = np.concatenate([np.zeros(0, np.uint64), *self._answers])
        self._answers.clear()
        answers.sort()
        first = np.flatnonzero(_is_new(answers))
        times, answers = np.diff(first, append=len(answers)), answers[first]
        is_position = _is_new(answers >> np.uint64(self._low_bits))
        is_bot = _is_new(answers >> np.uint64(self._move_bits))
        is_common = np.bincount(is_position.cumsum()[is_bot] - 1) >= LEAST_ASKED
        is_common &= is_common.cumsum() <= MOST_POSITIONS  # ordered by hash, so as good as randomly
        kept = is_common[is_position.cumsum() - 1]
        answers, times = answers[kept], times[kept]
        position, answer = is_position[kept].cumsum() - 1, is_bot[kept].cumsum() - 1
        low = (answers & np.uint64((1 << self._low_bits) - 1)).astype(np.int64)
        bot, move = np.divmod(low, 1 << self._move_bits)
        _, choice = np.unique((position << self._move_bits) | move, return_inverse=True)
        return Choices(position, bot, choice, times / np.bincount(answer, times)[answer])


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Sums over the common positions of two bots, as n × n arrays.

    `variance` is that of `equal` if moves are independent.
    """

    positions: Floats
    equal: Floats
    expected: Floats
    variance: Floats

    @property
    def crowds(self) -> Floats:
        """Number of bots that play nearly like each bot, itself included."""
        least = (CROWD * self.positions).clip(min=CROWD * LEAST_POSITIONS)
        crowds: Floats = 1.0 + (self.equal >= least).sum(axis=0)
        return crowds

    def surprises(self, pairs: list[tuple[int, int]]) -> list[float]:
        if not pairs:
            return []
        own = tuple(np.array(pairs).T)
        positions = self.positions[own]
        excess = (self.equal[own] - self.expected[own]) / positions
        noise = self.variance[own] / positions**2
        seen = max(0.0, float(np.median(excess**2 / MEDIAN - noise)))
        style = (seen * len(pairs) + STYLE**2 * STYLE_PAIRS) / (len(pairs) + STYLE_PAIRS)
        return [float(each) for each in excess / np.sqrt(noise + style)]


def likeness_of(choices: Choices, elo: Floats, crowds: Floats | float = 1.0) -> Likeness:
    position, bot, choice, share = choices
    n = len(elo)
    weights = np.exp(-(((elo[:, None] - elo) / WIDTH) ** 2) / 2).clip(min=LEAST_WEIGHT) / crowds
    chosen, squares = np.bincount(choice, share), np.bincount(choice, share**2)
    asked = np.bincount(position, share)
    base = (chosen**2 - squares).sum() / max(1.0, float((asked**2 - asked).sum()))  # p₀
    sums = np.zeros((4, n, n))
    for one in range(n):
        is_own = bot == one
        own_share = np.bincount(choice[is_own], share[is_own], len(chosen))
        others = np.flatnonzero(np.isin(position, position[is_own], kind="table") & ~is_own)
        where, what, who, part = (each[others] for each in (position, choice, bot, share))
        weight = weights[one, who]
        # with the weights of all others but `one`; then without those of `who`
        field = np.bincount(where, weight * part)[where] - weight
        alike = np.bincount(what, weight * part)[what] - weight * part
        p = (alike + FIELD * base) / (field + FIELD)
        terms = (part, part * own_share[what], part * p, part * p * (1 - p))
        sums[:, one] = [np.bincount(who, term, n) for term in terms]
    positions, equal, expected, variance = (sums + sums.transpose(0, 2, 1)) / 2
    return Likeness(positions=positions, equal=equal, expected=expected, variance=variance)


def _is_new(ordered: NDArray[np.uint64]) -> NDArray[np.bool_]:
    is_new: NDArray[np.bool_] = np.diff(ordered, prepend=~ordered[:1]) != 0
    return is_new
