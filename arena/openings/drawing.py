"""Balanced random openings: positions from which a contest's games start.

Zero static evaluation alone is not fair (the side to move wins most such positions), so an
opening must also be quiet, balanced in the engine's search, and fair in games, see
`arena.openings.fairness`. Each is played twice, with the sides swapped.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from arena.openings.books import Opening, read_book
from arena.rules import Position, Rack, Ruleset, fifty_ten

SEARCH_NODES = 10_000
"""Nodes of the search that judges balance: what a contest allows for a move."""

MAX_IMBALANCE = 10
"""Largest absolute search value that counts as balanced: one two-in-a-line of fifty-ten."""

ATTEMPTS = 4000
"""Random games in a row without a new balanced position after which no more are looked for."""

CANDIDATES = 100
"""Balanced positions in a row, none of them fair in games, after which no more are judged."""


def find_openings(
    rules: Ruleset,
    count: int,
    seed: int,
    min_plies: int = 8,
    max_plies: int = 14,
    besides: Iterable[tuple[int, ...]] = (),
) -> list[Opening]:
    """Return the first `count` openings of the stream that a seed gives, but for those `besides`.

    The same seed gives the same ones, and asking for more later gives the same ones first. Those
    of the rules' book come before others. Where the board has too few (it is tiny, or every early
    position is a threat) the list is shorter; with those `besides` there is at least one, if need
    be the empty board.
    """
    known = [Position(rules, columns) for columns in besides]
    faces = {_face(position) for position in known}
    streams = (kind.openings(rules, seed, min_plies, max_plies, faces) for kind in KINDS)
    found = list(islice(chain.from_iterable(streams), count))
    if found or known:
        return found
    return [Opening(columns=(), evaluation=0, search_value=0)]


def _from_book(
    rules: Ruleset, seed: int, min_plies: int, max_plies: int, besides: set[Rack]
) -> Iterator[Opening]:
    """Yield a book's openings, shuffled; adds them to those that are not to be found again."""
    book = read_book(rules, min_plies, max_plies)
    random.Random(seed).shuffle(book)
    faces = [_face(Position(rules, each.columns)) for each in book]
    fresh = [each for each, face in zip(book, faces, strict=True) if face not in besides]
    besides.update(faces)
    yield from fresh


def is_quiet(position: Position) -> bool:
    """Return whether the game is on and neither side could complete a line with one disc now."""
    return not position.is_over and not any(
        position.wins_at(column, player) for column in position.legal() for player in (0, 1)
    )


def new_openings(
    rules: Ruleset,
    seed: int,
    min_plies: int,
    max_plies: int,
    besides: Collection[Rack] = (),
) -> Iterator[Opening]:
    """Yield every opening that random play finds, distinct up to mirror image.

    Positions whose faces are `besides` are left out, see `_face`.

    Those that are fair in games come first. Where a board has no more of them, those follow that
    only the search calls balanced: both sides of an opening are played, so these are better than
    none.
    """
    from arena.engine import Engine  # half a second, that a contest from a book does without
    from arena.openings.fairness import MOST_CELLS, Balance, Judge

    weights = fifty_ten(rules.connect)
    engine, judge = Engine(rules, weights), Judge(rules)
    balance = Balance(judge)
    unfair: list[Opening] = []
    unfair_in_a_row = 0
    most = min(max_plies, rules.cells // 3)
    least = min(min_plies, most)
    rng = random.Random(seed)
    known = set(besides)
    fruitless = 0
    while fruitless < ATTEMPTS and unfair_in_a_row < CANDIDATES:
        fruitless += 1
        position = _random_position(rules, rng.randint(least, most), rng)
        if not is_quiet(position) or position.evaluate(weights) != 0:
            continue
        face = _face(position)
        if face in known:
            continue
        known.add(face)
        value = engine.search(position, nodes=SEARCH_NODES).score
        if abs(value) > MAX_IMBALANCE:
            continue
        fruitless = 0
        opening = Opening(columns=position.moves, evaluation=0, search_value=value)
        if rules.cells > MOST_CELLS or (
            judge.is_fair(opening.columns) and balance.takes(opening.columns)
        ):
            unfair_in_a_row = 0
            yield opening
        else:
            unfair_in_a_row += 1
            unfair.append(opening)
    yield from unfair


class OpeningKind(NamedTuple):
    """A source of openings."""

    name: str
    """What people call such openings."""

    openings: Callable[[Ruleset, int, int, int, set[Rack]], Iterator[Opening]]
    """Yields those that a seed gives, of so many plies, except those with these faces."""

    stock: Callable[[Ruleset, int, int], int | None] = lambda rules, least, most: None
    """How many there are of so many plies; None if that shows only as they are found."""

    needs_engine: bool = False
    """True if finding them takes the engine."""


KINDS = (
    OpeningKind(
        "from a book",
        _from_book,
        stock=lambda rules, least, most: len(read_book(rules, least, most)),
    ),
    OpeningKind("drawn", new_openings, needs_engine=True),
)
"""The kinds, in the order in which a contest takes them. A further one is a row and a function."""


def kinds_for(rules: Ruleset, count: int, min_plies: int, max_plies: int) -> list[OpeningKind]:
    """Return the kinds that `count` openings take, as one after another runs out."""
    needed = []
    for kind in KINDS:
        if count > 0:
            needed.append(kind)
            stock = kind.stock(rules, min_plies, max_plies)
            count -= count if stock is None else stock
    return needed


def _face(position: Position) -> Rack:
    """Return what a position and its mirror image have in common."""
    rack = position.rack()
    return min(rack, rack[::-1])


def _random_position(rules: Ruleset, plies: int, rng: random.Random) -> Position:
    """Random legal moves, that many unless the game ends first."""
    position = Position(rules)
    while position.ply < plies and not position.is_over:
        position.play(rng.choice(position.legal()))
    return position
