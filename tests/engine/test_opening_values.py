"""The table of opening values: its content, its use, its construction."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from arena.engine import Solver
from arena.engine.opening_values import (
    LEAST,
    RULES,
    TABLE,
    VALUE_BITS,
    OpeningValues,
    key_of,
    opening_values,
)
from arena.rules import Position, Ruleset
from arena_lab.opening_table import FIRST_MOVES, booked, check, entry_of, faces, solved, table
from support.positions import undecided_position


def entries_of(*positions: tuple[Position, int]) -> np.ndarray:
    entries = [entry_of(key_of(each.rack(), each.to_move), value) for each, value in positions]
    return np.sort(np.array(entries, np.uint64))


def late(count: int) -> dict[int, tuple[int, ...]]:
    """Return positions that are solved quickly, by key."""
    source = random.Random(3)
    found: dict[int, tuple[int, ...]] = {}
    while len(found) < count:
        position = undecided_position(RULES, source, 30)
        found[key_of(position.rack(), position.to_move)] = position.moves
    return found


def first_plies(plies: int) -> np.ndarray:
    """Return the entries of the shipped table up to a ply."""
    entries = np.load(TABLE)
    keys = np.array(sorted(set().union(*faces(plies))), np.uint64)
    return entries[np.isin(entries >> np.uint64(VALUE_BITS), keys)]


@pytest.mark.slow
def test_the_table_is_whole_and_every_value_is_its_best_move() -> None:
    assert "129498 positions of up to 8 plies" in check(np.load(TABLE), 0)


def test_its_first_plies_are_whole_and_every_value_is_its_best_move() -> None:
    assert "2863 positions of up to 5 plies" in check(first_plies(5), 0)


def test_another_solver_with_a_book_gives_the_same_table() -> None:
    pytest.importorskip("bitbully", reason="pip install bitbully")
    found = faces(5)
    assert np.array_equal(table(found, booked(found[-1])), first_plies(5))


def test_a_wrong_value_and_a_missing_position_are_found() -> None:
    entries = first_plies(3)
    wrong = entries.copy()
    wrong[0] += np.uint64(1)  # the empty board's
    with pytest.raises(ValueError, match="best move"):
        check(wrong, 0)
    with pytest.raises(ValueError, match="positions are missing"):
        check(entries[:-1], 0)


def test_the_empty_board_needs_no_search() -> None:
    found = Solver(RULES, known=opening_values(RULES)).solve(Position(RULES))
    assert (found.columns, found.value, found.best, found.nodes) == (FIRST_MOVES, 1, (3,), 0)


def test_mirror_images_are_one_position_and_sides_are_not() -> None:
    position, mirrored = Position(RULES, (0, 1, 1, 3)), Position(RULES, (6, 5, 5, 3))
    other = Position(RULES, (1, 0, 3, 1))  # the same cells, by the other players
    known = OpeningValues(entries_of((position, 7)))
    assert known.value(position) == known.value(mirrored) == 7
    assert known.value(other) is None


def test_the_position_after_is_worth_what_the_one_before_leaves_it_at_least() -> None:
    before, other = Position(RULES, (3, 3, 2)), Position(RULES, (3, 4, 2))
    after = Position(RULES, (3, 3, 2, 4))  # of either
    assert OpeningValues(entries_of((before, 2))).least(after) == -2
    known = OpeningValues(entries_of((before, 2), (other, -3)))
    assert known.least(after) == 3
    assert known.least(before) == known.least(Position(RULES, (0, 0, 0, 0))) == LEAST


def test_a_move_that_was_the_best_one_is_soon_known_to_be_worth_what_it_left() -> None:
    before = Position(RULES, (5, 2, 2, 1, 6, 0, 5, 1))
    plain = Solver(RULES)
    value = plain.value(before)
    after = Position(RULES, (*before.moves, plain.best(before)))
    least = OpeningValues(entries_of((before, value)))
    knows, searches = Solver(RULES, known=least), Solver(RULES)
    assert knows.value(after) == searches.value(after, low=-value) == -value
    assert knows.nodes < searches.nodes


def test_a_solver_believes_what_it_knows_and_no_other_rules_have_a_table() -> None:
    position = Position(RULES, (3,))
    solver = Solver(RULES, known=OpeningValues(entries_of((position, 5))))
    assert solver.value(position) == 5
    assert solver.value(position, high=2) == 2
    assert solver.nodes == 0
    assert opening_values(Ruleset(8, 7)) is None


def test_values_are_the_solvers_and_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    wanted, partial = late(12), tmp_path / "values.partial"
    values = solved(wanted, 2, 16, None, partial)
    solver = Solver(RULES)
    assert values == {key: solver.value(Position(RULES, moves)) for key, moves in wanted.items()}
    whole = np.sort(np.fromfile(partial, np.uint64))
    partial.write_bytes(whole[:5].tobytes() + b"cut")
    assert solved(wanted, 1, 16, None, partial) == values
    assert np.array_equal(np.sort(np.fromfile(partial, np.uint64)), whole)
    # nothing is left to do: the values of a run before are taken as they are
    key = next(iter(wanted))
    partial.write_bytes(np.array([entry_of(each, 9) for each in wanted], np.uint64).tobytes())
    assert solved(wanted, 1, 16, None, partial)[key] == 9


def test_fewer_plies_follow_from_the_last() -> None:
    found = faces(2)
    entries = table(found, dict.fromkeys(found[2], 3))
    assert [int(entry) & 255 for entry in entries].count(64 + 3) == len(found[2]) + 1
    assert OpeningValues(entries).value(Position(RULES, (2,))) == -3
