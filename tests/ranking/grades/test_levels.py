"""The rule `levels`: thresholds against house players."""

from __future__ import annotations

from pathlib import Path

from support.fields import grades, reason, scored

from arena.contest import Grading
from arena.contest.config import GradeRule
from arena.ranking.grades import levels

RULE = levels(
    {
        3: {"random": 0.5},
        6: {"random": 0.9, "greedy": 0.5},
        10: {"greedy": 0.75, "novice": 0.25},
    }
)
ALL, HALF, NONE = [0, 0, 0, 0, 4], [0, 0, 4, 0, 0], [4, 0, 0, 0, 0]


def test_a_bot_gets_the_highest_grade_of_which_it_reaches_everything() -> None:
    field = scored(
        {
            "none": {"random": NONE, "greedy": ALL, "novice": NONE},
            "three": {"random": HALF, "greedy": ALL, "novice": NONE},
            "six": {"random": ALL, "greedy": HALF, "novice": ALL},
            "ten": {"random": NONE, "greedy": [1, 0, 0, 0, 3], "novice": [3, 0, 0, 0, 1]},
            "near": {"random": ALL, "greedy": [1, 0, 1, 1, 1], "novice": ALL},
        }
    )
    assert grades(RULE, field) == {"none": 0, "three": 3, "six": 6, "ten": 10, "near": 6}


def test_who_else_takes_part_changes_nothing() -> None:
    ann = {"random": ALL, "greedy": HALF, "novice": NONE}
    alone, among = scored({"ann": ann}), scored({"ben": {}, "ann": ann, "cat": {"random": ALL}})
    assert grades(RULE, alone)["ann"] == grades(RULE, among)["ann"] == 6
    assert reason(RULE, alone, "ann") == reason(RULE, among, "ann")


def test_a_bot_without_a_game_against_a_player_reaches_nothing_of_it() -> None:
    field = scored({"ann": {"random": ALL}})
    assert grades(RULE, field) == {"ann": 3}
    assert reason(RULE, field, "ann") == (
        "it scored 100 % against random (50 % needed); grade 6 needs 50 % against greedy (it has "
        "no game)"
    )


def test_the_reason_names_what_was_reached_and_what_the_next_grade_needs() -> None:
    field = scored({"ann": {"random": ALL, "greedy": [0, 1, 1, 1, 1], "novice": [3, 0, 1, 0, 0]}})
    assert reason(RULE, field, "ann") == (
        "it scored 100 % against random (90 % needed) and 62.5 % against greedy (50 % needed); "
        "grade 10 needs 75 % against greedy (it has 62.5 %) and 25 % against novice (it has 12.5 %)"
    )
    best = scored({"ann": {"greedy": ALL, "novice": [3, 0, 0, 0, 1]}})
    assert reason(RULE, best, "ann") == (
        "it scored 100 % against greedy (75 % needed) and 25 % against novice (25 % needed)"
    )
    worst = scored({"ann": {"random": NONE}})
    assert reason(RULE, worst, "ann") == "grade 3 needs 50 % against random (it has 0 %)"


def test_a_share_that_misses_a_threshold_does_not_look_like_it() -> None:
    field = scored({"ann": {"random": [1, 0, 0, 0, 9], "greedy": [4001, 0, 0, 0, 3999]}})
    assert "50 % against greedy (it has 49.9 %)" in reason(RULE, field, "ann")


def test_arenas_own_thresholds_lead_from_nothing_to_ten() -> None:
    rule = levels(Grading(rule=GradeRule.LEVELS).thresholds)
    assert set(rule.needs) == {"random", "greedy", "novice", "reference", "master"}
    field = scored(
        {
            "none": dict.fromkeys(rule.needs, NONE),
            "best": dict.fromkeys(rule.needs, ALL),
            "even": dict.fromkeys(rule.needs, HALF) | {"random": ALL, "greedy": NONE},
        }
    )
    assert grades(rule, field) == {"none": 0, "best": 10, "even": 3}


def test_arenas_own_thresholds_stand_in_the_document() -> None:
    thresholds = Grading().thresholds
    players = ["random", "greedy", "novice", "reference", "master"]
    document = (Path(__file__).parents[3] / "docs" / "ranking.md").read_text("utf-8")
    for grade, needed in thresholds.items():
        cells = [f"{needed[player]:g}" if player in needed else "" for player in players]
        row = " | ".join([str(grade), *cells]).replace("|  |", "| |").replace("|  |", "| |")
        assert f"| {row.rstrip()} |" in document
