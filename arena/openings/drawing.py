"""Balanced random openings, and books of openings.

The side to move wins most positions with a zero static evaluation. So an opening must also be
quiet, balanced in the engine's search, and fair in games (`Judge`). Each is played twice, with
sides swapped. In each block of a contest's pool (`arena.openings.pool`) the side to move scores
half, when the reference plays itself.

Books are CSV files for named rules, shipped with Arena. `arena_lab.opening_book` makes them. The
openings of the common game's book are proven drawn.
"""

from __future__ import annotations

import csv
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from arena.rules import MAX_SIDE, RULESETS, Position, Rack, Ruleset, fifty_ten, parse_moves

BOOKS = Path(__file__).parent / "shipped"
MOST_PLIES = MAX_SIDE * MAX_SIDE  # More than any opening has.
BLOCK = 15  # Openings of a pool's block from a book.
DRAWN_BLOCK = 6  # The same without a book, as drawing takes up to half a second an opening.
EVERY = 7  # Of a pairing's openings the places 0, EVERY, 2 · EVERY … can be shared.
AHEAD = 150  # Most openings that wait for their place.


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    columns: tuple[int, ...]
    """Moves from the empty board."""

    evaluation: int
    """Static evaluation with the weights `fifty_ten`, for player 0."""

    search_value: int
    """Value of a search of SEARCH_NODES nodes with these weights, for the side to move."""

    exact: int | None = None
    """Exact value for the side to move, as in `arena.engine.Solved.value`; None if unknown."""

    mover_score: float | None = None
    """Points of the side to move if the reference plays itself; None if unknown."""

    @property
    def lead(self) -> float:
        return 0.0 if self.mover_score is None else self.mover_score - 0.5


def read_book(rules: Ruleset, min_plies: int = 0, max_plies: int = MOST_PLIES) -> list[Opening]:
    for name, known in RULESETS.items():
        path = BOOKS / f"{name}.csv"
        if known == rules and path.exists():
            return [o for o in _book(path) if min_plies <= len(o.columns) <= max_plies]
    return []


@cache
def _book(path: Path) -> list[Opening]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Opening(
                columns=parse_moves(row["moves"]),
                evaluation=0,
                search_value=int(row["search_value"]),
                exact=int(row["exact"]) if row["exact"] else None,
                mover_score=float(row["mover_score"]),
            )
            for row in csv.DictReader(file)
        ]


SEARCH_NODES = 10_000  # Of the search that judges balance; the reference's nodes per move.
MAX_IMBALANCE = 10  # Largest search value that is balanced: a line two discs short.
ATTEMPTS = 4000  # Random games without a new balanced position after which the search stops.
CANDIDATES = 100  # Successive positions unfair in games after which the search stops.


def find_openings(
    rules: Ruleset,
    count: int,
    seed: int,
    min_plies: int = 8,
    max_plies: int = 14,
    besides: Iterable[tuple[int, ...]] = (),
) -> list[Opening]:
    """Return the first `count` openings of a seed, without those in `besides`.

    Openings of the rules' book come first. A larger `count` begins with the same openings. A small
    board may have fewer. If there are none and `besides` is empty, returns the empty board.
    """
    known = {_canonical(Position(rules, columns)) for columns in besides}
    plies = min_plies, max_plies
    stream = itertools.chain(_from_book(rules, seed, *plies), new_openings(rules, seed, *plies))
    found: dict[Rack, Opening] = {}
    for opening in stream if count > 0 else ():
        if (rack := _canonical(Position(rules, opening.columns))) not in known:
            found.setdefault(rack, opening)
        if len(found) == count:
            break
    if found or known:
        return list(found.values())
    return [Opening(columns=(), evaluation=0, search_value=0)]


def _from_book(rules: Ruleset, seed: int, min_plies: int, max_plies: int) -> Iterator[Opening]:
    random.Random(seed).shuffle(book := read_book(rules, min_plies, max_plies))
    return balanced(book, BLOCK)


def balanced(openings: Iterable[Opening], block: int) -> Iterator[Opening]:
    """Yield openings in an order in which the side to move scores half.

    Its lead, either way, is never more than half a point, and 0 after a block and after an opening
    that all pairings share. Exceptions are possible if AHEAD openings are too few.
    """
    rest, lead = iter(openings), 0.0
    left: list[Opening] = []
    for number in itertools.count():
        more = -(number % (1 + (EVERY - 1) * block)) % block  # openings until the block ends
        fitting = _fitting(left, lead, more)
        for opening in () if fitting else itertools.islice(rest, max(0, AHEAD - len(left))):
            left.append(opening)
            if fitting := _fitting(left, lead, more):
                break
        if not left:
            return
        near = [place for place, each in enumerate(left) if each.lead * lead <= 0]
        opening = left.pop((*fitting, *near, 0)[0])
        lead += opening.lead
        yield opening


