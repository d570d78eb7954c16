"""Tables as they are printed."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from rich.console import Console

from arena.cli.screen import WIDE, screen
from arena.contest import Contest, Ranking, TieBreakName
from arena.ranking import (
    LEADERBOARD_CSV,
    TIE_BREAKS,
    Group,
    Sameness,
    Separation,
    games_frame,
)
from arena.report.below import same_lines, tie_lines
from arena.report.feedback import feedback
from arena.report.tables import leaderboard_table

ALWAYS = ["#", "bot", "points", "grade"]
ALL = [*ALWAYS[:3], "games", "won", "drawn", "lost", "by fault", "grade"]
ALL += ["nodes/move", "ms/move", "slowest ms"]


def printed(width: int, *names: str, **judged: float) -> list[str]:
    """The lines of a leaderboard of these bots, between the lines that are drawn.

    `judged` are columns that an analysis adds.
    """
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"points": 1234.5, "games": 1280, "grade": 10}
    row |= {"mean_nodes": 9876.5, "mean_move_ms": 1234.5, "max_move_ms": 30123.4}
    row |= judged
    board = pd.DataFrame([row | {"rank": 100, "bot": name} for name in names])
    console = Console(file=io.StringIO(), width=width)
    console.print(leaderboard_table(board, width))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(line) <= width for line in lines)
    return [line for line in lines if line[0] in "│┃"]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line[1:-1].replace("┃", "│").split("│")]


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (112, ALL),
        (111, ALL[:-1]),
        (98, ALL[:-2]),
        (80, ALL[:-3]),
        (74, [title for title in ALL[:-3] if title != "by fault"]),
        (60, ["#", "bot", "points", "games", "won", "lost", "grade"]),
        (40, ALWAYS),
    ],
)
def test_a_leaderboard_goes_without_columns_rather_than_cut_any(
    width: int, columns: list[str]
) -> None:
    head, row = printed(width, "a" * 8)
    assert cells(head) == columns
    shown = dict(zip(columns, cells(row), strict=True))
    assert [shown[title] for title in ALWAYS] == ["100", "a" * 8, "1234.5", "10"]


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (134, [*ALL, "accuracy", "blunders"]),
        (86, [*ALL[:-3], "accuracy"]),
        (80, ALL[:-3]),
    ],
)
def test_faults_are_shown_rather_than_accuracy(width: int, columns: list[str]) -> None:
    head, _ = printed(width, "a" * 8, accuracy=0.5, blunders=3)
    assert cells(head) == columns


def test_long_names_are_folded_and_nothing_of_them_is_lost() -> None:
    for width in (40, 80, 130):
        name = "".join(chr(ord("a") + place % 26) for place in range(90))
        assert "".join(cells(line)[1] for line in printed(width, name)[1:]) == name


@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("", WIDE), ("wide", WIDE)])
def test_output_to_a_file_is_as_wide_as_the_environment_says(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert screen().width == width


def test_what_ranks_those_with_equal_points_is_said_where_it_did() -> None:
    table = pd.DataFrame({"rank": [1, 2, 2], "measure": [0.8, 0.5, 0.5]})
    usual = Contest()
    assert list(tie_lines(table, usual)) == []
    (line,) = tie_lines(table.assign(rank=[1, 2, 3]), usual)
    assert line.plain.startswith("equal points: ranked by the games among them, then")
    assert list(tie_lines(table.assign(rank=[1, 2, 3], measure=[0.8, 0.5, 0.4]), usual)) == []
    chosen = Contest(ranking=Ranking(tie_breaks=(TieBreakName.KOYA, TieBreakName.WINS)))
    (line,) = tie_lines(table.assign(rank=[1, 2, 3]), chosen)
    assert line.plain.startswith("equal points: ranked by Koya, then more wins;")


def test_bots_that_are_the_same_are_named_below_the_table() -> None:
    group = Group(bots=tuple("abcdefg"), sameness=Sameness.FILES)
    (line,) = same_lines([group])
    assert line.plain == "a, b, c, d, e and 2 more: the same files; they share a rank"


def test_the_page_of_a_bot_with_the_points_of_others_says_what_separates_them() -> None:
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"grade": None, "mean_move_ms": None}
    ties = [
        Separation("ann", TIE_BREAKS[TieBreakName.SONNEBORN_BERGER], False),
        Separation("bob", TIE_BREAKS[TieBreakName.FORFEITS], True),
    ]
    page = feedback("x", "x.py", row, games_frame(()), "", "arena replay c", ties)
    assert (
        "With the same points a game it is behind ann by Sonneborn–Berger (a win counts as many "
        "points as the loser has) and ahead of bob by the number of games lost by a fault."
    ) in page.splitlines()
