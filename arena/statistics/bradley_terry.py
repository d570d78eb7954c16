"""Ratings by the Bradley–Terry model, with sandwich estimates of covariance.

Player i beats j with probability 1 / (1 + exp(θ_j − θ_i)); a draw is half a win. The covariance is
A⁻¹ B A⁻ᵀ. A is the derivative of the estimating equations; B sums the outer products of the opening
pairs' contributions (Huber 1967, White 1980; clusters: Liang and Zeger 1986). So the two games of a
pair may depend on each other.

A game can count for one side only, as a loss. So strengths are first estimated from the games that
count for both sides. A player's rating then explains all games that count for this player, against
opponents with these first strengths.

With little evidence that covariance is too small. Two corrections help:

- An opening pair influences the ratings with which it is compared. So its residual is divided by
  √(1 − h), with h its leverage (CR2 of Bell and McCaffrey 2002).
- The prior is an imagined game of each player with an imagined one in the middle of the scale. Its
  result is uncertain: it adds to B what a game with even chances adds, (½ − p)² + ¼ for a player
  that wins it with probability p.

Strengths can be held at known values: only the equations of the others are solved, as with the
offsets of a logistic regression (McCullagh and Nelder 1989) and with fixed parameters in
calibration (Kolen and Brennan 2014). The imagined player is then estimated too: held at the mean
of those values, it moved a class of 150 with few games against the held by 50 Elo. One imagined
game between it and that mean places even a class that met none of the held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import erfc, sqrt
from statistics import NormalDist, fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Sums over opening pairs, n × n arrays: row i, column j is player i against j.

    For a pair, g is the number of games that count for i and p the points of i. g' and p' are those
    of j.
    """

    games: Floats
    """Σ g"""
    points: Floats
    """Σ p: 1 for a win, ½ for a draw"""
    games_squared: Floats
    """Σ g²"""
    games_points: Floats
    """Σ g·p"""
    points_squared: Floats
    """Σ p²"""
    games_both: Floats
    """Σ g·g'"""
    games_points_both: Floats
    """Σ g·p'"""
    points_both: Floats
    """Σ p·p'"""

    @property
    def players(self) -> int:
        return len(self.games)

    def with_imagined(self, draws: Floats) -> Evidence:
        """Return the evidence with more players and with imagined games.

        `draws` (symmetric) has their numbers for each two players. An imagined game counts as half
        a win and half a loss.
        """
        added = len(draws) - self.players
        sums = {f.name: np.pad(getattr(self, f.name), (0, added)) for f in fields(self)}
        for name in ("games", "games_squared", "games_both"):
            sums[name] += draws
        for name in ("points", "games_points", "points_squared", "games_points_both"):
            sums[name] += draws / 2
        return Evidence(**sums)

    def __add__(self, other: Evidence) -> Evidence:
        sums = ((f.name, getattr(self, f.name) + getattr(other, f.name)) for f in fields(self))
        return Evidence(**dict(sums))

    @classmethod
    def none(cls, players: int) -> Evidence:
        return cls(**{f.name: np.zeros((players, players)) for f in fields(cls)})

    @classmethod
    def of(
        cls,
        players: int,
        one: ArrayLike,
        other: ArrayLike,
        games: tuple[ArrayLike, ArrayLike],
        points: tuple[ArrayLike, ArrayLike],
    ) -> Evidence:
        """Return the evidence of opening pairs; each index of the arrays is a pair.

        `one` and `other` are its players; `games` and `points` count for each. Pairs of a player
        with itself are ignored.
        """
        i, j = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
        differ = i != j
        i, j = i[differ], j[differ]
        (g, h), (p, q) = (
            tuple(np.asarray(side, dtype=np.float64)[differ] for side in both)
            for both in (games, points)
        )
        rows = np.concatenate([i, j]) * players + np.concatenate([j, i])
        own_games, own_points = np.concatenate([g, h]), np.concatenate([p, q])
        their_games, their_points = np.concatenate([h, g]), np.concatenate([q, p])

        def summed(values: Floats) -> Floats:
            flat = np.bincount(rows, weights=values, minlength=players * players)
            return flat.reshape(players, players).astype(np.float64)

        return cls(
            games=summed(own_games),
            points=summed(own_points),
            games_squared=summed(own_games**2),
            games_points=summed(own_games * own_points),
            points_squared=summed(own_points**2),
            games_both=summed(own_games * their_games),
            games_points_both=summed(own_games * their_points),
            points_both=summed(own_points * their_points),
        )


