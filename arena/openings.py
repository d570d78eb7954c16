"""Balanced random openings: positions from which a contest's games start.

Zero static evaluation alone is not fair (the side to move wins most such positions), so an
opening must also be quiet, and balanced in a shallow search. Each is played twice, with the
sides swapped.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from arena.rules import Position, Rack, Ruleset, fifty_ten

SEARCH_DEPTH = 6
"""Plies of the search that judges balance. Even, so that both sides have moved equally often."""

MAX_IMBALANCE = 10
"""Largest absolute search value that counts as balanced: one two-in-a-line of fifty-ten."""

WIDE = 12
"""More columns than this are searched only NEAR_DEPTH plies deep, or it would take seconds."""

NEAR_DEPTH = 2

ATTEMPTS = 4000
"""Fruitless random games in a row after which no more openings are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A position to start from."""

    columns: tuple[int, ...]
    """The moves that lead to it from the empty board."""

    evaluation: int
    """Static evaluation under fifty-ten, for player 1."""

    search_value: int
    """Value of the shallow search, for the side to move."""


def find_openings(
    rules: Ruleset, count: int, seed: int, min_plies: int = 6, max_plies: int = 12
) -> list[Opening]:
    """The first `count` openings of the stream that a seed gives; the same for the same seed.

    Asking for more later gives the same ones first. Where the board has too few (it is tiny,
    or every early position is a threat), the list is shorter; it has at least one, if need be
    the empty board.
    """
    found = []
    for opening in _openings(rules, seed, min_plies, max_plies):
        found.append(opening)
        if len(found) == count:
            return found
    return found or [Opening(columns=(), evaluation=0, search_value=0)]


def is_quiet(position: Position) -> bool:
    """Whether the game is on and neither side could complete a line with one disc now."""
    return not position.is_over and not any(
        position.wins_at(column, player) for column in position.legal() for player in (1, 2)
    )


def _openings(rules: Ruleset, seed: int, min_plies: int, max_plies: int) -> Iterator[Opening]:
    """Every opening that random play finds, distinct up to mirror image."""
    from arena.engine import Engine  # it loads numba, which takes half a second

    weights = fifty_ten(rules.connect)
    engine = Engine(rules, weights, forced=False, selective=False)
    depth = SEARCH_DEPTH if rules.columns <= WIDE else NEAR_DEPTH
    most = min(max_plies, rules.cells // 3)
    least = min(min_plies, most)
    rng = random.Random(seed)
    known: set[Rack] = set()
    fruitless = 0
    while fruitless < ATTEMPTS:
        fruitless += 1
        position = _random_position(rules, rng.randint(least, most), rng)
        if not is_quiet(position):
            continue
        rack = position.rack()
        seen = min(rack, rack[::-1])
        evaluation = position.evaluate(weights)
        if evaluation != 0 or seen in known:
            continue
        known.add(seen)
        value = engine.search(position, depth=depth).score
        if abs(value) <= MAX_IMBALANCE:
            fruitless = 0
            yield Opening(columns=position.moves, evaluation=evaluation, search_value=value)


def _random_position(rules: Ruleset, plies: int, rng: random.Random) -> Position:
    """Random legal moves, that many unless the game ends first."""
    position = Position(rules)
    while position.ply < plies and not position.is_over:
        position.play(rng.choice(position.legal()))
    return position