def _fitting(left: Sequence[Opening], lead: float, more: int) -> list[int]:
    even = sum(each.lead == 0 for each in left)
    return [
        place
        for place, each in enumerate(left)
        if (halves := int(2 * abs(lead + each.lead))) <= min(1, more)
        and ((more - halves) % 2 == 0 or even > (each.lead == 0))
    ]


def is_quiet(position: Position) -> bool:
    """Return whether the game is not over and no disc of either player makes a line."""
    return not position.is_over and not any(
        position.wins_at(column, player) for column in position.legal() for player in (0, 1)
    )


def new_openings(rules: Ruleset, seed: int, min_plies: int, max_plies: int) -> Iterator[Opening]:
    """Yield openings found by random play, distinct up to mirror image.

    Openings that are fair in games come first, `balanced`; then those that are balanced only in the
    search: as both sides are played, they are better than none.
    """
    unfair: list[Opening] = []
    yield from balanced(_fair(rules, seed, min_plies, max_plies, unfair), DRAWN_BLOCK)
    yield from unfair


def _fair(
    rules: Ruleset, seed: int, min_plies: int, max_plies: int, unfair: list[Opening]
) -> Iterator[Opening]:
    from arena.engine import Engine  # takes half a second, not needed with a book

    weights = fifty_ten(rules.connect)
    engine, judge = Engine(rules, weights), Judge(rules)
    fruitless = unfair_in_a_row = 0
    most = min(max_plies, rules.cells // 3)
    least = min(min_plies, most)
    rng = random.Random(seed)
    known: set[Rack] = set()
    while fruitless < ATTEMPTS and unfair_in_a_row < CANDIDATES:
        fruitless += 1
        position = _random_position(rules, rng.randint(least, most), rng)
        if not is_quiet(position) or position.evaluate(weights) != 0:
            continue
        canonical = _canonical(position)
        if canonical in known:
            continue
        known.add(canonical)
        value = engine.search(position, nodes=SEARCH_NODES).score
        if abs(value) > MAX_IMBALANCE:
            continue
        fruitless = 0
        opening = Opening(columns=position.moves, evaluation=0, search_value=value)
        if rules.cells > MOST_CELLS:
            yield opening
        elif judge.is_fair(opening.columns):
            unfair_in_a_row = 0
            yield replace(opening, mover_score=judge.mover_score(opening.columns))
        else:
            unfair_in_a_row += 1
            unfair.append(opening)


TRIAL_NODES = (1_000, 2_000, 4_000)  # Nodes per move in the engine's trial games with itself.
HELD_DEPTH = 4  # Plies of the plain alpha-beta player to which the reference must not lose.
MOST_CELLS = 100  # On larger boards games take seconds, so openings are not judged by games.


class Judge:
    """Judges openings by games: a good player must not lose with either side.

    A balanced search value is not enough: on most boards the side to move still scores 54 to 64 %.
    And a drawn position may need a series of only moves that no student's bot finds.
    """

    def __init__(self, rules: Ruleset) -> None:
        from arena.engine import Engine  # as above

        self._rules = rules
        self._engine = Engine(rules)
        self._plain = Engine.plain(rules)

    def is_fair(self, columns: tuple[int, ...]) -> bool:
        """Return whether trial games favour no side and the reference loses with neither."""
        scores = [self.mover_score(columns, nodes) for nodes in TRIAL_NODES]
        return 1 <= sum(scores) <= len(scores) - 1 and not any(
            self._loses(columns, reference) for reference in (0, 1)
        )

    def mover_score(self, columns: tuple[int, ...], nodes: int = SEARCH_NODES) -> float:
        """Return 1, ½ or 0 points: those of the side to move if the engine plays itself."""
        position = Position(self._rules, columns)
        mover = position.to_move
        while not position.is_over:
            position.play(self._engine.search(position, nodes=nodes).column)
        return 0.5 if position.winner is None else float(position.winner == mover)

    def _loses(self, columns: tuple[int, ...], reference: int) -> bool:
        position = Position(self._rules, columns)
        while not position.is_over:
            if position.to_move == reference:
                found = self._engine.search(position, nodes=SEARCH_NODES)
            else:
                found = self._plain.search(position, depth=HELD_DEPTH)
            position.play(found.column)
        return position.winner == 1 - reference


def _canonical(position: Position) -> Rack:
    rack = position.rack()
    return min(rack, rack[::-1])


def _random_position(rules: Ruleset, plies: int, rng: random.Random) -> Position:
    position = Position(rules)
    while position.ply < plies and not position.is_over:
        position.play(rng.choice(position.legal()))
    return position