ELO = 400 / np.log(10)  # Elo points of one unit of θ

# Number of imagined games of each player against one in the middle of the scale. They keep the
# rating finite after only wins, and give groups of players that never met a common scale.
PRIOR = 1.0
STEPS = 100  # limit of Newton's method, which usually takes about ten
PRECISION = 1e-9  # change of θ at which the method stops
MOST_LEVERAGE = 0.9  # larger leverages are taken as this


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Estimated strengths of n players, in Elo points."""

    elo: Floats
    """Array of n strengths; only their differences have a meaning."""

    covariance: Floats
    """n × n, squared Elo points; 0 for players whose strengths are held."""

    @property
    def are_free(self) -> NDArray[np.bool_]:
        """For each player, whether the strength is estimated, not held."""
        return np.diag(self.covariance) > 0

    def centred(self, value: float, weights: Floats | None = None) -> Ratings:
        """Return the ratings on the scale whose mean is `value`, without uncertainty.

        `weights` (n) weight the mean; by default all are equal.
        """
        weights = np.ones(len(self.elo)) if weights is None else weights
        shift = np.eye(len(self.elo)) - weights / weights.sum()
        return Ratings(elo=shift @ self.elo + value, covariance=shift @ self.covariance @ shift.T)


def information(games: Floats, elo: Floats) -> Floats:
    """Return how much games (n × n) tell about each rating: the Fisher information.

    The unit is the information of a game between equal players.
    """
    expected = logistic((elo[:, None] - elo[None, :]) / ELO)
    found: Floats = 4 * (games * expected * (1 - expected)).sum(axis=1)
    return found


def laplacian(weights: Floats) -> Floats:
    """Return diag(row sums) − weights, n × n."""
    matrix: Floats = np.diag(weights.sum(axis=1)) - weights
    return matrix


def difference_variances(covariance: Floats) -> Floats:
    """Return the variances of the differences of each two ratings, n × n."""
    own = np.diag(covariance)
    variances: Floats = own[:, None] + own[None, :] - 2 * covariance
    return variances


def fit(
    evidence: Evidence, prior: float = PRIOR, held: Mapping[int, float] | None = None
) -> Ratings:
    """Return the estimated ratings.

    `held` has the known Elo points of players, by index; if none, the scale's middle is 0. `prior`
    is the number of imagined games, see PRIOR. A game that counts for one side only is that side's
    loss.

    For example, the first of two players wins 15 of 20 games, played in pairs. Without the prior
    the difference would be 400 · log10(15 / 5) = 191:

    >>> won = np.repeat([2.0, 1.0], 5)
    >>> games = np.full(10, 2.0)
    >>> one, other = np.repeat([0, 1], 10).reshape(2, 10)
    >>> evidence = Evidence.of(2, one, other, (games, games), (won, 2 - won))
    >>> fit(evidence).elo.round()
    array([ 92., -92.])
    """
    players, held = evidence.players, held or {}
    # the imagined player in the middle, and, if strengths are held, one as strong as their mean
    centre, count = players, players + 1 + bool(held)
    middle = fmean(held.values()) / ELO if held else 0.0
    free, strengths = np.ones(count, np.bool_), np.zeros(count)
    free[count - 1] = False
    for player, elo in held.items():
        free[player], strengths[player] = False, elo / ELO - middle
    draws = np.zeros((count, count))
    draws[centre, :players] = prior * free[:players]
    draws[centre, centre + 1 :] = prior
    evidence = evidence.with_imagined(draws + draws.T)

    games = evidence.points + evidence.points.T  # that count for both: their points add up to 1
    board = _strengths(games, evidence.points, strengths, free)
    expected = logistic(board[:, None] - board[None, :])
    bread = laplacian(games * expected * (1 - expected))
    inverse = np.zeros_like(bread)
    inverse[np.ix_(free, free)] = np.linalg.inv(bread[np.ix_(free, free)])
    corrections = _corrections(evidence, expected, inverse)
    corrections[players:] = corrections[:, players:] = 1
    meat = laplacian(corrections * _products(evidence, expected))
    own, covariance = board, inverse @ meat @ inverse.T
    if not np.allclose(evidence.games, games):
        own = _own_strengths(evidence, board, free)
        own_expected = logistic(own[:, None] - board[None, :])
        weights = evidence.games * own_expected * (1 - own_expected)
        slopes = np.where(free, weights.sum(axis=1), 1)
        by_board = free[:, None] * (weights / slopes[:, None] @ inverse)
        by_own = np.diag(free / slopes)
        own_meat, mixed_meat = _own_meats(evidence, expected, own_expected, corrections)
        mixed = by_own @ mixed_meat @ by_board.T
        covariance = by_own @ own_meat @ by_own + mixed + mixed.T + by_board @ meat @ by_board.T
    return Ratings(
        elo=(own[:players] + middle) * ELO, covariance=covariance[:players, :players] * ELO**2
    )


def _strengths(games: Floats, points: Floats, start: Floats, free: NDArray[np.bool_]) -> Floats:
    strengths, block = start.copy(), np.ix_(free, free)
    for _ in range(STEPS):
        expected = logistic(strengths[:, None] - strengths[None, :])
        gradient = (points - games * expected).sum(axis=1)
        bread = laplacian(games * expected * (1 - expected))
        step = np.linalg.solve(bread[block], gradient[free])
        strengths[free] += np.clip(step, -1, 1)
        if np.abs(step).max(initial=0) < PRECISION:
            break
    return strengths


def _own_strengths(evidence: Evidence, board: Floats, free: NDArray[np.bool_]) -> Floats:
    """Return each player's strength from all its games; opponents are as strong as in `board`."""
    strengths = board.copy()
    for _ in range(STEPS):
        expected = logistic(strengths[:, None] - board[None, :])
        gradient = (evidence.points - evidence.games * expected).sum(axis=1)
        slopes = (evidence.games * expected * (1 - expected)).sum(axis=1)
        step = np.where(free, gradient, 0) / np.where(free, slopes, 1)
        strengths += np.clip(step, -1, 1)
        if np.abs(step).max(initial=0) < PRECISION:
            break
    return strengths


