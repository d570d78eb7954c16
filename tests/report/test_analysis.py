"""What people read of an analysis."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.perfect import BruteForce, played_game, random_columns

from arena.contest import GameAnalysis, MoveAnalysis
from arena.contest.analysis import analyse
from arena.ranking import Analysed, accuracies, accuracy_frame
from arena.report.analysis import accuracy_section, coverage_line
from arena.report.moves import known_line, move_in_words, value_in_words
from arena.rules import Goal, Position, Ruleset

SMALL = Ruleset(rows=3, columns=4, connect=3)
BRUTE = BruteForce()


def analysed(
    columns: tuple[int, ...], opening_plies: int = 0, number: int = 1, known_from: int = 0
) -> Analysed:
    """A game on the small board, known from some ply on, counted from 0."""
    game, record = played_game(SMALL, columns, opening_plies, number)
    whole = analyse(SMALL, record, BRUTE, 1)  # type: ignore[arg-type]
    known = tuple(move for move in whole.moves if move.ply >= known_from)
    return Analysed(game, record, replace(whole, moves=known))


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
    before = 0 if best else -1
    move = MoveAnalysis(ply=7, before=before, value=-1, matters=bool(best), best=best, held_by=best)
    assert move_in_words(move, SMALL) == text


def test_a_bots_page_shows_where_its_games_were_lost() -> None:
    draw, games, losing = random.Random(5), [], 0
    while losing < 5:
        columns = random_columns(SMALL, draw)
        each = analysed(columns, 2, len(games) + 1)
        games.append(each)
        lost = each.record.loser == 0
        losing += lost and each.analysis.first_blunder(each.record) is not None
    row = accuracies(games, ["ann", "bob"])["ann"]
    lines = accuracy_section(row, SMALL, "arena replay c", str)
    mine = [move for each in games for move in each.analysis.moves if move.ply % 2 == 0]
    mattered = sum(move.matters for move in mine)
    blunders = sum(move.is_blunder for move in mine)
    assert (
        f"{len(mine)} of its {len(mine)} moves could be judged. At {mattered} of them it could "
        "choose between moves that end differently. Blunders, which gave away a win or a draw: "
        f"{blunders}. Accuracy: {1 - blunders / mattered:.1%}."
    ) in lines
    assert lines.count("        0 1 2 3") == 3  # boards, of the first three
    for lost_game in row.lost:
        number, blunder = lost_game.analysed.game.number, lost_game.blunder
        if blunder is None:
            (line,) = (line for line in lines if "Lost from the opening on: game" in line)
            assert f" {number}" in line
        else:
            (line,) = (line for line in lines if f"`arena replay c {number}`" in line)
            was = "won" if blunder.before > 0 else "drawn"
            column = lost_game.analysed.record.columns[blunder.ply]
            assert (
                f"Ply {blunder.ply + 1}, as X: the game was {was}, and column {column} lost it; "
                "column "
            ) in line


def test_what_is_not_known_is_said() -> None:
    draw = random.Random(6)
    columns = next(c for c in iter(lambda: random_columns(SMALL, draw), None) if len(c) == 9)
    whole, part = analysed(columns), analysed(columns, number=2, known_from=7)
    nothing = analysed(columns, number=3, known_from=20)
    assert coverage_line([whole]) == "every move of the 1 game is known"
    assert coverage_line([whole, part, nothing]) == (
        "1 of 3 games known from the opening on, 1 only from a later ply on (8), nothing known of 1"
    )
    assert known_line(whole.analysis, whole.record) == ""
    assert known_line(part.analysis, part.record).endswith("is known from ply 8 on.")
    assert known_line(nothing.analysis, nothing.record).endswith("is not known.")


def test_a_lost_game_that_is_not_known_whole_says_from_where_on_it_is() -> None:
    rules = Ruleset()
    blunder = MoveAnalysis(ply=3, before=2, value=-1, matters=True, best=(2, 5), held_by=(1, 2, 5))
    late = MoveAnalysis(ply=5, before=-1, value=-1, matters=False)
    games = []
    for number, moves in enumerate([(blunder, late), (late,), ()], 1):
        game, record = played_game(rules, (3, 0, 3, 4, 3, 0, 3), 1, number)
        analysis = GameAnalysis(key=record.key, nodes=1, moves=moves)
        games.append(Analysed(game, record, analysis))
    section = accuracy_section(accuracies(games, ["bob"])["bob"], rules, "arena replay c", str)
    named = accuracy_section(accuracies(games, ["bob"])["bob"], rules, "arena replay c", str.upper)
    assert "(game 1, ANN against BOB; " in "".join(named)
    assert "ann" not in "".join(named)
    hidden = accuracy_section(accuracies(games, ["bob"])["bob"], rules, None, str.upper)
    assert "from ply 4 on (ANN against BOB)" in "".join(hidden)
    assert hidden[-1] == "- In 1 lost game none of the moves could be judged: ANN against BOB"
    assert not any("game 1" in line or "replay" in line for line in hidden)
    assert [line for line in section if line.startswith("- ")] == [
        "- Ply 4, as O: the game was won, and column 4 lost it; column 1, 2 or 5 would have kept "
        "the win; its moves are known from ply 4 on (game 1, ann against bob; "
        "`arena replay c 1`)",
        "- In 1 lost game the first losing move is not known: it was lost already where the "
        "solver could begin (from ply 6 on): game 2; `arena replay c 2`",
        "- In 1 lost game none of the moves could be judged: game 3; `arena replay c 3`",
    ]


def test_lost_games_whose_first_losing_move_is_not_known_are_one_line() -> None:
    rules, games = Ruleset(), []
    for number, ply in enumerate((5, 3, 5), 1):
        game, record = played_game(rules, (3, 0, 3, 4, 3, 0, 3), 1, number)
        known = MoveAnalysis(ply=ply, before=-1, value=-1, matters=False)
        analysis = GameAnalysis(key=record.key, nodes=1, moves=(known,))
        games.append(Analysed(game, record, analysis))
    section = accuracy_section(accuracies(games, ["bob"])["bob"], rules, "arena replay c", str)
    assert [line for line in section if line.startswith("- ")] == [
        "- In 3 lost games the first losing move is not known: they were lost already where the "
        "solver could begin (from ply 4 to 6 on): games 1, 2, 3; as in `arena replay c 1`"
    ]


def test_bots_whose_moves_never_mattered_have_no_accuracy() -> None:
    game, record = played_game(SMALL, (0, 1, 2, 3), 2)
    moves = (
        MoveAnalysis(ply=2, before=1, value=1, matters=True),
        MoveAnalysis(ply=3, before=-1, value=-1, matters=False),
    )
    games = [Analysed(game, record, GameAnalysis(key=record.key, nodes=1, moves=moves))]
    frame = accuracy_frame(accuracies(games, ["bob", "ann", "eve"]).values()).set_index("bot")
    assert frame["accuracy"].isna().to_dict() == {"bob": True, "ann": False, "eve": True}
    assert frame.loc["ann", ["moves", "known", "mattered", "blunders"]].to_list() == [1, 1, 1, 0]
    assert frame.loc["eve", ["moves", "known", "mattered", "lost"]].to_list() == [0, 0, 0, 0]
