"""Grading a contest from its games: rules, the late, penalties, and bots nothing is known of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

import pandas as pd
import pytest

from arena.contest.people import Lateness
from arena.contest.retirement import Settled, settle
from arena.game.verdict import Verdict
from arena.ranking.grading import ERROR_DIGITS, Grade, Grades, with_error
from arena.ranking.leaderboard import leaderboard, leaderboard_sources
from arena.report.screen.lines import grade_lines
from arena.settings.contest import BotEntry, Contest, Format, GradeRule, Grading, Ranking, Schedule
from support.bots import pick_move_in, record
from support.scripted import round_robin

HOUSE = ("random", "greedy", "novice", "reference", "master")
OPENINGS = 3


def contest_of(bots: Iterable[str], grading: Grading, **plan: object) -> Contest:
    entries = {
        name: BotEntry(
            house=name in HOUSE, content_hash=name, entry_point=pick_move_in(f"{name}.py")
        )
        for name in bots
    }
    schedule = Schedule(openings=OPENINGS, seed=1, **plan)  # type: ignore[arg-type]
    return Contest(bots=entries, grades=grading, schedule=schedule)


def played(
    bots: Iterable[str],
    better: dict[str, int],
    late: Iterable[str] = (),
    penalties: dict[str, float] | None = None,
    freeze: bool = False,
    failing: Iterable[str] = (),
) -> Settled:
    """Games of a round robin in which who has the higher number wins, and half between equals.

    Those who are `failing` lose by an error.
    """
    games, records = list(round_robin(bots, [(column,) for column in range(OPENINGS)])), {}
    for game in games:
        difference = better[game.first] - better[game.second]
        loser = game.second if difference > 0 else game.first
        lost = Verdict.ERROR if loser in failing else Verdict.LINE
        records[game.key.digest] = record(
            game.key,
            (*game.key.opening, game.number % 7, *map(int, f"{game.number:o}")),
            Verdict.BOARD_FULL if difference == 0 else lost,
            None if difference == 0 else int(difference < 0),
            charged_ns=(1000,),
            nodes=(1,),
        )
    known = Lateness(late=frozenset(late), penalties=penalties or {})
    return settle(games, records, 0, known, freeze=freeze)


def graded(settled: Settled, contest: Contest) -> Grades:
    return leaderboard_sources(settled, contest).grades


def values(grades: Grades) -> dict[str, float]:
    return {bot: grade.value for bot, grade in grades.by_bot.items()}


STRENGTH = {"random": 0, "a": 1, "b": 2, "c": 3, "d": 4, "reference": 5}


@pytest.mark.parametrize("rule", [GradeRule.AUTO, GradeRule.SEED, GradeRule.CURVE])
def test_a_round_robin_is_graded_by_its_rule(rule: GradeRule) -> None:
    contest = contest_of(STRENGTH, Grading(rule=rule))
    grades = graded(played(STRENGTH, STRENGTH), contest)
    assert values(grades) == {"a": 3, "b": 5, "c": 8, "d": 10}
    assert grades.by_bot["b"].why.startswith("Grade 5: ra")
    assert grades.by_bot["b"].why.endswith("⌈10 · 2/4⌉ = 5.")


def test_where_ratings_are_known_the_rule_is_scale_unless_another_is_named() -> None:
    known = Ranking(anchors={"random": 0.0, "reference": 1500.0})
    for plan in ({}, {"format": Format.GAUNTLET}):
        contest = replace(contest_of(STRENGTH, Grading(), **plan), ranking=known)
        assert contest.grade_rule is GradeRule.SCALE
        grades = graded(played(STRENGTH, STRENGTH), contest)
        assert grades.by_bot.keys() == {"a", "b", "c", "d"}
        assert "is on the line from 250" in grades.by_bot["c"].why
    named = replace(contest, grades=Grading(rule=GradeRule.SEED))
    assert named.grade_rule is GradeRule.SEED
    thresholds = replace(contest, grades=Grading(levels={"4": {"random": 0.5}}))
    assert thresholds.grade_rule is GradeRule.LEVELS


def test_without_house_players_the_scale_gives_no_grades() -> None:
    bots = {"a": 1, "b": 2}
    contest = replace(contest_of(bots, Grading()), ranking=Ranking(anchors={"reference": 1500.0}))
    grades = graded(played(bots, bots), contest)
    way = 'set [grades] rule = "scale" in contest.toml and type arena resume'
    assert grades == Grades(remark=f"no grades: reference must take part; for that, {way}")


def test_a_gauntlet_is_not_graded_unless_a_rule_is_chosen() -> None:
    bots = {"random": 0, "a": 1, "reference": 2}
    plan = {"format": Format.GAUNTLET}
    grades = graded(played(bots, bots), contest_of(bots, Grading(), **plan))
    assert values(grades) == {}
    assert [str(line) for line in grade_lines(grades, Contest())] == [grades.remark]
    assert "levels" in grades.remark
    chosen = Grading(levels={"4": {"random": 0.5}})
    grades = graded(played(bots, bots), contest_of(bots, chosen, **plan))
    assert values(grades) == {"a": 4}


def test_no_grades_are_no_grades() -> None:
    contest = contest_of(STRENGTH, Grading(rule=GradeRule.NONE))
    assert graded(played(STRENGTH, STRENGTH), contest) == Grades()


def test_without_a_house_player_that_the_rule_needs_that_is_said() -> None:
    bots = {"a": 1, "b": 2, "reference": 3}
    grades = graded(played(bots, bots), contest_of(bots, Grading()))
    assert values(grades) == {}
    assert grades.remark.startswith("no grades: random must take part; for that, set [grades] ")
    contest = contest_of({**bots, "random": 0}, Grading())
    left = {**contest.bots, "random": replace(contest.bots["random"], excluded="")}
    grades = graded(played(bots, bots), replace(contest, bots=left))
    way = "type arena exclude FOLDER random --undo"
    assert grades.remark == f"no grades: random must take part; for that, {way}"
    needed = {"3": {"greedy": 1.0, "novice": 1.0}, "4": {"master": 1.0}}
    grades = graded(played(bots, bots), contest_of(bots, Grading(levels=needed)))
    assert grades.remark.startswith("no grades: greedy, novice and master must take part; ")


def test_a_bot_without_games_has_no_grade() -> None:
    contest = contest_of([*STRENGTH, "absent"], Grading(rule=GradeRule.CURVE))
    grades = graded(played(STRENGTH, STRENGTH), contest)
    assert values(grades) == {"a": 3, "b": 5, "c": 8, "d": 10}


@pytest.mark.parametrize("rule", [GradeRule.SEED, GradeRule.CURVE, GradeRule.LEVELS])
def test_where_no_game_counts_there_are_no_grades(rule: GradeRule) -> None:
    contest = contest_of(STRENGTH, Grading(rule=rule))
    assert values(graded(played([], {}), contest)) == {}


def test_levels_read_the_scores_from_the_games() -> None:
    bots = {"random": 0, "a": 1, "b": 1, "greedy": 1, "novice": 2}
    rule = Grading(levels={"3": {"random": 1.0}, "6": {"random": 1.0, "greedy": 0.5}})
    assert values(graded(played(bots, bots), contest_of(bots, rule))) == {"a": 6, "b": 6}


@pytest.mark.parametrize("rule", [GradeRule.SEED, GradeRule.LEVELS])
def test_no_seed_helps_a_bot_that_lost_every_game_by_its_own_fault(rule: GradeRule) -> None:
    bots = {"wreck": 0, "weak": 1, "random": 2, "greedy": 3, "b": 4, "reference": 5}
    grading = Grading(rule=rule, levels={"3": {"greedy": 0.01}})
    error = {}
    for failing in ((), ("wreck",)):
        grades = graded(played(bots, bots, failing=failing), contest_of(bots, grading))
        assert grades.by_bot["wreck"].value == grades.by_bot["weak"].value == 0
        error[failing] = grades.by_bot["wreck"].error
    assert error["wreck",] == 0 <= error[()]
    assert error[()] > 0 or rule is GradeRule.LEVELS


LATE = {"random": 0, "a": 2, "b": 4, "c": 6, "reference": 9, "late": 5, "later": 3}
ON_TIME = {name: strength for name, strength in LATE.items() if not name.startswith("late")}


@pytest.mark.parametrize("rule", [GradeRule.SEED, GradeRule.CURVE])
def test_the_late_change_no_grade_of_those_on_time_under_freeze(rule: GradeRule) -> None:
    before = graded(played(ON_TIME, ON_TIME), contest_of(ON_TIME, Grading(rule=rule)))
    grading = Grading(rule=rule, freeze=True)
    after = graded(played(LATE, LATE, ("late", "later"), freeze=True), contest_of(LATE, grading))
    assert values(before) == {"a": 4, "b": 7, "c": 10}
    assert {bot: values(after)[bot] for bot in "abc"} == values(before)
    # alone beside those on time: place 3 and place 2 of four
    assert values(after)["late"] == 8
    assert values(after)["later"] == 5
    assert after.by_bot["b"].why.startswith("Grade 7: among those on time, ra")
    assert after.by_bot["late"].why.startswith(
        "Grade 8: late, as the only one beside those on time, ra"
    )
    free = graded(played(LATE, LATE, ("late", "later")), contest_of(LATE, Grading(rule=rule)))
    assert values(free) == {"a": 2, "later": 4, "b": 6, "late": 8, "c": 10}


def test_a_penalty_is_taken_off_down_to_nothing_and_said() -> None:
    settled = played(STRENGTH, STRENGTH, ["d", "a"], {"d": 1.5, "a": 4.0, "b": 1.0})
    grades = graded(settled, contest_of(STRENGTH, Grading()))
    assert values(grades) == {"a": 0, "b": 4, "c": 8, "d": 8.5}
    assert grades.by_bot["d"].why == (
        "Grade 8.5: 10 before the late penalty of 1.5 is taken off; rank 2; of the 4 bots between "
        "random and reference it is at least as good as 4 (itself included): ⌈10 · 4/4⌉ = 10."
    )
    assert "5 before the penalty of 1 is taken off" in grades.by_bot["b"].why


def test_the_line_says_how_far_grades_are_certain() -> None:
    def line(*errors: float, until: datetime | None = None, has_more: bool = True) -> list[str]:
        contest = Contest(schedule=Schedule(until=until))
        grades = {str(bot): Grade(value=5, why="", error=error) for bot, error in enumerate(errors)}
        lines = grade_lines(Grades(by_bot=grades), contest, has_more=has_more)
        return [str(each) for each in lines]

    assert line() == line(0, 0.04) == []
    assert line(0, 0.3, 1.26) == [
        "grades are certain to ±0.3 (median), at most ±1.3; more openings (--openings) make that "
        "smaller"
    ]
    assert line(0, 0.4, 1.26, until=datetime(2026, 12, 1, 7, 30)) == [
        "grades are certain to ±0.4 (median), at most ±1.3; twice the time would make the median "
        "±0.3"
    ]
    assert line(0.1, 0.1, 0.3, until=datetime(2026, 12, 1, 7, 30)) == [
        "grades are certain to ±0.1 (median), at most ±0.3; twice the time would change that little"
    ]
    (whole,) = line(0, 0.4, 1.26, until=datetime(2026, 12, 1, 7, 30), has_more=False)
    assert whole.endswith("more openings (--openings) make that smaller")


def test_a_grade_says_what_other_openings_would_change() -> None:
    assert Grade(value=7, why="", error=0.04).certainty == ""
    assert Grade(value=7.4, why="", error=0.31).certainty == (
        "With other openings ±0.3 (95 % interval of the mean grade)."
    )
    assert Grade(value=7, why="", error=0.8, chances={5: 0.04, 6: 0.124, 8: 0.08}).certainty == (
        "With other openings ±0.8 (95 % interval of the mean grade); another draw gives 6 in 12 % "
        "and 8 in 8 %."
    )


def test_an_error_is_the_same_in_the_table_and_in_sentences() -> None:
    grade = Grade(value=5.4, why="", error=1.0496)
    (line,) = grade_lines(Grades(by_bot={"a": grade}), Contest())
    assert with_error("5.4", round(grade.error, ERROR_DIGITS)) == "5.4 ±1.1"
    assert "±1.1 (95 %" in grade.certainty
    assert "±1.1 (median), at most ±1.1;" in line.plain


def test_chances_are_after_the_penalty_and_stand_in_the_table() -> None:
    bots = {"random": 0, "a": 1, "b": 1, "reference": 2}
    settled = played(bots, bots, ["a"], {"a": 1.0})
    sources = leaderboard_sources(settled, contest_of(bots, Grading(rule=GradeRule.SEED)))
    one, other = sources.grades.by_bot["a"], sources.grades.by_bot["b"]
    assert (one.value, other.value) == (9, 10)
    assert max(one.chances, key=lambda grade: one.chances[grade]) == 4
    assert max(other.chances, key=lambda grade: other.chances[grade]) == 5
    assert 0.2 < one.chances[4.0] < 0.8
    assert one.error > 1
    table = leaderboard(sources).set_index("bot")
    assert f"4: {one.chances[4.0]:.2f}" in table.at["a", "grade_chances"].split("; ")
    assert table.at["a", "grade_error"] == pytest.approx(one.error, abs=0.01)
    assert pd.isna(table.at["random", "grade_error"])


def test_with_decimals_no_chances_are_given() -> None:
    bots = {"random": 0, "a": 1, "b": 1, "reference": 2}
    grading = Grading(rule=GradeRule.SCALE)
    grades = graded(played(bots, bots), contest_of(bots, grading))
    assert {grade.chances == {} for grade in grades.by_bot.values()} == {True}
    assert grades.by_bot["a"].value == grades.by_bot["b"].value
    assert grades.by_bot["a"].why.startswith("Grade ")
    assert "is on the line from 250 (grade 0) to 1500 (grade 10)" in grades.by_bot["a"].why
    assert "With other openings ±" in grades.by_bot["a"].certainty


def test_the_error_of_a_grade_by_scale_is_that_of_the_difference_to_the_anchor() -> None:
    bots = {"random": 0, "a": 1, "b": 1, "c": 1, "reference": 1}
    contest = contest_of(bots, Grading(rule=GradeRule.SCALE, scale=(1000, 2000)))
    settled = played(bots, bots)
    sources = leaderboard_sources(settled, contest)
    ratings = sources.ratings
    variance = ratings.ratings.covariance
    a, anchor = ratings.players["a"], ratings.players["reference"]
    error = (variance[a, a] + variance[anchor, anchor] - 2 * variance[a, anchor]) ** 0.5
    assert sources.grades.by_bot["a"].error == pytest.approx(1.96 * error / 100, rel=0.15)
