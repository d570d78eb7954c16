"""Tables as they are printed."""

from __future__ import annotations

import io
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from rich.table import Table

from arena.cli.screen import WIDE, screen
from arena.common.errors import InputError
from arena.common.text import rounded_rating
from arena.contest.people import Lateness
from arena.contest.retirement import settle
from arena.game.verdict import Verdict
from arena.ranking.games import TALLIES_CSV
from arena.ranking.identical import Group, Sameness
from arena.ranking.leaderboard import LEADERBOARD_CSV
from arena.ranking.ratings import contest_ratings
from arena.ranking.standings import Separation
from arena.report.facts import Facts, facts_of
from arena.report.feedback import feedback_pages, placed, shared_sentence
from arena.report.screen.leaderboard import (
    all_columns,
    chosen_columns,
    chosen_table,
    leaderboard_table,
    legend,
)
from arena.report.screen.lines import (
    forfeit_lines,
    late_lines,
    opening_lines,
    rating_lines,
    same_lines,
    tie_lines,
)
from arena.scoring.tie_breaks import TieBreakName
from arena.settings.contest import BotEntry, Contest, Forfeits, Ranking
from support.scripted import by_key, contest_of, games_between, lost

ALWAYS = ["#", "bot", "points", "grade"]
ALL = [
    *("#", "ranks", "bot", "points", "games", "rating", "won", "drawn", "lost", "by fault"),
    *("grade", "nodes/move", "ms/move", "slowest ms"),
]


def printed(width: int, *names: str, **judged: float) -> list[str]:
    """The lines of a leaderboard of these bots, between the lines that are drawn.

    `judged` are columns that an analysis adds.
    """
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"points": 1234.5, "games": 1280, "grade": 10}
    row |= {"rating": 1512.4, "rating_low": 1481.2, "rating_high": 1543.6}
    row |= {"rank_low": 98, "rank_high": 120, "grade_error": 0}
    row |= {"mean_nodes": 9876.5, "mean_move_ms": 1234.5, "max_move_ms": 30123.4}
    row |= judged
    board = pd.DataFrame([row | {"rank": 100, "bot": name} for name in names])
    return lines_of(leaderboard_table(board, width), width)


def lines_of(table: Table, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    lines: list[str] = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(line) <= width for line in lines)
    return [line for line in lines if line[0] in "│┃"]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line[1:-1].replace("┃", "│").split("│")]


def shown(*names: str, width: int = 80, **judged: float) -> dict[str, str]:
    """The cells of the only line of such a leaderboard, by their titles."""
    head, row = printed(width, *names, **judged)
    return dict(zip(cells(head), cells(row), strict=True))


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
    by_title = dict(zip(columns, cells(row), strict=True))
    assert [by_title[title] for title in ALWAYS] == ["100", "a" * 8, "1234.5", "10"]


def test_grades_of_a_table_have_the_same_decimals() -> None:
    grades = pd.DataFrame({"grade": [5, None, 5.8], "grade_error": [0.3, None, 0]})
    table = leaderboard_table(grades.assign(grade_seed=[3, 4, 5], grade_seed_error=0), 80)
    assert [[str(cell) for cell in column.cells] for column in table.columns] == [
        ["5.0 ±0.3", "", "5.8"],
        ["3", "4", "5"],
    ]


def test_faults_are_shown_rather_than_accuracy() -> None:
    for width, columns in (
        (154, [*ALL, "accuracy", "blunders"]),
        (106, [*ALL[:-3], "accuracy"]),
        (105, ALL[:-3]),
    ):
        head, _ = printed(width, "a" * 8, accuracy=0.5, blunders=3)
        assert cells(head) == columns


def test_long_names_are_folded_and_nothing_of_them_is_lost() -> None:
    for width in (40, 80, 130):
        name = "".join(chr(ord("a") + place % 26) for place in range(90))
        head, *lines = printed(width, name)
        place = cells(head).index("bot")
        assert "".join(cells(line)[place] for line in lines) == name


def test_a_rating_is_shown_with_its_interval_and_ranks_as_a_range() -> None:
    usual = shown("a")
    assert (usual["rating"], usual["ranks"]) == ("1512 ±31", "98–120")
    assert shown("b", rank_high=98)["ranks"] == "98"
    assert shown("unplayed", rating=float("nan"))["rating"] == ""


def test_columns_are_explained_where_they_are_shown() -> None:
    row = dict.fromkeys(LEADERBOARD_CSV, 0) | {"bot": "ann"}
    board = pd.DataFrame([row])
    words = legend(leaderboard_table(board, 80)).plain
    assert "ranks: from the best to the worst" in words
    assert "rating: Elo points ±" in words
    assert "grade: ± with other openings" in words
    assert legend(leaderboard_table(board, 30)).plain == words.split("; ")[-1]


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
    chosen = Contest(ranking=Ranking(tie_breaks=(TieBreakName.SONNEBORN_BERGER, TieBreakName.WINS)))
    (line,) = tie_lines(table.assign(rank=[1, 2, 3]), chosen)
    assert line.plain == (
        "equal points: ranked by Sonneborn–Berger, then more wins; tie_breaks in contest.toml sets "
        "this"
    )


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
        "a, b: late, so each is graded alone beside those on time (freeze)",
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


ROW = dict.fromkeys(LEADERBOARD_CSV, 0) | {"grade": None, "mean_move_ms": None}
"""The row of a leaderboard for the page of a bot."""