def logistic(difference: Floats) -> Floats:
    return 1 / (1 + np.exp(-difference))


def _corrections(evidence: Evidence, expected: Floats, inverse: Floats) -> Floats:
    """Return 1 / (1 − h) for each two players, h the leverage of one of their opening pairs."""
    squares = evidence.points_squared + evidence.points_squared.T + 2 * evidence.points_both
    games = evidence.points + evidence.points.T
    weights = squares / np.maximum(games, 1) * expected * (1 - expected)
    # a pair adds `weights` v to A for either player: h = v (c_ii + c_jj − 2 c_ij), with c = A⁻¹
    leverage = weights * difference_variances(inverse)
    corrections: Floats = 1 / (1 - np.clip(leverage, 0, MOST_LEVERAGE))
    return corrections


def _products(evidence: Evidence, expected: Floats) -> Floats:
    """Return Σ s² over the opening pairs of i and j, n × n.

    s = p (1 − e) − p' e is a pair's part of the equation of i, with e the expected share of points.
    Only games that count for both matter.
    """
    lost = 1 - expected
    products: Floats = (
        lost**2 * evidence.points_squared
        - 2 * expected * lost * evidence.points_both
        + expected**2 * evidence.points_squared.T
    )
    return products


def _own_meats(
    evidence: Evidence, expected: Floats, own_expected: Floats, corrections: Floats
) -> tuple[Floats, Floats]:
    """Return the sums of f·f and of f·s over opening pairs.

    f = p − g e is a pair's part of the equation for a rating, with p and g as in `Evidence` and e
    in `own_expected`. For s see `_products`.
    """
    own = (
        evidence.points_squared
        - 2 * own_expected * evidence.games_points
        + own_expected**2 * evidence.games_squared
    )
    both = (
        evidence.points_both
        - own_expected * evidence.games_points_both
        - own_expected.T * evidence.games_points_both.T
        + own_expected * own_expected.T * evidence.games_both
    )
    mixed = (1 - expected) * (
        evidence.points_squared - own_expected * evidence.games_points
    ) - expected * (evidence.points_both - own_expected * evidence.games_points_both)
    own_meat = np.diag((corrections * own).sum(axis=1)) + corrections * both
    return own_meat, laplacian(corrections * mixed)


