"""Gradescope's `results.json`: a graded submission for student and instructor.

Gradescope's autograder specification defines the keys; pages are Markdown. Hidden tests without
points are for the instructor only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pandas as pd

from arena.autograder.grading import NAME, Encounter, Games, GradedSubmission
from arena.common.text import counted, in_code, one_line, rough_duration
from arena.courses import gradescope
from arena.ranking.games import spent_frame
from arena.report.check import check_page
from arena.report.feedback import fault_counts, faults_section, spent

# Page for a student if the machine failed or settings are wrong.
OURS = (
    "The autograder could not grade this submission. This is no fault of your code. "
    "The instructor can see what happened, and run the autograder again."
)

# Tells a student why the page does not show the games with faults.
NOT_SHOWN = (
    "Only the instructor sees the moves of these games and the output of the bot, because every "
    "attempt plays the same openings. `arena check` plays other openings and shows each fault "
    "that it finds."
)


def results_json(graded: GradedSubmission, is_late: bool, points: float) -> str:
    encounters = graded.games.encounters if graded.games else ()
    return _written(
        {
            "score": score(graded, is_late, points),
            "output": student_page(graded, is_late, points),
            "output_format": gradescope.MARKDOWN,
            "tests": [
                _acceptance(graded),
                *map(_encounter, encounters),
                *map(_for_instructor, remarks(graded)),
                *_fault_details(graded),
            ],
            "leaderboard": _leaderboard(graded, is_late, points),
        }
    )


def failure_json(why: str) -> str:
    return _written({"score": 0, "output": OURS, "tests": [_for_instructor(why)]})


def remarks(graded: GradedSubmission) -> Iterator[str]:
    yield from graded.remarks
    games = graded.games
    if games is not None and games.overdrawn:
        yield (
            f"Slow play: it lost {counted(games.overdrawn, 'game')} that there was no time for. "
            f"{_used(games)}, of {rough_duration(games.clock.seconds)} for all games. If the "
            "machine stood still meanwhile, run the autograder again."
        )
    if games is not None and len(games.frame) and games.grade.certainty:
        yield games.grade.certainty


def score(graded: GradedSubmission, is_late: bool, points: float) -> float:
    if graded.games is None:
        return 0.0
    return round(
        points * _value(graded, graded.games, is_late) / graded.games.top, gradescope.DIGITS
    )


def student_page(graded: GradedSubmission, is_late: bool, points: float) -> str:
    lines = [f"# {score(graded, is_late, points):g} of {points:g} points", ""]
    if graded.games is None:
        lines += ["No game was played, as it cannot play yet.", "", _check(graded)]
        return "\n".join(lines)
    lines += [f"{sentence}\n" for sentence in _about(graded, graded.games, is_late)]
    if graded.games.frame.empty:
        return "\n".join([*lines, _check(graded)])
    lines += _table(graded.games)
    took = spent_frame(graded.games.frame).reindex([NAME])
    lines += ["", *spent({str(column): took.at[NAME, column] for column in took.columns})]
    faults = fault_counts(NAME, _played(graded.games))
    lines += ["", *faults]
    if len(faults) > 1:
        lines += ["", NOT_SHOWN]
    return "\n".join(lines) + "\n"


def _played(games: Games) -> pd.DataFrame:
    return games.frame[~games.frame["is_forfeit"].astype(bool)]


def _written(values: gradescope.Json) -> str:
    return json.dumps({"stdout_visibility": gradescope.HIDDEN} | values, indent=2) + "\n"


def _value(graded: GradedSubmission, games: Games, is_late: bool) -> float:
    penalty = graded.contest.grades.late_penalty if is_late else 0
    return max(games.grade.value - penalty, 0)


def _about(graded: GradedSubmission, games: Games, is_late: bool) -> Iterator[str]:
    why, penalty = games.grade.why, graded.contest.grades.late_penalty
    if is_late and penalty:
        why = f"{games.grade.value:g} before the late penalty of {penalty:g} is taken off; {why}"
    yield f"Grade {_value(graded, games, is_late):g} of {games.top}: {why}."
    yield from _unplayed(graded, games)
    if forfeits := int(games.frame["is_forfeit"].sum()) - games.overdrawn:
        are = "is a forfeit" if forfeits == 1 else "are forfeits"
        yield f"It was {games.retired}; {counted(forfeits, 'game')} more {are}."
    if graded.checked.fault is not None:
        yield f"In the check before its games it `{in_code(graded.checked.fault)}`."


def _unplayed(graded: GradedSubmission, games: Games) -> Iterator[str]:
    played, planned = len(games.frame) - games.overdrawn, counted(games.planned, "game")
    if played == games.planned:
        return
    if not games.clock.is_up:
        yield (
            f"Only {played:,} of {planned} could be played, through no fault of the bot; these "
            "games count."
        )
        return
    if not played:
        yield (
            f"Its time of {rough_duration(graded.seconds)} was over before any opening was "
            "finished with both sides, so no game counts."
        )
        return
    rest = f"; these games count. {_used(games)}."
    if games.overdrawn:
        are = "missing games of unfinished openings count"
        if games.overdrawn == 1:
            are = "missing game of an unfinished opening counts"
        rest = (
            f". {_used(games)}, which is more than half of that time; so the "
            f"{games.overdrawn:,} {are} as lost."
        )
    time = rough_duration(games.clock.seconds)
    yield f"The time for its games, {time}, was over after {played:,} of {planned}{rest}"


def _used(games: Games) -> str:
    thinking = f"Its own moves took {rough_duration(games.thinking_seconds)}"
    if games.clock.lanes > 1:
        thinking += f" on {games.clock.lanes} cores in sum"
    if not games.clock.cut_off_seconds:
        return thinking
    cut_off = rough_duration(games.clock.cut_off_seconds)
    return f"{thinking}, and a game that could not be finished {cut_off}"


def _table(games: Games) -> Iterator[str]:
    yield "| against | won | drawn | lost | points | for the best grade |"
    yield "|---|---|---|---|---|---|"
    for met in games.encounters:
        needed = _percent(met.needed) if met.needed else "–"
        yield (
            f"| {met.opponent} | {met.wins} | {met.draws} | {met.losses} | "
            f"{met.points:g} of {met.games} | {needed} |"
        )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _check(graded: GradedSubmission) -> str:
    page = check_page(graded.checked, graded.contest.rules, graded.contest.limits)
    return page.partition("\n")[2].lstrip("\n")


def _acceptance(graded: GradedSubmission) -> gradescope.Json:
    fault = graded.checked.fault
    return {
        "name": "It plays without a fault" if fault is None else f"It {one_line(fault)}",
        "status": gradescope.status(fault is None),
        "output": _check(graded),
        "output_format": gradescope.MARKDOWN,
    }


def _encounter(met: Encounter) -> gradescope.Json:
    name = f"Against {met.opponent}: {met.points:g} of {counted(met.games, 'point')}"
    text = f"{met.wins} won, {met.draws} drawn, {met.losses} lost"
    if not met.games:
        text = "No opening was finished with both sides before the time was over"
    if met.needed:
        text += f". The best grade needs {_percent(met.needed)} of the points."
    is_enough = met.games > 0 and met.points >= met.needed * met.games
    return gradescope.scored_test(name, text, score=met.points, of=met.games, is_passed=is_enough)


def _for_instructor(line: str) -> gradescope.Json:
    return {"name": "For the instructor", "visibility": gradescope.HIDDEN, "output": line}


def _fault_details(graded: GradedSubmission) -> Iterator[gradescope.Json]:
    if graded.games is not None and len(graded.games.frame):
        section = faults_section(NAME, _played(graded.games), None)
        if len(section) > 1:
            yield _for_instructor("\n".join(section)) | {"output_format": gradescope.MARKDOWN}


def _leaderboard(graded: GradedSubmission, is_late: bool, points: float) -> list[gradescope.Json]:
    met = graded.games.encounters if graded.games else ()
    return [
        gradescope.entry("Points", score(graded, is_late, points)),
        gradescope.points_a_game(sum(each.points for each in met), sum(each.games for each in met)),
    ]
