"""Tables as they are printed."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from rich.console import Console

from arena.cli.screen import WIDE, screen
from arena.contest import BotEntry, Contest, Forfeits, Ranking, TieBreakName
from arena.contest.people import Lateness
from arena.contest.retirement import settle
from arena.numbers import whole
from arena.ranking import (
    LEADERBOARD_CSV,
    Group,
    Sameness,
    Separation,
    contest_ratings,
    games_frame,
)
from arena.report.below import (
    forfeit_lines,
    late_lines,
    opening_lines,
    rating_lines,
    same_lines,
    tie_lines,
)
from arena.report.feedback import feedback, shared_sentence
from arena.report.tables import leaderboard_table, legend

ALWAYS = ["#", "bot", "points", "grade"]
ALL = [
    "#",
    "ranks",
    "bot",
    "points",
    "games",
    "rating",
    "won",
    "drawn",
    "lost",
    "by fault",
    "grade",
]
ALL += ["nodes/move", "ms/move", "slowest ms"]


def printed(width: int, *names: str, **judged: float) -> list[str]:
    """The lines of a leaderboard of these bots, between the lines that are drawn.

    `judged` are columns that an analysis adds.
    """
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"points": 1234.5, "games": 1280, "grade": 10}
    row |= {"rating": 1512.4, "rating_low": 1481.2, "rating_high": 1543.6}
    row |= {
        "rank_low": 98,
        "rank_high": 120,
        "mean_nodes": 9876.5,
        "mean_move_ms": 1234.5,
        "max_move_ms": 30123.4,
    }
    row |= {"grade_sure": 1}
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
        (132, ALL),
        (131, ALL[:-1]),
        (118, ALL[:-2]),
        (107, ALL[:-3]),
        (80, [*ALL[:7], "by fault", "grade"]),
        (60, ["#", "ranks", "bot", "points", "rating", "grade"]),
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
        (154, [*ALL, "accuracy", "blunders"]),
        (106, [*ALL[:-3], "accuracy"]),
        (105, ALL[:-3]),
    ],
)
def test_faults_are_shown_rather_than_accuracy(width: int, columns: list[str]) -> None:
    head, _ = printed(width, "a" * 8, accuracy=0.5, blunders=3)
    assert cells(head) == columns


def test_long_names_are_folded_and_nothing_of_them_is_lost() -> None:
    for width in (40, 80, 130):
        name = "".join(chr(ord("a") + place % 26) for place in range(90))
        head, *lines = printed(width, name)
        place = cells(head).index("bot")
        assert "".join(cells(line)[place] for line in lines) == name


def test_a_rating_is_shown_with_its_interval_and_ranks_as_a_range() -> None:
    head, row = printed(80, "a")
    shown = dict(zip(cells(head), cells(row), strict=True))
    assert (shown["rating"], shown["ranks"]) == ("1512 ±31", "98–120")
    head, row = printed(80, "b", rank_high=98)
    assert dict(zip(cells(head), cells(row), strict=True))["ranks"] == "98"
    head, row = printed(80, "unplayed", rating=float("nan"))
    assert dict(zip(cells(head), cells(row), strict=True))["rating"] == ""


def test_columns_are_explained_where_they_are_shown() -> None:
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"bot": "ann"}
    board = pd.DataFrame([row])
    words = legend(leaderboard_table(board, 80)).plain
    assert "ranks: from the best to the worst" in words
    assert "rating: Elo points ±" in words
    assert legend(leaderboard_table(board, 30)).plain == ""


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
    assert line.plain == (
        "a, b, c, d, e and 2 more: the same files; ranked by their mean, they share rank, rating "
        "and grade"
    )


def test_who_was_late_and_how_it_counts_is_said() -> None:
    lateness = Lateness(late=frozenset({"b", "a"}), penalties={"a": 1.0, "c": 0.5})
    settled = settle([], {}, 5, lateness, freeze=True)
    assert [line.plain for line in late_lines(settled)] == [
        "a, b: late, and graded one by one beside those on time (freeze)",
        "a, c: a penalty is taken off the grade",
    ]
    assert not list(late_lines(settle([], {}, 5)))


def test_many_games_lost_by_a_fault_are_said_and_how_they_count() -> None:
    games = pd.DataFrame(
        {"is_game": [True] * 10 + [False], "fault": [True] * 2 + [False] * 8 + [1]}
    )
    apart = Contest(ranking=Ranking(forfeits=Forfeits.APART))
    assert list(forfeit_lines(games, Contest())) == []
    (line,) = forfeit_lines(games.assign(fault=[True] * 3 + [False] * 7 + [True]), Contest())
    assert line.plain.startswith("3 of 10 games were lost by a fault and won by the other; with")
    (line,) = forfeit_lines(games, apart)
    assert line.plain.startswith("2 of 10 games were lost by a fault, which counts for the bot at")
    assert list(forfeit_lines(games.assign(fault=False), apart)) == []


def test_the_page_of_a_bot_says_which_wins_do_not_count() -> None:
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"grade": None, "mean_move_ms": None, "wins": 0}
    games = games_frame(()).astype(object)
    games.loc[0] = dict.fromkeys(games.columns, "") | {
        "first": "x", "second": "y", "winner": "x", "loser": "y", "fault": True,
        "is_game": True, "is_forfeit": False,
    }  # fmt: skip
    said = "It won 1 more game by a fault of the opponent, which does not count."
    assert said in feedback("x", "x.py", row, games, "", None).splitlines()
    assert said not in feedback("x", "x.py", row | {"wins": 1}, games, "", None)


def test_the_page_of_a_bot_with_the_points_of_others_says_what_separates_them() -> None:
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"grade": None, "mean_move_ms": None}
    ties = [
        Separation("ann", TieBreakName.SONNEBORN_BERGER, False),
        Separation("bob", TieBreakName.FORFEITS, True),
    ]
    page = feedback("x", "x.py", row, games_frame(()), "", None, ties)
    assert (
        "With the same points a game it is behind ann by Sonneborn–Berger (a win counts as many "
        "points as the loser has) and ahead of bob by the number of games lost by a fault."
    ) in page.splitlines()


def test_the_page_of_a_bot_says_that_its_rank_is_shared_but_not_with_whom() -> None:
    board = pd.DataFrame({"bot": ["ann", "x", "bob"], "points": [70.0, 65.5, 60.5]})
    same = [Group(bots=("ann", "bob"), sameness=Sameness.PLAY)]
    said = "Its rank and grade are those of 2 bots that are the same, with 65.2 points on average."
    assert shared_sentence("bob", same, board) == said
    assert shared_sentence("x", same, board) == ""
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"grade": None, "mean_move_ms": None}
    page = feedback("bob", "b.py", row, games_frame(()), "", None, shared=said)
    assert said in page.splitlines()
    assert "ann" not in page
    assert "the same" not in feedback("x", "x.py", row, games_frame(()), "", None)


def test_a_grade_that_is_not_sure_is_marked() -> None:
    head, row = printed(112, "ann", grade=7, grade_sure=0.94)
    assert dict(zip(cells(head), cells(row), strict=True))["grade"] == "7?"
    head, row = printed(112, "ann", grade=6.5, grade_sure=0.95)
    assert dict(zip(cells(head), cells(row), strict=True))["grade"] == "6.5"


def test_the_page_of_a_bot_says_its_rating_and_how_sure_it_is() -> None:
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"grade": None, "mean_move_ms": None}
    row |= {"rating": 1512.4, "rating_low": 1481.2, "rating_high": 1543.6}
    row |= {"rank_low": 2, "rank_high": 5}
    page = feedback("x", "x.py", row, games_frame(()), "", None).splitlines()
    assert (
        "Rating 1512 (95 % interval: 1481 to 1544): its true rank may be any from 2 to 5." in page
    )
    assert whole(1512.46) == whole(1512.5) == "1512"
    assert whole(891.46) == whole(891.5) == "892"  # from the table's one decimal, everywhere
    page = feedback("x", "x.py", row | {"rank_high": 2}, games_frame(()), "", None)
    assert "Rating 1512 (95 % interval: 1481 to 1544): its true rank is 2." in page.splitlines()


def test_ratings_that_tell_little_are_named_below_the_table() -> None:
    sides = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("a", "d"), ("d", "a")]
    games = pd.DataFrame(sides, columns=["first", "second"])
    games = games.assign(opening="3 3", winner="a", fault=False, is_game=True)
    games["loser"] = games["first"].where(games["first"] != "a", games["second"])
    contest = Contest(bots={bot: BotEntry() for bot in "abcd"})
    lines = [line.plain for line in rating_lines(contest_ratings(games, contest), contest)]
    assert lines == [
        "reference does not take part, so the mean of the ratings is 1500",
        "a: won every game, and may be far stronger than the rating says",
        "b, c, d: lost every game, and may be far weaker than the rating says",
    ]


def test_one_opening_promises_too_much_and_it_is_said() -> None:
    (line,) = opening_lines(pd.DataFrame({"opening": ["3 3", "3 3"]}))
    assert "less sure than they say" in line.plain
    assert not list(opening_lines(pd.DataFrame({"opening": ["3 3", "2 2"]})))
    assert not list(opening_lines(pd.DataFrame({"opening": []})))
