"""What people read of an analysis."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.analysis.analysis import GameAnalysis, JudgedMove, PositionAnalysis
from arena.analysis.worth import Worth
from arena.ranking.accuracy import Analysed, accuracies, accuracy_frame
from arena.report.analysis import accuracy_section, coverage_line
from arena.report.own_games import CitedGames
from arena.report.replay import judged_in_words, value_in_words
from arena.rules import Goal, Position, Ruleset
from support.perfect import BruteForce, brute_analysis, played_game, random_columns

SMALL = Ruleset(rows=3, columns=4, connect=3)
BRUTE = BruteForce()

ORDER = range(1000)
CITED = CitedGames("c.json", {number: number for number in ORDER})


def analysed(columns: tuple[int, ...], opening_plies: int = 0, number: int = 1) -> Analysed:
    """A game on the small board, all of whose values are known."""
    game, record = played_game(SMALL, columns, opening_plies, number)
    return Analysed(game, record, brute_analysis(SMALL, record, 1, BRUTE))


def chances(ply: int, *columns: float | int | None) -> PositionAnalysis:
    """A position whose columns are worth that; a whole number is an exact value."""
    worths = tuple(None if number is None else Worth.of(number) for number in columns)
    return PositionAnalysis(ply=ply, columns=worths)


@given(seed=st.integers(0, 2**32))
def test_a_value_names_the_ply_at_which_perfect_play_ends(seed: int) -> None:
    draw = random.Random(seed)
    position = Position(SMALL, random_columns(SMALL, draw, draw.randint(0, 9)))
    if position.is_over:
        return
    value, ply, mover = BRUTE.value(position), position.ply, position.to_move
    while not position.is_over:
        values = BRUTE.columns(position)
        position.play(max(values, key=values.__getitem__))
    end = f"at ply {position.ply}"
    won = (
        "draws" if position.winner is None else ("wins " if position.winner == mover else "loses ")
    )
    assert value_in_words(value, ply, SMALL) == ("draws" if position.winner is None else won + end)


def test_a_value_of_most_lines_is_the_difference_of_lines() -> None:
    most = Ruleset(goal=Goal.MOST)
    assert value_in_words(1, 20, most) == "wins by 1 line"
    assert value_in_words(-3, 20, most) == "loses by 3 lines"


@pytest.mark.parametrize(
    ("best", "text"),
    [
        ((1,), "loses at ply 11: a blunder; column 1 draws"),
        ((0, 1, 3), "loses at ply 11: a blunder; column 0, 1 or 3 draws"),
        ((), "loses at ply 11"),
    ],
)
def test_a_blunder_is_said_with_what_was_best(best: tuple[int, ...], text: str) -> None:
    worths = (Worth.known(0 if column in best else -1) for column in range(4))
    position = PositionAnalysis(ply=7, columns=tuple(worths))
    assert judged_in_words(JudgedMove(column=2, position=position), SMALL, -1) == text


def test_an_estimate_is_said_to_be_about() -> None:
    position = chances(3, 0.347, 0.7, 0.7, None)
    said = judged_in_words(JudgedMove(column=0, position=position), SMALL)
    assert said == "about 35 %: a blunder; column 1 or 2 gives about 70 %"
    assert judged_in_words(JudgedMove(column=1, position=position), SMALL) == "about 70 %"
    certain = chances(3, 0.999, 0.001, 4, None)
    assert judged_in_words(JudgedMove(column=0, position=certain), SMALL) == "about 99 %"
    said = judged_in_words(JudgedMove(column=1, position=certain), SMALL)
    assert said == "about 1 %: a blunder; column 2 wins"


def test_a_bots_page_shows_where_its_games_were_lost() -> None:
    draw, games, losing = random.Random(5), [], 0
    while losing < 5:
        columns = random_columns(SMALL, draw)
        each = analysed(columns, 2, len(games) + 1)
        games.append(each)
        lost = each.record.loser == 0
        losing += lost and each.analysis.wrong_turn(each.record) is not None
    row = accuracies(games, ["ann", "bob"])["ann"]
    lines = accuracy_section(row, SMALL, CITED, ORDER, str)
    mine = [
        move for each in games for move in each.analysis.judged(each.record) if move.ply % 2 == 0
    ]
    mattered = sum(move.matters for move in mine)
    blunders = sum(move.is_blunder for move in mine)
    assert (
        f"{len(mine)} moves judged, all by exact values. At {mattered} of them it could have gone "
        "wrong. Blunders, which gave away 0.3 points or more: "
        f"{blunders}. Accuracy: {1 - blunders / mattered:.1%}."
    ) in lines
    assert lines.count("        0 1 2 3") == 3  # boards, of the first three
    for lost_game in row.lost:
        number, turn = lost_game.analysed.game.number, lost_game.turn
        if turn is not None:
            (line,) = (line for line in lines if f"`arena replay c.json {number}`" in line)
            column = lost_game.analysed.record.columns[turn.ply]
            assert f"Ply {turn.ply + 1}, as X: column {column} loses, where column " in line


def test_what_is_estimated_is_said() -> None:
    draw = random.Random(6)
    columns = next(c for c in iter(lambda: random_columns(SMALL, draw), None) if len(c) == 9)
    whole, part = analysed(columns), analysed(columns, number=2)
    vague = tuple(chances(ply, 0.4, 0.6, 0.5, 0.5) for ply in range(7))
    part = part._replace(
        analysis=replace(
            part.analysis,
            values={p: value for p, value in part.analysis.values.items() if p >= 7},
            positions=vague + part.analysis.positions[7:],
        )
    )
    assert coverage_line([whole]) == "9 moves of 1 game: the exact value of each is known"
    assert coverage_line([whole, part]) == (
        "18 moves of 2 games: 11 judged by exact values, 7 by estimates"
    )


def test_a_lost_game_is_told_by_its_wrong_turn_or_why_it_has_none() -> None:
    rules = Ruleset()
    turn = chances(3, 0.9, 0.7, 0.3, 0.3, 0.3, 0.3, 0.3)
    late = chances(5, *(-1,) * 7)
    slope = chances(3, 0.5, *(0.4,) * 6)
    games = []
    for number, positions in enumerate([(turn, late), (late,), (slope, late)], 1):
        columns = (3, 0, 3, 4, 3, 0, 3)
        game, record = played_game(rules, columns, positions[0].ply, number)
        between = (chances(4, *(1,) * 7),) if len(positions) == 2 else ()
        analysis = GameAnalysis(
            key=record.key, nodes=1, values={}, positions=(positions[0], *between, *positions[1:])
        )
        games.append(Analysed(game, record, analysis))
    row = accuracies(games, ["bob"])["bob"]
    assert (row.moves, row.known, row.estimated, row.blunders, row.estimated_blunders) == (
        (5, 3, 2, 1, 1)
    )
    section = accuracy_section(row, rules, CITED, ORDER, str)
    named = accuracy_section(row, rules, CITED, ORDER, str.upper)
    assert "(game 1, ANN against BOB; " in "".join(named)
    assert "ann" not in "".join(named)
    hidden = accuracy_section(row, rules, None, ORDER, str.upper)
    assert not any("game 1" in line or "replay" in line for line in hidden)
    assert [line for line in section if line.startswith("- ")] == [
        "- Ply 4, as O: column 4 gives about 30 %, where column 0 gives about 90 % "
        "(game 1, ann against bob; `arena replay c.json 1`)",
        "- No single blunder lost 2 more games.",
    ]


def test_bots_whose_moves_never_mattered_have_no_accuracy() -> None:
    game, record = played_game(SMALL, (0, 1, 2, 3), 2)
    positions = (chances(2, -1, -1, 1, -1), chances(3, -1, -1, -1, -1))
    games = [
        Analysed(
            game, record, GameAnalysis(key=record.key, nodes=1, values={}, positions=positions)
        )
    ]
    frame = accuracy_frame(accuracies(games, ["bob", "ann", "eve"]).values()).set_index("bot")
    assert frame["accuracy"].isna().to_dict() == {"bob": True, "ann": False, "eve": True}
    assert frame.loc["ann", ["moves", "known", "mattered", "blunders"]].to_list() == [1, 1, 1, 0]
    assert frame.loc["eve", ["moves", "known", "mattered", "lost"]].to_list() == [0, 0, 0, 0]
