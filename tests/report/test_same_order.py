"""What shows a ranking shows the same one: page, terminal, CSV file and live page."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from arena.contest.retirement import settle
from arena.report.facts import Facts, facts_of
from arena.report.files import FILES
from arena.report.html.overview import contest_overview
from arena.report.html.report import contest_report
from arena.report.screen.leaderboard import leaderboard_table
from arena.web.publisher import Coverage
from support.classes import ABSENT, class_facts

Row = tuple[str, ...]  # rank, bot, points and, if there are any, grade


def after(share: float, settled_at: float) -> Facts:
    """Return the facts of a contest after this share of its games.

    One that is played until its ranks are settled, with this likelihood, ranks by ratings.

    Two bots that never load are retired and level. House players have no grade, before the end
    nobody has. Three bots could not play.
    """
    facts = class_facts(12, 2)
    played = {record.key: record for _, record, forfeit in facts.settled.games if not forfeit}
    known = dict(sorted(played.items())[: int(len(played) * share)])
    games = [each.game for each in facts.settled.games]
    schedule = replace(facts.contest.schedule, until_settled=settled_at)
    settled = settle(games, known, schedule.retire_after)
    contest = replace(facts.contest, schedule=schedule)
    return facts_of(Path("homework4"), contest, settled, {})


def row(*values: Any) -> Row:
    """Return values as text: numbers written one way, nothing for a missing one."""
    texts = ("" if value is None else str(value).split(" ±")[0] for value in values)
    return tuple(f"{float(text):g}" if re.fullmatch(r"[\d.]+", text) else text for text in texts)


def on_terminal(facts: Facts) -> list[Row]:
    columns = {
        str(each.header): [*each.cells] for each in leaderboard_table(facts.board, 200).columns
    }
    grades = columns.get("grade", [""] * len(facts.board))
    return [*map(row, columns["#"], columns["bot"], columns["points"], grades)]


def in_csv(facts: Facts) -> list[Row]:
    text = FILES["leaderboard.csv"](facts)
    assert text is not None
    names = ("rank", "bot", "points", "grade")
    return [row(*(each[name] for name in names)) for each in csv.DictReader(StringIO(text))]


def in_report(facts: Facts) -> list[Row]:
    names = ("rank", "name", "points", "grade")
    return [
        row(*(bot[name] for name in names)) for bot in contest_overview(facts, "homework4")["bots"]
    ]


def without_scripts(facts: Facts) -> list[Row]:
    rows = re.findall("<tr><td>(.*)</td></tr>", contest_report(facts, "homework4"))
    cells = [re.sub("</?bdi>", "", each).split("</td><td>") for each in rows]
    return [row(rank, bot, points, *(grade or [""])) for rank, bot, *grade, _, points, _ in cells]


def live(facts: Facts) -> list[Row]:
    """The standings, which have no grades."""
    games = [*(each.game for each in facts.settled.games), *facts.settled.open]
    coverage = Coverage(facts.contest, sorted(games, key=lambda game: game.number))
    coverage.add(record for _, record, forfeit in facts.settled.games if not forfeit)
    standings = coverage.state(is_played=False)["standings"]
    return [row(each["rank"], each["name"], each["points"]) for each in standings]


@pytest.mark.parametrize("settled_at", [0, 0.9])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_order_ranks_points_and_grades_are_the_same_everywhere(
    share: float, settled_at: float
) -> None:
    facts = after(share, settled_at)
    board = facts.board
    wanted = [row(*each) for each in board[["rank", "bot", "points"]].itertuples(index=False)]
    graded = on_terminal(facts)
    assert [each[:3] for each in graded] == wanted
    assert in_csv(facts)[: len(board)] == graded
    assert in_report(facts)[: len(board)] == graded
    assert without_scripts(facts) == graded
    assert live(facts) == wanted
    for rest in (in_csv(facts)[len(board) :], in_report(facts)[len(board) :]):
        assert [each[1] for each in rest] == [*ABSENT]

    assert facts.settled.retired
    assert board["rank"].duplicated().any()
    assert board["rating"].is_monotonic_decreasing or not settled_at
    grades = [each[3] for each in graded]
    assert "" in grades
    assert any(grades) == (share == 1)
