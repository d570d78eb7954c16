"""Openings are balanced, quiet and distinct on any board; the shipped books."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest

from arena.engine import Engine
from arena.openings.drawing import (
    BLOCK,
    DRAWN_BLOCK,
    EVERY,
    MAX_IMBALANCE,
    SEARCH_NODES,
    Judge,
    Opening,
    balanced,
    find_openings,
    is_quiet,
    read_book,
)
from arena.rules import RULESETS, Position, Rack, Ruleset, fifty_ten, parse_moves
from arena_lab.opening_book import drawn, fit_for_book, label, mover_scores, write_book
from support.positions import undecided_position

BOARDS = [Ruleset(), Ruleset(8, 8), Ruleset(5, 9), Ruleset(32, 32), Ruleset(7, 7, 5)]


def faces(openings: list[Opening], rules: Ruleset) -> set[frozenset[Rack]]:
    racks = [Position(rules, opening.columns).rack() for opening in openings]
    return {frozenset((rack, rack[::-1])) for rack in racks}


@pytest.mark.slow
@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_openings_are_balanced_quiet_and_distinct_up_to_mirror_image(rules: Ruleset) -> None:
    openings = find_openings(rules, 3, seed=3)
    engine = Engine(rules, fifty_ten(rules.connect))
    assert len(openings) == 3
    for opening in openings:
        position = Position(rules, opening.columns)
        assert 8 <= position.ply <= 14
        assert position.evaluate(fifty_ten(rules.connect)) == opening.evaluation == 0
        value = engine.search(position, nodes=SEARCH_NODES).score
        assert abs(opening.search_value) <= MAX_IMBALANCE
        assert opening.search_value == value
        assert is_quiet(position)
    assert len(faces(openings, rules)) == 3


@pytest.mark.parametrize(
    "rules",
    [Ruleset(1, 1), Ruleset(6, 1), Ruleset(1, 9), Ruleset(connect=2), Ruleset(2, 2)],
    ids=str,
)
def test_a_board_with_few_openings_has_at_least_one(rules: Ruleset) -> None:
    openings = find_openings(rules, 5, seed=1)
    assert 1 <= len(openings) <= 5
    for opening in openings:
        assert not Position(rules, opening.columns).is_over


def test_a_position_where_either_side_could_win_at_once_is_not_quiet() -> None:
    three_in_a_row = [0, 0, 1, 1, 2, 2]
    assert not is_quiet(Position(Ruleset(), three_in_a_row))
    assert not is_quiet(Position(Ruleset(), [*three_in_a_row[:5], 6]))
    assert is_quiet(Position(Ruleset(), [3, 3]))


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_a_book_holds_500_distinct_quiet_openings_of_zero_evaluation(rules: Ruleset) -> None:
    book = read_book(rules)
    assert len(book) >= 500
    for opening in book:
        position = Position(rules, opening.columns)
        assert 8 <= position.ply <= 14
        assert position.evaluate(fifty_ten(rules.connect)) == opening.evaluation == 0
        assert abs(opening.search_value) <= MAX_IMBALANCE
        assert is_quiet(position)
    assert len(faces(book, rules)) == len(book)


def leads(openings: Iterable[Opening], block: int) -> tuple[list[float], set[float]]:
    """Return the lead of the side to move after each opening, and those where blocks end."""
    lead = [0.0, *accumulate(opening.lead for opening in openings)]
    starts = range(0, len(lead), 1 + (EVERY - 1) * block)
    ends = (start + 1 + block * each for start in starts for each in range(EVERY))
    return lead, {lead[end] for end in (*starts, *ends) if end < len(lead)}


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_in_each_block_of_a_books_openings_the_side_to_move_scores_half(rules: Ruleset) -> None:
    for seed in range(5):
        found = find_openings(rules, 122, seed)
        assert None not in {opening.mover_score for opening in found}
        lead, at_ends = leads(found, BLOCK)
        assert {0.0} < {*lead} <= {-0.5, 0.0, 0.5}
        assert at_ends == {0.0}


@pytest.mark.parametrize(("even", "won"), [(0.8, 0.1), (0.4, 0.3), (0.1, 0.3), (0.05, 0.6)])
@pytest.mark.parametrize("block", [DRAWN_BLOCK, BLOCK])
def test_blocks_are_balanced_with_few_openings_ahead(even: float, won: float, block: int) -> None:
    draw = Random(1)
    chances = even, won, 1 - even - won
    scores = draw.choices((0.5, 1.0, 0.0), chances, k=500)
    numbered = [
        Opening(columns=(number,), evaluation=0, search_value=0, mover_score=score)
        for number, score in enumerate(scores)
    ]
    found = list(balanced(numbered, block))
    assert sorted(each.columns for each in found) == [each.columns for each in numbered]
    lead, _ = leads(found[:200], block)
    assert max(map(abs, lead)) <= 0.5
    if even == 0.4:
        assert leads(found[:200], block)[1] == {0.0}


def test_openings_of_one_side_are_all_taken() -> None:
    won = [Opening(columns=(), evaluation=0, search_value=0, mover_score=1.0)] * 30
    assert list(balanced(won, BLOCK)) == won


@pytest.mark.slow
def test_drawn_openings_are_balanced_and_the_same_in_parts_as_at_once() -> None:
    rules = Ruleset(5, 6)
    found = find_openings(rules, 1 + 2 * DRAWN_BLOCK, seed=4)
    assert [opening.mover_score for opening in found] == list(mover_scores(found, rules))
    assert leads(found, DRAWN_BLOCK)[1] == {0.0}
    some = [opening.columns for opening in found[:5]]
    assert find_openings(rules, len(found) - 5, seed=4, besides=some) == found[5:]


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_openings_of_a_book_are_the_same_in_parts_as_at_once(rules: Ruleset) -> None:
    for seed in range(5):
        some, all_of_them = (
            [each.columns for each in find_openings(rules, number, seed)] for number in (46, 61)
        )
        rest = find_openings(rules, 61 - 46, seed, besides=some)
        assert some + [each.columns for each in rest] == all_of_them


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)
def test_the_scores_in_a_book_are_those_of_the_reference(rules: Ruleset) -> None:
    some = Random(1).sample(read_book(rules), 5)
    assert [opening.mover_score for opening in some] == list(mover_scores(some, rules))


def unlabelled(*games: tuple[int, ...]) -> list[Opening]:
    return [Opening(columns=columns, evaluation=0, search_value=0) for columns in games]


def test_every_opening_of_the_common_games_book_is_a_draw_and_only_draws_become_one() -> None:
    # proving all of them takes minutes; of those with most discs it is quick
    rules, draw = Ruleset(), Random(1)
    book = sorted(read_book(rules), key=lambda opening: -len(opening.columns))
    assert {opening.exact for opening in book} == {0}
    late = [undecided_position(rules, draw, 26).moves for _ in range(6)]
    mixed = unlabelled(*late, *(opening.columns for opening in book[:6]))
    labelled = list(label(mixed, rules))
    assert [opening.exact == 0 for opening in labelled] == [False] * 6 + [True] * 6
    assert list(drawn(mixed, rules)) == labelled[6:]
    assert list(fit_for_book(mixed, RULESETS["cs4100"])) == mixed


@pytest.mark.slow
def test_a_contest_draws_from_the_book_by_its_seed_and_goes_on_beyond_it() -> None:
    rules = Ruleset()
    book = read_book(rules)
    one, other = find_openings(rules, 10, seed=1), find_openings(rules, 10, seed=2)
    assert set(one) <= set(book)
    assert one != other
    assert find_openings(rules, 5, seed=1) == one[:5]
    short = [opening for opening in book if len(opening.columns) == 8]
    more = find_openings(rules, len(short) + 2, seed=1, min_plies=8, max_plies=8)
    assert set(more[:-2]) == set(short)
    assert not set(more[-2:]) & set(book)
    assert len(faces(more, rules)) == len(more)


def test_a_book_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openings = [
        Opening(columns=(3, 3, 2), evaluation=0, search_value=-4, exact=0, mover_score=0.5),
        Opening(columns=(7, 0), evaluation=0, search_value=10, mover_score=1),
    ]
    write_book(tmp_path / "cs4100.csv", openings)
    monkeypatch.setattr("arena.openings.drawing.BOOKS", tmp_path)
    assert read_book(RULESETS["cs4100"]) == openings


@pytest.mark.slow
def test_an_opening_is_fair_if_it_comes_out_even_and_either_side_can_be_held() -> None:
    judge = Judge(Ruleset())
    won = (3, 0, 4, 0)  # with 2, as it is open
    assert judge.mover_score(won) == 1.0
    assert not judge.is_fair(won)
    # proven drawn, and yet the second to move must find one only move after another
    assert not judge.is_fair(parse_moves("1 3 3 6 5 6 5 6 4 4 6 1 6 4"))
    wide = Ruleset(5, 7)
    chosen = [opening.columns for opening in find_openings(wide, 2, seed=3)]
    judge = Judge(wide)
    assert all(map(judge.is_fair, chosen))
    assert sum(map(judge.mover_score, chosen)) in (0.5, 1, 1.5)


@pytest.mark.slow
def test_where_no_opening_is_fair_balanced_ones_are_better_than_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, terms = Ruleset(3, 4), {"count": 100, "seed": 1, "min_plies": 3, "max_plies": 4}
    few = faces(find_openings(rules, **terms), rules)
    monkeypatch.setattr(Judge, "is_fair", lambda *_: False)
    assert faces(find_openings(rules, **terms), rules) == few
