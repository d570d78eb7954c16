"""What moves were worth: the definitions, by brute force; and the journal that keeps it."""

from __future__ import annotations

import random
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.analysis.analysis import GameAnalysis, PositionAnalysis, analyse
from arena.analysis.worth import Appraiser, Worth, end_value, outcome
from arena.common.errors import UnsolvedError
from arena.contest.run import Analyser, unanalysed
from arena.game.verdict import Verdict
from arena.journal.database import Journal
from arena.rules import Goal, Position, Ruleset
from support.perfect import BruteForce, brute_analysis, played_game, random_columns
from tests.support.on_lanes import OnLanes

FOUR = Ruleset(rows=4, columns=4)
SMALL = Ruleset(rows=3, columns=4, connect=3)
MOST = replace(SMALL, goal=Goal.MOST)
BRUTE = {rules: BruteForce() for rules in (FOUR, SMALL, MOST)}


class Forgetful(BruteForce):
    """A solver whose nodes suffice only from some ply on."""

    def __init__(self, since: int) -> None:
        super().__init__()
        self._since = since

    def value(self, position: Position, **terms: Any) -> int:
        if position.ply < self._since:
            raise UnsolvedError
        return super().value(position, **terms)


class Here(Executor):
    """Does everything at once, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.mark.slow
@given(seed=st.integers(0, 2**32), rules=st.sampled_from([SMALL, MOST]))
def test_every_move_is_judged_by_what_all_the_others_were_worth(seed: int, rules: Ruleset) -> None:
    draw = random.Random(seed)
    columns = random_columns(rules, draw, draw.choice([3, 7, 1000]))
    opening_plies = draw.randint(0, min(3, len(columns)))
    _, record = played_game(rules, columns, opening_plies)
    analysis = brute_analysis(rules, record, 1, BRUTE[rules])
    assert analysis.is_complete(record)
    assert list(analysis.values) == list(range(opening_plies, len(columns)))
    for move in analysis.judged(record):
        position = Position(rules, columns[: move.ply])
        values = BRUTE[rules].columns(position)
        outcomes = set(map(outcome, values.values()))
        assert move.position.value == max(values.values())
        assert analysis.values[move.ply] == values[columns[move.ply]]
        assert move.matters == (len(outcomes) > 1)
        assert move.is_blunder == (outcome(values[move.column]) < max(outcomes))
        kept = [column for column in values if outcome(values[column]) == max(outcomes)]
        best = [column for column in kept if values[column] == max(values.values())]
        assert list(move.position.best) == best
        assert list(move.position.held_by) == kept


def test_the_wrong_turn_is_the_losers_first_blunder_after_which_it_had_no_even_chance() -> None:
    # for each position the chance of the best column, and of column 0, that of the next move
    chances = [(0.5, 0.5), (0.8, 0.3), (0.7, 0.2), (0.5, 0.2), (0.9, 0.9), (0.4, 0.1), (1.0, 1.0)]
    positions = tuple(
        PositionAnalysis(ply=ply, columns=(Worth(None, played), *(None,) * 5, Worth(None, best)))
        for ply, (best, played) in enumerate(chances)
    )
    _, record = played_game(Ruleset(), (0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3))
    record = replace(record, columns=(0,) * 7)
    assert record.loser == 1
    lost = GameAnalysis(key=record.key, nodes=1, values={}, positions=positions)
    assert [move.ply for move in lost.blunders(record)] == [1, 2, 3, 5]
    turn = lost.wrong_turn(record)
    assert turn is not None and turn.ply == 3
    assert lost.wrong_turn(replace(record, winner=None)) is None
    assert lost.wrong_turn(replace(record, verdict=Verdict.TIMEOUT)) is None


def test_what_lies_before_the_first_unsolved_position_stays_unknown() -> None:
    columns = random_columns(SMALL, random.Random(4))
    _, record = played_game(SMALL, columns)
    for since in range(0, len(columns) + 2, 2):
        analysis = brute_analysis(SMALL, record, 1, Forgetful(since))
        exact = [position.ply for position in analysis.positions if position.is_exact]
        # a move after which the game is over needs no solver
        assert set(range(since, len(columns))) <= set(exact)
        assert list(analysis.values) == exact
        assert [position.ply for position in analysis.positions] == list(range(len(columns)))


@pytest.mark.parametrize(
    ("rules", "columns", "value"),
    [
        (Ruleset(), (3, 0, 3, 0, 3, 0, 3), 18),  # the mover had 17 discs more
        (Ruleset(rows=2, columns=3, connect=2), (0, 2, 1), 2),
        (Ruleset(rows=1, columns=3, connect=3), (0, 1, 2), 0),
        (Ruleset(rows=2, columns=2, connect=2, goal=Goal.MOST), (0, 0, 1, 1), 0),
        (Ruleset(rows=1, columns=3, connect=2, goal=Goal.MOST), (0, 2, 1), 1),
    ],
)
def test_a_game_that_is_over_has_the_solvers_value(
    rules: Ruleset, columns: tuple[int, ...], value: int
) -> None:
    assert end_value(Position(rules, columns)) == value


def test_an_analysis_with_more_nodes_goes_before_and_none_is_changed(tmp_path: Path) -> None:
    _, record = played_game(SMALL, random_columns(SMALL, random.Random(2)))
    journal = Journal(tmp_path / "journal.sqlite")
    whole = brute_analysis(SMALL, record, 50, BRUTE[SMALL])
    part = replace(whole, nodes=10, values=dict(list(whole.values.items())[2:]))
    assert unanalysed([record], {}, 10) == [record]
    journal.add_analyses([part])
    assert unanalysed([record], journal.analyses(), 10) == []
    assert unanalysed([record], journal.analyses(), 50) == [record]
    journal.add_analyses([whole, replace(part, values={})])
    assert journal.analyses() == {record.key: whole}
    assert unanalysed([record], journal.analyses(), 100) == []


def test_a_stopped_analysis_goes_on_with_the_games_that_are_missing(tmp_path: Path) -> None:
    draw = random.Random(3)
    records = [played_game(FOUR, random_columns(FOUR, draw), 6, n)[1] for n in range(1, 9)]
    journal = Journal(tmp_path / "journal.sqlite")
    going = iter(Analyser(FOUR, records, journal, OnLanes(Here(), 1), 1_000_000))
    next(going)
    del going
    kept = journal.analyses()
    assert 0 < len(kept) < len(records)
    missing = unanalysed(records, kept, 1_000_000)
    assert {record.key for record in missing} == {r.key for r in records} - kept.keys()
    analyser = Analyser(FOUR, missing, journal, OnLanes(Here(), 1), 1_000_000)
    assert len(list(analyser)) == len(missing)
    wanted = [brute_analysis(FOUR, r, 1_000_000, BRUTE[FOUR]) for r in records]
    assert journal.analyses() == {each.key: each for each in wanted}


def test_an_analysis_depends_on_its_game_alone(tmp_path: Path) -> None:
    rules = Ruleset(rows=8, columns=8)
    draw = random.Random(8)
    openings = [random_columns(rules, draw, 20) for _ in range(2)]
    records = []
    for number in range(4):
        position = Position(rules, openings[number % 2])
        while not position.is_over and position.ply < 23:
            position.play(draw.choice(position.legal()))
        records.append(played_game(rules, position.moves, 20, number)[1])
    alone = {record.key: analyse(rules, record, 3000) for record in records}
    for order in (records, records[::-1]):
        journal = Journal(tmp_path / f"{order[0].key}.sqlite")
        assert len(list(Analyser(rules, order, journal, OnLanes(Here(), 1), 3000))) == len(records)
        assert journal.analyses() == alone


def test_games_that_begin_alike_share_the_work() -> None:
    solvers: list[BruteForce] = []

    def make_solver() -> BruteForce:
        solvers.append(BruteForce())
        return solvers[-1]

    appraiser = Appraiser(SMALL, 1, make_solver)  # type: ignore[arg-type]
    one = played_game(SMALL, (0, 1, 2, 3, 0, 1), 2)[1]
    mirrored = played_game(SMALL, (3, 2, 1, 0, 3, 3), 2)[1]
    analyse(SMALL, one, appraiser=appraiser)
    assert len(solvers) == len(one.columns) - 2 + 1
    analyse(SMALL, mirrored, appraiser=appraiser)
    # all but the last position of the other game is the mirror image of one that is known
    assert len(solvers) == len(one.columns) - 2 + 2


def test_a_position_in_which_a_fault_was_made_is_the_last() -> None:
    _, record = played_game(SMALL, (0, 1, 2, 3), 2)
    assert record.verdict.is_fault
    analysis = brute_analysis(SMALL, record)
    assert [position.ply for position in analysis.positions] == [2, 3, 4]
    assert [move.ply for move in analysis.judged(record)] == [2, 3]
    assert analysis.is_complete(record)


@pytest.mark.parametrize("goal", list(Goal))
def test_estimates_lead_up_to_what_is_exact(goal: Goal) -> None:
    rules = Ruleset(rows=6, columns=7, goal=goal)
    draw = random.Random(11)
    columns = random_columns(rules, draw)
    while len(columns) < 30:
        columns = random_columns(rules, draw)
    _, record = played_game(rules, columns, 8)
    analysis = analyse(rules, record, 5_000)
    exact = [position.is_exact for position in analysis.positions]
    assert not exact[0] and exact[-1]
    assert [position.ply for position in analysis.positions] == list(range(8, len(columns)))
    for move in analysis.judged(record):
        assert move.is_estimate or move.worth.exact is not None
        assert move.matters or not move.is_blunder
        assert (move.column in move.position.held_by) != move.is_blunder


def test_identical_games_and_games_without_a_move_are_not_analysed_again() -> None:
    _, record = played_game(SMALL, (0, 1, 2, 3, 0), 2)
    _, unmoved = played_game(SMALL, (0, 1), 2, number=2)
    assert unanalysed([record, unmoved, record], {}, 1) == [record]


def test_of_a_large_board_and_of_maxconnect4_the_last_plies_are_known(tmp_path: Path) -> None:
    for rules in (Ruleset(7, 8), Ruleset(4, 5, goal=Goal.MOST)):
        source = random.Random(1)
        position = Position(rules)
        while not position.is_over:
            position.play(source.choice(position.legal()))
        records = [played_game(rules, position.moves, 2)[1]]
        journal = Journal(tmp_path / f"{rules.columns}.sqlite")
        (analysis,) = Analyser(rules, records, journal, OnLanes(Here(), 1), 1000)
        assert 0 < len(analysis.values) < len(position.moves) - 2
        assert not analysis.is_complete(records[0])
