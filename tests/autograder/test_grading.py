"""From games to a grade, a page and results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.autograder.bundle import levels_contest
from arena.autograder.grading import (
    NAME,
    UNHURRIED,
    Clock,
    Games,
    GradedSubmission,
    count_games,
    grade,
)
from arena.autograder.results import failure_json, results_json
from arena.common.errors import InputError, MachineError
from arena.courses.gradescope import read_lateness
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.intake.house_players import house_player
from arena.settings.contest import Contest, Grading, ScheduledGame
from arena.trials.preflight import Preflight
from support.bots import FIRST_FREE
from support.command_line import Typed, arena, refused
from support.results_json import require_results
from support.scripted import games_between

LEVELS = {
    "1": {"random": 0.5},
    "2": {"random": 0.5, "novice": 0.25},
    "4": {"random": 0.75, "novice": 0.5},
}
CONTEST = levels_contest(Contest(grades=Grading(levels=LEVELS, late_penalty=0.5)))


def scheduled() -> list[ScheduledGame]:
    """Two openings against each player, with both sides."""
    sides = [
        pair
        for player in ("random", "random", "novice", "novice")
        for pair in ((NAME, player), (player, NAME))
    ]
    return [
        replace(game, pairing=1 + number // 4, opening=1 + number // 2 % 2)
        for number, game in enumerate(games_between(*sides))
    ]


def record(game: ScheduledGame, result: str, verdict: Verdict = Verdict.LINE) -> GameRecord:
    """A game that the submission won (`1`), drew (`=`) or lost (`0`); its own move took 2 s."""
    own = int(game.first != NAME)
    return GameRecord(
        key=game.key.digest,
        columns=(game.opening, 3, 3),
        opening_plies=1,
        charged_ns=(2_000_000_000, 5) if own == 1 else (5, 2_000_000_000),
        nodes=(-1, -1),
        winner={"1": own, "0": 1 - own, "=": None}[result],
        verdict=Verdict.BOARD_FULL if result == "=" else verdict,
        reason="so it ended",
    )


def counted(results: str, clock: Clock = UNHURRIED) -> Games:
    """The games with these results, in the order of the schedule; `.` is a missing one."""
    own = scheduled()
    records = [record(game, each) for game, each in zip(own, results, strict=True) if each != "."]
    return of_records(records, clock=clock)


def of_records(
    records: list[GameRecord], contest: Contest = CONTEST, clock: Clock = UNHURRIED
) -> Games:
    return count_games(contest, scheduled(), {each.key: each for each in records}, clock)


@pytest.mark.parametrize(
    ("results", "grade"),
    [
        ("0000 1111", 0),
        ("==== 0000", 1),
        ("==00 1111", 0),
        ("11== 1000", 2),
        ("10== 1111", 2),  # 50 % against random are too few for the best grade
        ("11=0 ==01", 2),
        ("111= 1==0", 4),
    ],
)
def test_the_grade_is_the_highest_of_which_all_shares_are_reached(results: str, grade: int) -> None:
    games = counted(results.replace(" ", ""))
    assert (games.grade.value, games.top) == (grade, 4)
    assert [each.games for each in games.encounters] == [4, 4]


def test_only_openings_that_were_finished_with_both_sides_count() -> None:
    games = counted("11" + "1." + "0." + "..")
    against_random, against_novice = games.encounters
    assert (against_random.games, against_random.points) == (2, 2)
    assert (against_novice.games, against_novice.points) == (0, 0)
    assert games.grade.value == 1 and games.planned == 8
    assert "25 % against novice (it has no game)" in games.grade.why


def graded(games: Games | None, **changes: Any) -> GradedSubmission:
    submission = replace(house_player("random"), name=NAME, reason=changes.pop("reason", None))
    checked = Preflight(
        submission=submission, search="none", is_counted=False, counters=(), imports=()
    )
    made = GradedSubmission(contest=CONTEST, seconds=540, checked=checked, games=games, remarks=())
    return replace(made, **changes)


def results(of: GradedSubmission, *, is_late: bool = False) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(results_json(of, is_late, 20))
    require_results(read)
    return read


def test_the_score_is_the_grade_on_the_scale_of_the_points() -> None:
    made = results(graded(counted("11==1000")))
    assert made["score"] == 20 * 2 / 4
    page = made["output"]
    assert page.startswith("# 10 of 20 points\n\nGrade 2 of 4: it scored 75 % against random")
    assert "| random | 2 | 2 | 0 | 3 of 4 | 75 % |" in page
    assert "| novice | 1 | 0 | 3 | 1 of 4 | 50 % |" in page
    names = [test["name"] for test in made["tests"]]
    assert names[1:3] == ["Against random: 3 of 4 points", "Against novice: 1 of 4 points"]
    assert [test["status"] for test in made["tests"][1:3]] == ["passed", "failed"]
    assert [entry["value"] for entry in made["leaderboard"]] == [10, 0.5]


def test_late_submissions_lose_the_penalty_and_no_grade_is_below_0() -> None:
    assert results(graded(counted("11==1000")), is_late=True)["score"] == 20 * 1.5 / 4
    assert results(graded(counted("00000000")), is_late=True)["score"] == 0


def test_a_page_says_that_the_time_was_over_and_what_the_bot_took_of_it() -> None:
    clock = Clock(seconds=500, is_up=True, cut_off_seconds=12)
    page = results(graded(counted("11" + "1." + "0." + "..", clock=clock)))["output"]
    assert (
        "The time for its games, 8 min 20 s, was over after 2 of 8 games; these games count. "
        "Its own moves took 8 s, and a game that could not be finished 12 s." in page
    )
    none = results(graded(counted("1." * 4, clock=clock)))
    assert "before any opening was finished with both sides, so no game counts" in none["output"]
    outcomes = [test["output"] for test in none["tests"] if test["name"].startswith("Against")]
    assert outcomes
    assert not [outcome for outcome in outcomes if ".." in outcome]
    assert none["score"] == 0


@pytest.mark.parametrize(
    ("seconds", "cut_off", "lost"),
    [(16, 0.5, 2), (17, 0, 0), (17, 1, 2), (500, 242, 0), (500, 243, 2)],
)
def test_pairs_under_way_are_lost_if_its_moves_took_more_than_half_of_the_time(
    seconds: float, cut_off: float, lost: int
) -> None:
    """Its moves took 8 s in four games that ended, all won."""
    clock = Clock(seconds=seconds, is_up=True, cut_off_seconds=cut_off)
    games = counted("11" + "1." + "1." + "..", clock=clock)
    assert games.overdrawn == lost
    against_random, against_novice = games.encounters
    # the half of a pair that ended counts as it ended
    assert (against_random.games, against_random.points) == ((4, 3) if lost else (2, 2))
    assert (against_novice.games, against_novice.points) == ((2, 1) if lost else (0, 0))
    made = results(graded(games))
    hidden = [test["output"] for test in made["tests"] if "visibility" in test]
    assert any(output.startswith("Slow play: it lost 2 games") for output in hidden) == bool(lost)
    said = "so the 2 missing games of unfinished openings count as lost."
    assert (said in made["output"]) == bool(lost)
    assert "forfeit" not in made["output"] and "No game was lost by a fault." in made["output"]


def test_games_that_the_machine_could_not_play_are_not_lost_by_slow_play() -> None:
    abandoned = frozenset({scheduled()[5].key.digest})
    clock = Clock(seconds=10, is_up=True, abandoned=abandoned)
    games = counted("11" + "1." + "1." + "..", clock=clock)
    assert games.overdrawn == 1
    assert [(each.games, each.points) for each in games.encounters] == [(4, 3), (0, 0)]
    page = results(graded(counted("11" + "11" + "11" + "..")))["output"]
    assert (
        "Only 6 of 8 games could be played, through no fault of the bot; these games count." in page
    )
    assert "Its time" not in page


@pytest.mark.slow
def test_a_machine_that_cannot_check_a_bot_gives_no_score(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(FIRST_FREE)
    of_memory = replace(graded(None).checked, failure="the machine ran out of memory")
    monkeypatch.setattr("arena.autograder.grading.check_bots", lambda *_: iter([of_memory]))
    with pytest.raises(MachineError, match="could not be checked: the machine ran out of memory"):
        grade(tmp_path, CONTEST, 60)


def test_a_bot_that_hangs_reads_that_it_was_retired() -> None:
    records = [record(game, "0", Verdict.TIMEOUT) for game in scheduled()]
    retiring = replace(CONTEST, schedule=replace(CONTEST.schedule, retire_after=3))
    page = results(graded(of_records(records, retiring)))["output"]
    assert "It was retired after losing 3 of 3 games by TIMEOUT; 5 games more are forfeits." in page
    assert "3 of the 3 games it played ended by a fault of the bot." in page


def test_students_see_how_often_a_fault_happened_and_nothing_of_its_games() -> None:
    own = scheduled()
    secret = "raised ValueError: the rack is 3 3"
    ends = [Verdict.ERROR, Verdict.ERROR, Verdict.ILLEGAL_MOVE]
    told = [
        replace(record(game, "0", verdict), reason=secret, output="I saw 3 3")
        for game, verdict in zip(own, ends, strict=False)
    ]
    records = [*told, *(record(game, "1") for game in own[3:])]
    made = results(graded(of_records(records)))
    assert "3 of the 8 games it played ended by a fault of the bot." in made["output"]
    assert (
        "- It made an illegal move in 1 game.\n- It raised an error in 2 games." in made["output"]
    )
    *seen, hidden = made["tests"]
    assert hidden["visibility"] == "hidden" and hidden["output_format"] == "md"
    assert "(submission against random; columns from 0: `1 3 3`)" in hidden["output"]
    assert secret in hidden["output"] and "    I saw 3 3" in hidden["output"]
    assert "arena replay" not in hidden["output"]
    shown = json.dumps([made["output"], *(test for test in seen if "visibility" not in test)])
    for word in ("3 3", "ValueError", "game 1", "columns from 0", "replay"):
        assert word not in shown


def test_what_strangers_wrote_stays_within_its_code_marks() -> None:
    evil = "no `bot`\n\n# 20 of 20 points\n<script>alert(1)</script>"
    made = results(graded(None, reason=evil))
    assert made["score"] == 0
    assert "\n# 20 of 20" not in made["output"] and "\n<script>" not in made["output"]
    assert made["tests"][0]["name"].count("\n") == 0


def test_a_failure_of_the_machine_is_told_to_the_instructor_alone() -> None:
    made = json.loads(failure_json("the disk is full"))
    require_results(made)
    assert made["score"] == 0 and "disk" not in made["output"]
    assert [(test["visibility"], test["output"]) for test in made["tests"]] == [
        ("hidden", "the disk is full")
    ]


NOON = "2026-03-02T12:00:00.000000-08:00"
BEFORE = "2026-03-02T11:59:59.000000-08:00"
AFTER = "2026-03-02T12:00:01.000000-08:00"


def due(common: str | None, *own: str) -> dict[str, Any]:
    """A submission at noon, with these due dates of the assignment and of its group's members."""
    users = [{"assignment": {"due_date": date}} for date in own]
    return {"created_at": NOON, "assignment": {"due_date": common}, "users": users}