# Smaller singular values of A, relative to the largest, count as 0: A cannot tell where the scale's
# middle is. With one-sided games A is not symmetric.
SINGULAR = 1e-10


def with_shared_openings(
    ratings: Ratings, one: Ints, other: Ints, opening: Ints, points: Floats
) -> Ratings:
    """Return the ratings of `fit` with the openings' uncertainty added.

    Each index of the arrays is a game that counts for the player `one`. Games of a player with
    itself are ignored.

    `fit` treats opening pairs as independent, but a player without a good move in an opening loses
    there to everybody. In a class of 20 bots that shared all 10 openings, ratings differed between
    five seeds 1.7 times as much as their covariance predicted; with this correction 0.99 times.
    With only one opening, nothing is added.
    """
    variance, outer, bread = moments(ratings, one, other, opening, points)
    if not variance:
        return ratings
    free = ratings.are_free
    inverse = np.zeros_like(bread)
    inverse[np.ix_(free, free)] = np.linalg.pinv(bread[np.ix_(free, free)], SINGULAR)
    added = variance * inverse @ outer @ inverse.T * ELO**2
    return Ratings(elo=ratings.elo, covariance=ratings.covariance + added)


LEAST_REST = 0.2  # Share of a player's games that are surely not of one opening.


def moments(
    ratings: Ratings, one: Ints, other: Ints, opening: Ints, points: Floats
) -> tuple[float, Floats, Floats]:
    """Return τ², and the sums of A_k A_kᵀ and of A_k over the openings k.

    τ is how much a player's strength varies between openings. For the arguments see
    `with_shared_openings`.
    """
    # Player i is stronger by a_ik in opening k, with variance τ². So the opening's part s_k of the
    # estimating equations has the additional covariance τ² A_k A_kᵀ, where A_k is its part of A.
    # τ² is estimated by the method of moments, and A⁻¹ (Σ_k τ² A_k A_kᵀ) A⁻ᵀ added to the ratings'.
    n, free = len(ratings.elo), ratings.are_free
    outer, bread = np.zeros((n, n)), np.zeros((n, n))
    order = np.argsort(opening, kind="stable")
    order = order[one[order] != other[order]]
    starts = np.flatnonzero(np.diff(opening[order], prepend=-1))
    if len(starts) < 2:
        return 0.0, outer, bread
    expected = logistic((ratings.elo[one] - ratings.elo[other]) / ELO)
    surprises, weights = points - expected, expected * (1 - expected)
    whole = np.bincount(one[order], weights[order], minlength=n)
    over = np.bincount(one[order], surprises[order], minlength=n) / np.where(whole, whole, 1)
    between, shares = np.zeros(n), np.zeros(n)
    within, units = 0.0, 0
    for games in np.split(order, starts[1:]):
        is_met = np.zeros(n, np.bool_)
        is_met[one[games]] = is_met[other[games]] = True
        met, place = np.flatnonzero(is_met), np.cumsum(is_met) - 1
        m = len(met)
        cells = place[one[games]] * m + place[other[games]]
        part = -np.bincount(cells, weights[games], minlength=m * m).reshape(m, m)
        own = -part.sum(axis=1)
        part[range(m), range(m)] += own
        outer[met[:, None], met] += part @ part.T
        bread[met[:, None], met] += part
        pairs = np.bincount(cells, surprises[games], minlength=m * m).reshape(m, m)
        between[met] += (pairs.sum(axis=1) - own * over[met]) ** 2
        shares[met] += own**2
        within += float((pairs[free[met]] ** 2).sum())
        have = np.bincount(cells, minlength=m * m).reshape(m, m) > 0
        units += int(np.count_nonzero(have | have.T)) // 2
    fitted = int(free.sum()) - bool(free.all())
    if units <= fitted or not free.any():
        return 0.0, outer, bread
    # the factors make up for what the fit took: a player's mean over openings, and the ratings
    rests = np.maximum(1 - shares / np.where(whole, whole, 1) ** 2, LEAST_REST)
    excess = (between / rests)[free].sum() - within * units / (units - fitted)
    return max(float(excess / np.trace(outer[np.ix_(free, free)])), 0.0), outer, bread


