"""Grades by other rules beside the contest's own, and the figure of grades."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.common.errors import InputError
from arena.contest.retirement import settle
from arena.game.verdict import Verdict
from arena.ranking.grading import Grades, with_error
from arena.report.facts import Facts, facts_of
from arena.report.grade_figure import boundaries, grade_figure
from arena.report.regrading import regraded
from arena.report.screen.leaderboard import leaderboard_table
from arena.scoring.grade_rules import GradeRule
from arena.settings.contest import BotEntry, Contest, Grading
from support.bots import pick_move_in, record
from support.scripted import round_robin

SVG = "{http://www.w3.org/2000/svg}"
BOTS = ("random", "a", "b", "c", "d", "reference")
GRADES = {"a": 3, "b": 5, "c": 8, "d": 10}


@pytest.fixture(scope="module")
def facts() -> Facts:
    """A contest in which the later of two bots wins."""
    entries = {
        name: BotEntry(
            house=name in ("random", "reference"),
            content_hash=name,
            entry_point=pick_move_in(f"{name}.py"),
        )
        for name in BOTS
    }
    games, records = list(round_robin(BOTS, [(0,), (1,)])), {}
    for game in games:
        winner = int(BOTS.index(game.second) > BOTS.index(game.first))
        columns = (*game.key.opening, game.number % 7, *map(int, f"{game.number:o}"))
        records[game.key.digest] = record(
            game.key, columns, Verdict.LINE, winner, charged_ns=(1000,), nodes=(1,)
        )
    contest = Contest(bots=entries, grades=Grading(rule=GradeRule.SEED))
    return facts_of(Path(), contest, settle(games, records, 0), {})


def grades(facts: Facts, column: str = "grade") -> dict[str, float]:
    values = facts.board.set_index("bot")[column].dropna()
    return {str(bot): float(value) for bot, value in values.items()}


def test_a_rule_replaces_the_contests_and_leaves_everything_else(facts: Facts) -> None:
    other, lines = regraded(facts, GradeRule.SCALE, None)
    assert lines == []
    assert grades(facts) == GRADES
    assert grades(other) == {bot: grade.value for bot, grade in other.grades.by_bot.items()}
    assert grades(other)["a"] < 3
    assert other.contest.grade_rule is GradeRule.SCALE
    assert "on the line" in other.board.set_index("bot").at["b", "grade_why"]
    graded = [column for column in facts.board if "grade" in column]
    pd.testing.assert_frame_equal(
        other.board.drop(columns=graded), facts.board.drop(columns=graded)
    )


def test_two_rules_stand_side_by_side_and_how_they_differ_is_said(facts: Facts) -> None:
    both, (line,) = regraded(facts, GradeRule.SCALE, GradeRule.SEED)
    assert grades(both, "grade_seed") == GRADES
    assert grades(both) == grades(regraded(facts, GradeRule.SCALE, None)[0])
    columns = [column for column in both.board if column.startswith("grade_seed")]
    assert columns == [*("grade_seed", "grade_seed_error", "grade_seed_chances", "grade_seed_why")]
    distances = [abs(grades(both)[bot] - grade) for bot, grade in GRADES.items()]
    far = sum(distance > 0.5 for distance in distances)
    assert line.plain == (
        f"{far} of 4 grades differ from seed by more than half a point, at most by "
        f"{max(distances):.1f}"
    )
    table = leaderboard_table(both.board, 200)
    assert [column.header for column in table.columns if "grade" in str(column.header)] == ["grade"]
    assert "by seed" in [column.header for column in table.columns]


def test_a_rule_whose_house_players_are_missing_gives_no_grades(facts: Facts) -> None:
    both, (line,) = regraded(facts, None, GradeRule.LEVELS)
    assert line.plain == (
        "levels: no grades: greedy, novice and master must take part; for that, set [grades] "
        'rule = "levels" in contest.toml and type arena resume'
    )
    assert grades(both) == GRADES
    assert grades(both, "grade_levels") == {}


def test_the_same_rule_twice_is_refused(facts: Facts) -> None:
    for rule in (None, GradeRule.SEED):
        with pytest.raises(InputError, match="--beside seed: is the rule of the other column"):
            regraded(facts, rule, GradeRule.SEED)


def texts(facts: Facts) -> list[str]:
    return [
        "".join(text.itertext()) for text in ET.fromstring(grade_figure(facts)).iter(f"{SVG}text")
    ]


def test_boundaries_of_the_scale_are_its_whole_grades(facts: Facts) -> None:
    scaled, _ = regraded(facts, GradeRule.SCALE, None)
    found = boundaries(scaled)
    assert found[0] == (250, 0)
    assert found[7] == (1125, 7)
    assert found[10] == (1500, 10)


def test_boundaries_of_other_rules_are_between_bots_with_other_grades(facts: Facts) -> None:
    ratings = facts.ratings.table["rating"]
    middles = [(ratings[one] + ratings[other]) / 2 for one, other in ("ab", "bc", "cd")]
    assert boundaries(facts) == list(zip(middles, (5, 8, 10), strict=True))
    mixed = {bot: replace(grade, value=5.0) for bot, grade in facts.grades.by_bot.items()}
    mixed["b"] = replace(mixed["b"], value=9.0)  # better than the bots above it
    assert boundaries(replace(facts, grades=Grades(by_bot=mixed))) == []
    assert boundaries(replace(facts, grades=Grades())) == []


def test_the_figure_has_a_row_for_each_bot_with_its_grade(facts: Facts) -> None:
    found = texts(facts)
    assert [words for words in found if words in BOTS] == list(facts.board["bot"])
    table = facts.board.dropna(subset=["grade"])
    shown = [f"{grade:g}" for grade in table["grade"]]
    assert {*map(with_error, shown, table["grade_error"])} < set(found)
    halved = replace(facts, board=facts.board.assign(grade=facts.board["grade"] / 2))
    assert len([words for words in texts(halved) if re.match(r"\d\.\d|10\.0", words)]) == 4
    picture = ET.fromstring(grade_figure(facts))
    assert len(list(picture.iter(f"{SVG}circle"))) == 4  # house players have another mark


def test_names_in_the_figure_are_text_only(facts: Facts) -> None:
    board = facts.board.assign(bot=["<script>&" + "x" * 90, *facts.board["bot"][1:]])
    (first, *_) = [words for words in texts(replace(facts, board=board)) if "script" in words]
    assert first.startswith("<script>&x") and first.endswith("…")