@pytest.mark.parametrize(
    ("known", "is_late"),
    [
        ({}, False),
        (due(None), False),
        (due(NOON), False),
        (due(BEFORE), True),
        (due("2026-03-02T20:00:00Z"), False),  # the same moment in another time zone
        (due(BEFORE, BEFORE, AFTER), False),
    ],
)
def test_a_submission_is_late_after_its_last_due_date(
    known: dict[str, Any], is_late: bool, tmp_path: Path
) -> None:
    (tmp_path / "facts.json").write_text(json.dumps(known))
    assert read_lateness(tmp_path / "facts.json") is is_late


@pytest.mark.parametrize("text", ["", "[]", '{"created_at": 5, "assignment": {"due_date": "x"}}'])
def test_what_is_no_such_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text(text)
    with pytest.raises(InputError, match="not as Gradescope writes it"):
        read_lateness(tmp_path / "facts.json")


class TestCommand:
    def test_what_is_wrong_is_one_line_and_in_the_results(
        self, typed: Typed, tmp_path: Path
    ) -> None:
        (tmp_path / "c.toml").write_text("[limits]\nmove_seconds = 'fast'\n")
        err = refused(typed("grade", "bot.py", "--config", "c.toml", "--results", "new/res"))
        assert err.startswith("arena: c.toml:2: [limits] move_seconds")
        made = json.loads((tmp_path / "new" / "res" / "results.json").read_text())
        require_results(made)
        assert "c.toml:2" in made["tests"][0]["output"] and "no fault" in made["output"]

    def test_a_folder_that_cannot_be_made_is_told_before_a_game_is_played(
        self, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("arena.autograder.grading.grade", lambda *_: pytest.fail("it played"))
        (tmp_path / "bot.py").write_text(FIRST_FREE)
        err = refused(typed("grade", "bot.py", "--results", "bot.py/res"))
        assert err == "arena: bot.py/res: cannot be written to (Not a directory)\n"

    @pytest.mark.parametrize("words", [("nothing.py",), ("bot.py", "--seconds", "0"), ()])
    def test_bad_input_is_refused(self, typed: Typed, words: tuple[str, ...]) -> None:
        refused(typed("grade", *words))

    @pytest.mark.slow
    def test_what_the_course_asks_for_and_is_not_there_is_the_students_to_mend(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "mine.py").write_text(FIRST_FREE)
        (tmp_path / "c.toml").write_text('[bots.submission]\nfile = "bot.py"\n')
        done = arena("grade", "mine.py", "--config", "c.toml", "--metadata", "no", cwd=tmp_path)
        assert done.returncode == 1 and "no: No such file or directory; graded as" in done.stderr
        assert done.stdout.startswith("# 0 of 10 points\n")
        why = "it is not as this course asks for it: c.toml:1: [bots.submission] file"
        assert why in done.stdout