# Ratings are taken as normally distributed. Differences are judged by their own uncertainty, from
# the covariance: two bots can surely differ although their intervals overlap.
LEVEL = 0.95  # share of intervals that contain the true value


def intervals(ratings: Ratings, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return (lower ends, upper ends) of the ratings' intervals."""
    widths = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(np.diag(ratings.covariance).clip(0))
    return ratings.elo - widths, ratings.elo + widths


def difference_errors(ratings: Ratings) -> Floats:
    """Return the standard errors of the differences of each two ratings, n × n."""
    errors: Floats = np.sqrt(difference_variances(ratings.covariance).clip(0))
    return errors


def standard_scores(ratings: Ratings, one: Ints, other: Ints) -> Floats:
    """Return by how many standard errors `one` is rated above `other`.

    Both are index arrays, which are broadcast. Without uncertainty the score is infinite, or 0 for
    equal ratings.
    """
    differences = ratings.elo[one] - ratings.elo[other]
    variances = np.diag(ratings.covariance)
    squares = variances[one] + variances[other] - 2 * ratings.covariance[one, other]
    errors = np.sqrt(squares.clip(0))
    certain = np.where(differences == 0, 0.0, np.copysign(np.inf, differences))
    scores: Floats = np.divide(differences, errors, out=certain, where=errors > 0)
    return scores


def superiority(ratings: Ratings) -> Floats:
    """Return the likelihood (n × n) that the row's player is better than the column's."""
    likelihoods = [erfc(-score / sqrt(2)) / 2 for score in _all_scores(ratings).flat]
    return np.array(likelihoods).reshape(ratings.covariance.shape)


def surely_better(ratings: Ratings, level: float = LEVEL) -> NDArray[np.bool_]:
    """Return whether the row's player is surely better than the column's (n × n).

    This is so if the interval of their difference is above 0. A rank is at least 1 + the number of
    surely better players, and at most n − the number of surely worse ones (Mogstad, Romano, Shaikh
    and Wilhelm 2024, Review of Economic Studies 91). They widen the intervals; in simulated classes
    this range holds the true rank in 95 % of cases without that.
    """
    return _all_scores(ratings) > NormalDist().inv_cdf((1 + level) / 2)


def _all_scores(ratings: Ratings) -> Floats:
    players = np.arange(len(ratings.elo))
    return standard_scores(ratings, players[:, None], players[None, :])
