"""Grading a contest from its games: rules, the late, penalties, and bots nothing is known of."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from arena.contest.people import Lateness
from arena.contest.retirement import Settled, settle
from arena.game.verdict import Verdict
from arena.ranking.grading import Grade, Grades
from arena.ranking.leaderboard import leaderboard_sources
from arena.report.screen.lines import grade_lines
from arena.settings.contest import (
    BotEntry,
    Contest,
    Format,
    GradeRule,
    Grading,
    Schedule,
)
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


def test_a_gauntlet_is_not_graded_unless_a_rule_is_chosen() -> None:
    bots = {"random": 0, "a": 1, "reference": 2}
    plan = {"format": Format.GAUNTLET}
    grades = graded(played(bots, bots), contest_of(bots, Grading(), **plan))
    assert values(grades) == {}
    assert [str(line) for line in grade_lines(grades)] == [grades.remark]
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
    assert grades.remark == "no grades: random must take part"
    needed = {"3": {"greedy": 1.0, "novice": 1.0}, "4": {"master": 1.0}}
    grades = graded(played(bots, bots), contest_of(bots, Grading(levels=needed)))
    said = "no grades: greedy, novice and master must take part"
    assert grades.remark == said


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
    sure = {}
    for failing in ((), ("wreck",)):
        grades = graded(played(bots, bots, failing=failing), contest_of(bots, grading))
        assert grades.by_bot["wreck"].value == grades.by_bot["weak"].value == 0
        sure[failing] = grades.by_bot["wreck"].sure
    assert sure["wreck",] == 1 > sure[()]


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


def test_the_line_says_how_many_grades_are_unsure_and_what_settles_them() -> None:
    def line(*openings: int | None) -> list[str]:
        grades = {
            str(index): Grade(value=5, why="", sure=1.0 if number == 0 else 0.7, openings=number)
            for index, number in enumerate(openings)
        }
        return [str(each) for each in grade_lines(Grades(by_bot=grades))]

    assert line(0, 0) == []
    assert line(0, 5, 12) == [
        "2 of 3 grades, marked ?, may change with another seed; 12 more openings would settle them"
    ]
    assert line(0, 5, None) == [
        "2 of 3 grades, marked ?, may change with another seed; 5 more openings would settle 1 of "
        "them; the others are too close to a boundary"
    ]
    assert line(None) == [
        "1 of 1 grade, marked ?, may change with another seed; no number of openings would settle "
        "them: they are too close to a boundary"
    ]
