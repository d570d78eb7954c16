"""Ratings by the model of Bradley and Terry, with the sandwich estimate of their covariance.

Player i beats j with the probability 1 / (1 + exp(θ_j − θ_i)); a draw counts as half a win. The
covariance is A⁻¹ B A⁻ᵀ with A the derivative of the estimating equations and B the sum of the
outer products of what each opening pair adds to them (Huber 1967, White 1980; clusters: Liang and
Zeger 1986), so that it holds though the two games of an opening are not independent.

A game that counts for one side only, as a loss, must not tell anything of the other. So strengths
are first estimated from the games that count for both: that is what opponents met. A rating is then
the strength that explains all games that count for a player, against opponents as strong as the
first estimate says. For a player without one-sided games both are the same.

Alone, that estimate is too small where there is little evidence, and almost zero for a player that
won or drew everything. Two additions mend it:

- An opening pair helped to make the ratings that it is compared with, so its residual is too small
  on average: it is divided by √(1 − h), with h its leverage (CR2 of Bell and McCaffrey 2002).
- The prior is an imagined game, and its result is as unsure as that of any other: it adds to B
  what a game adds that is won or lost with even chances, (½ − p)² + ¼ for a player that wins it
  with the probability p.

Evidence: the results of n players as sums that can be added up from parts.

An opening is played twice by the same two players, with the sides swapped. The two games depend
on each other, so the pair is the unit of evidence; a part of a contest holds whole pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Sums over opening pairs, each an n × n array: row i, column j is player i against player j.

    In one opening pair g games against j count for i, who makes p points in them; for j it may be
    other numbers g' and p', as a game can count for one side only. Parts are added with `+`.
    """

    games: Floats
    """Σ g: games that count for i."""
    points: Floats
    """Σ p: points of i in them, 1 for a win and ½ for a draw."""
    games_squared: Floats
    """Σ g²."""
    games_points: Floats
    """Σ g·p."""
    points_squared: Floats
    """Σ p²."""
    games_both: Floats
    """Σ g·g'."""
    games_points_both: Floats
    """Σ g·p'."""
    points_both: Floats
    """Σ p·p'."""

    @property
    def players(self) -> int:
        """Number n of players."""
        return len(self.games)

    def __add__(self, other: Evidence) -> Evidence:
        """Return the evidence of two parts together."""
        sums = ((f.name, getattr(self, f.name) + getattr(other, f.name)) for f in fields(self))
        return Evidence(**dict(sums))

    @classmethod
    def none(cls, players: int) -> Evidence:
        """Return the evidence of no game."""
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
        """Return the evidence of opening pairs, each an entry of these arrays.

        `one` and `other` are its two players, `games` and `points` what counts for each of them.
        Pairs of a player with itself tell nothing and are left out.
        """
        i, j = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
        told = i != j
        i, j = i[told], j[told]
        (g, h), (p, q) = (
            tuple(np.asarray(side, dtype=np.float64)[told] for side in both)
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


ELO = 400 / np.log(10)
"""Elo points of one unit of θ."""

PRIOR = 1.0
"""Games that every player is taken to have drawn with one in the middle of the scale, so that one
that won everything has a finite rating, and two groups that never met have a common scale."""

STEPS = 100
"""Most steps of Newton's method; a field takes about ten."""

PRECISION = 1e-9
"""Change of θ at which the method stops."""

MOST_LEVERAGE = 0.9
"""Leverage of an opening pair up to which its residual is corrected for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Estimated strengths of n players, in Elo points."""

    elo: Floats
    """The ratings, an array of n; only their differences mean something."""

    covariance: Floats
    """Their covariance, n × n, in squared Elo points."""

    def centred(self, value: float, weights: Floats | None = None) -> Ratings:
        """Return the same ratings on a scale on which their mean is known to be this.

        It is the mean with these weights, an array of n; without them all weigh the same.
        """
        weights = np.ones(len(self.elo)) if weights is None else weights
        shift = np.eye(len(self.elo)) - weights / weights.sum()
        return Ratings(elo=shift @ self.elo + value, covariance=shift @ self.covariance @ shift.T)

    def moved(self, by: float) -> Ratings:
        """Return the same ratings, so many Elo points higher and as sure as before."""
        return Ratings(elo=self.elo + by, covariance=self.covariance)


def information(games: Floats, elo: Floats) -> Floats:
    """Return how much the games (n × n, row against column) tell of each of these ratings.

    It is Fisher's information of the model, in units of a game between equals.
    """
    expected = _logistic((elo[:, None] - elo[None, :]) / ELO)
    told: Floats = 4 * (games * expected * (1 - expected)).sum(axis=1)
    return told


def laplacian(weights: Floats) -> Floats:
    """Return sums by player, n × n, from sums by pairing that the other side has with a minus.

    Of symmetric weights it is the matrix of Σ w_ij (x_i − x_j)², each two counted once.
    """
    matrix: Floats = np.diag(weights.sum(axis=1)) - weights
    return matrix


def difference_variances(covariance: Floats) -> Floats:
    """Return the variances of the differences of each two, n × n, from their covariance."""
    own = np.diag(covariance)
    variances: Floats = own[:, None] + own[None, :] - 2 * covariance
    return variances


def fit(evidence: Evidence, prior: float = PRIOR) -> Ratings:
    """Estimate the strengths of the players.

    `prior` is in games, see PRIOR. The scale's middle is 0. A game that counts for one side only
    is a loss of that side.
    """
    points = evidence.points
    games = points + points.T  # those that count for both: each gives one point in all
    board = _strengths(games, points, prior)
    expected = _logistic(board[:, None] - board[None, :])
    middling = _logistic(board)
    bread = _bread(games, expected, prior * middling * (1 - middling))
    inverse = np.linalg.inv(bread).astype(np.float64)
    corrections = _corrections(evidence, expected, inverse)
    products = corrections * _products(evidence, expected)
    meat = laplacian(products) + np.diag(prior * ((0.5 - middling) ** 2 + 0.25))
    if np.allclose(evidence.games, games):
        covariance = inverse @ meat @ inverse.T
        return Ratings(elo=board * ELO, covariance=covariance * ELO**2)

    overall = _own_strengths(evidence, board, prior)
    own_expected = _logistic(overall[:, None] - board[None, :])
    own_middling = _logistic(overall)
    weights = evidence.games * own_expected * (1 - own_expected)
    slopes = weights.sum(axis=1) + prior * own_middling * (1 - own_middling)
    by_board = weights / slopes[:, None] @ inverse
    by_own = np.diag(1 / slopes)
    own_meat, mixed_meat = _own_meats(evidence, expected, own_expected, corrections)
    own_meat += np.diag(prior * ((0.5 - own_middling) ** 2 + 0.25))
    mixed_meat += np.diag(prior * ((0.5 - own_middling) * (0.5 - middling) + 0.25))
    mixed = by_own @ mixed_meat @ by_board.T
    covariance = by_own @ own_meat @ by_own + mixed + mixed.T + by_board @ meat @ by_board.T
    return Ratings(elo=overall * ELO, covariance=covariance * ELO**2)


def _strengths(games: Floats, points: Floats, prior: float) -> Floats:
    """Solve the estimating equations of games that count for both sides."""
    strengths = np.zeros(len(games))
    for _ in range(STEPS):
        expected = _logistic(strengths[:, None] - strengths[None, :])
        middling = _logistic(strengths)
        gradient = (points - games * expected).sum(axis=1) + prior * (0.5 - middling)
        bread = _bread(games, expected, prior * middling * (1 - middling))
        step = np.linalg.solve(bread, gradient)
        strengths += np.clip(step, -1, 1)
        if np.abs(step).max(initial=0) < PRECISION:
            break
    return strengths


def _own_strengths(evidence: Evidence, board: Floats, prior: float) -> Floats:
    """Solve each player's equation with all games that count for it, others as on the board."""
    strengths = board.copy()
    for _ in range(STEPS):
        expected = _logistic(strengths[:, None] - board[None, :])
        middling = _logistic(strengths)
        gradient = (evidence.points - evidence.games * expected).sum(axis=1)
        gradient += prior * (0.5 - middling)
        slopes = (evidence.games * expected * (1 - expected)).sum(axis=1)
        step = gradient / (slopes + prior * middling * (1 - middling))
        strengths += np.clip(step, -1, 1)
        if np.abs(step).max(initial=0) < PRECISION:
            break
    return strengths


def _logistic(difference: Floats) -> Floats:
    return 1 / (1 + np.exp(-difference))


def _bread(games: Floats, expected: Floats, prior: Floats) -> Floats:
    """Return minus the derivative of the estimating equations by the strengths."""
    return laplacian(games * expected * (1 - expected)) + np.diag(prior)


def _corrections(evidence: Evidence, expected: Floats, inverse: Floats) -> Floats:
    """Return 1 / (1 − h) of an opening pair between each two players, h its leverage.

    With v what one such pair adds to A for either, h is v times the variance that A⁻¹ gives to the
    difference of the two: v (c_ii + c_jj − 2 c_ij).
    """
    squares = evidence.points_squared + evidence.points_squared.T + 2 * evidence.points_both
    games = evidence.points + evidence.points.T
    weights = squares / np.maximum(games, 1) * expected * (1 - expected)
    leverage = weights * difference_variances(inverse)
    corrections: Floats = 1 / (1 - np.clip(leverage, 0, MOST_LEVERAGE))
    return corrections


def _products(evidence: Evidence, expected: Floats) -> Floats:
    """Return Σ s², with s = p (1 − e) − p' e what an opening pair adds to the equation of i.

    Only games that count for both are in it, and to the equation of j the pair adds −s.
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
    """Return the sums of products of f with f and with s, of all players.

    f = p − g e is what an opening pair adds to a player's own equation, with all games that count
    for it; for s see `_products`.
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


SINGULAR = 1e-10
"""Singular values of A that count as 0, as a part of the largest: A knows no common scale. It is
not symmetric where games count for one side only."""


def with_shared_openings(
    ratings: Ratings, one: Ints, other: Ints, opening: Ints, points: Floats
) -> Ratings:
    """Return the ratings with the uncertainty that comes from the openings.

    `ratings` are as `fit` returns them. Each entry of the arrays is a game as it counts for the
    player `one`: who it played, the opening's index, and its points. Games of a player with itself
    tell nothing.

    `fit` takes opening pairs for independent. But the pairs of one player in one opening are not,
    as a player that knows no good move there loses to everybody. In a class of 20 bots, played with
    five seeds and 10 openings, the ratings differed between seeds 1.7 times as much as their
    covariance said; with what is added here 0.99 times.

    Player i is taken to be stronger by a_ik in opening k than on average, with the variance τ² for
    all players. Then the part s_k of opening k of the estimating equations has the covariance that
    its opening pairs give it and τ² A_k A_kᵀ besides, with A_k the part of A of the games from it.
    So τ² is estimated by comparing both (method of moments), and A⁻¹ (Σ_k τ² A_k A_kᵀ) A⁻ᵀ is added
    to the covariance of the ratings. One opening alone tells nothing of it.
    """
    variance, parts, outer = _moments(ratings, one, other, opening, points)
    if not variance:
        return ratings
    inverse = np.linalg.pinv(parts.sum(axis=0), SINGULAR)
    added = variance * inverse @ outer @ inverse.T * ELO**2
    return Ratings(elo=ratings.elo, covariance=ratings.covariance + added)


def suits(ratings: Ratings, one: Ints, other: Ints, opening: Ints, points: Floats) -> float:
    """Return by how many Elo points a player is stronger in one opening than in another: τ.

    The arguments are those of `with_shared_openings`.
    """
    variance, _, _ = _moments(ratings, one, other, opening, points)
    return float(np.sqrt(variance) * ELO)


def _moments(
    ratings: Ratings, one: Ints, other: Ints, opening: Ints, points: Floats
) -> tuple[float, Floats, Floats]:
    """Return τ², the matrices A_k, openings × n × n, and the sum of their outer products."""
    n, openings = len(ratings.elo), int(opening.max(initial=0)) + 1
    told = one != other
    one, other, opening, points = one[told], other[told], opening[told], points[told]
    if openings < 2 or not len(points):
        return 0.0, np.zeros((openings, n, n)), np.zeros((n, n))
    expected = 1 / (1 + np.exp((ratings.elo[other] - ratings.elo[one]) / ELO))
    cells = (opening * n + one) * n + other

    def summed(values: Floats) -> Floats:
        sums = np.bincount(cells, values, minlength=openings * n * n)
        return sums.reshape(openings, n, n).astype(np.float64)

    pairs = summed(points - expected)
    scores = pairs.sum(axis=2)
    scores = scores - scores.mean(axis=0)
    weights = summed(expected * (1 - expected))
    parts = -weights
    parts[:, range(n), range(n)] += weights.sum(axis=2)
    outer: Floats = (parts @ parts.transpose(0, 2, 1)).sum(axis=0)
    units = np.unique(np.minimum(cells, (opening * n + other) * n + one)).size
    if units < n:
        return 0.0, parts, outer
    # both sums are of residuals, from which the fit took openings' means and n − 1 ratings
    between = (scores**2).sum() * openings / (openings - 1)
    excess = between - (pairs**2).sum() * units / (units - n + 1)
    return max(float(excess / np.trace(outer)), 0.0), parts, outer