def test_the_page_of_a_bot_says_which_wins_do_not_count() -> None:
    games = games_between(("ann", "random"))
    settled = settle(games, by_key(lost(games[0], "ann")), 0)
    entries = {"ann": BotEntry(), "random": BotEntry(house=True)}
    said = "It won 1 more game by a fault of the opponent, which does not count."
    for forfeits in Forfeits:
        contest = Contest(bots=entries, ranking=Ranking(forfeits=forfeits))
        pages = {
            each.bot: each.page for each in feedback_pages(facts_of(Path(), contest, settled, {}))
        }
        is_apart = forfeits is Forfeits.APART
        assert (said in pages["random"].splitlines()) == is_apart
        assert said not in pages["ann"]


def test_the_page_of_a_bot_with_the_points_of_others_says_what_separates_them() -> None:
    ties = [
        Separation("ann", TieBreakName.SONNEBORN_BERGER, False),
        Separation("bob", TieBreakName.FORFEITS, True),
    ]
    assert (
        "With the same points a game it is behind ann by Sonneborn–Berger (a win counts as many "
        "points as the loser has) and ahead of bob by the number of games lost by a fault."
    ) in placed(ROW, ties)


def test_the_page_of_a_bot_says_that_its_rank_is_shared_but_not_with_whom() -> None:
    board = pd.DataFrame({"bot": ["ann", "x", "bob"], "points": [70.0, 65.5, 60.5]})
    same = [Group(bots=("ann", "bob"), sameness=Sameness.PLAY)]
    said = "2 bots that play the same moves share its rank and grade, with 65.2 points on average."
    assert shared_sentence("bob", same, board) == said
    assert shared_sentence("x", same, board) == ""
    assert said in placed(ROW, (), said)


def test_a_grade_stands_with_its_error_unless_it_has_none() -> None:
    assert shown("ann", width=112, grade=7, grade_error=0.83)["grade"] == "7 ±0.8"
    assert shown("ann", width=112, grade=6.5, grade_error=0.05)["grade"] == "6.5 ±0.1"
    assert shown("ann", width=112, grade=7, grade_error=0.04)["grade"] == "7"


def test_the_page_of_a_bot_says_its_rating_and_how_sure_it_is() -> None:
    row = ROW | {"rating": 1512.4, "rating_low": 1481.2, "rating_high": 1543.6}
    row |= {"rank_low": 2, "rank_high": 5}
    said = "Rating 1512 (95 % interval: 1481 to 1544): its true rank "
    assert f"{said}may be any from 2 to 5." in placed(row, ())
    assert f"{said}is 2." in placed(row | {"rank_high": 2}, ())
    assert rounded_rating(1512.46) == rounded_rating(1512.5) == "1512"
    assert (
        rounded_rating(891.46) == rounded_rating(891.5) == "892"
    )  # from the table's one decimal, everywhere


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


def test_the_held_ratings_are_named_below_the_table() -> None:
    sides = [("a", "random"), ("random", "a")]
    games = pd.DataFrame(sides, columns=["first", "second"])
    games = games.assign(opening="3 3", winner=["a", "random"], fault=False, is_game=True)
    games["loser"] = ["random", "a"]
    contest = Contest(
        ranking=Ranking(anchors={"random": 15.2, "reference": 1500.0}),
        bots={"a": BotEntry(), **dict.fromkeys(("reference", "random"), BotEntry(house=True))},
    )
    first, *_ = rating_lines(contest_ratings(games, contest), contest)
    assert first.plain == "the ratings are measured against random = 15.2, reference = 1500"


def test_one_opening_promises_too_much_and_it_is_said() -> None:
    (line,) = opening_lines(pd.DataFrame({"opening": ["3 3", "3 3"]}))
    assert "less certain than they look" in line.plain
    assert not list(opening_lines(pd.DataFrame({"opening": ["3 3", "2 2"]})))
    assert not list(opening_lines(pd.DataFrame({"opening": []})))


def class_facts() -> Facts:
    """A contest in which the first of two bots by number wins; the last crashes as second."""
    names = ("bot0", "bot1", "bot2")
    games = games_between(*(pair for one in combinations(names, 2) for pair in (one, one[::-1])))
    records = []
    for game in games:
        verdict = Verdict.CRASH if game.second == "bot2" else Verdict.LINE
        records.append(lost(game, max(game.first, game.second), verdict))
    return facts_of(Path("c"), contest_of(games), settle(games, by_key(*records), 0), {})


def test_columns_are_chosen_from_all_tallies_and_tie_breaks() -> None:
    facts = class_facts()
    board = all_columns(facts)
    assert {*TALLIES_CSV, *TieBreakName} <= set(board.columns)
    last = board.set_index("bot").loc["bot2", ["crash", "losses_by_fault", "losses"]]
    assert last.tolist() == [2, 2, 4]
    chosen = chosen_columns(facts, ["points", "bot", "wins", "points"])
    assert list(chosen.columns) == ["points", "bot", "wins"]
    assert chosen["wins"].tolist() == [4, 2, 0]
    wide = chosen_columns(facts, ["bot", "points", "losses_by_fault", "sonneborn_berger"])
    table, left_out = chosen_table(wide, 40)
    assert left_out == ["sonneborn_berger"]
    assert len(lines_of(table, 40)) == 4
    for name, hint in (
        ("soneborn_berger", "did you mean sonneborn_berger?"),
        ("", "columns: rank, "),
    ):
        with pytest.raises(InputError, match="there is no such column") as error:
            chosen_columns(facts, ["bot", name])
        assert hint in str(error.value)
