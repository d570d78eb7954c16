"""Each tie-break against tables worked by hand, by the definitions of the FIDE Handbook, C.07."""

from __future__ import annotations

import pandas as pd
import pytest

from arena.ranking.standings import contest_results, contest_standings, results
from arena.scoring.tie_breaks import TieBreakName
from arena.settings.contest import BotEntry, Contest, Forfeits, Ranking, Schedule
from support.ranked import frame, standings

HOW = {"1-0": "1", "0-1": "2", "½-½": "=", "+--": "1F", "--+": "2F"}


def games(*lines: str) -> pd.DataFrame:
    """Games as `first second result`: `1-0`, `0-1`, `½-½`; `+--` and `--+` for a fault's loss."""
    words = (line.split() for line in lines)
    return frame(*((first, second, HOW[how]) for first, second, how in words))


ROUND_ROBIN = games(
    "A B 1-0", "A C ½-½", "A D 0-1", "A E 1-0",
    "B C 0-1", "B D 1-0", "B E 1-0",
    "C D ½-½", "C E ½-½",
    "D E ½-½",
)  # fmt: skip
"""Points: A 2½, B 2, C 2½, D 2, E 1."""

BY_HAND = {
    # A and C drew, B beat D; nobody else is level
    TieBreakName.DIRECT: {"A": 0.5, "B": 1, "C": 0.5, "D": 0, "E": 0.5},
    # A: B 2 + C 2½/2 + E 1; B: D 2 + E 1; C: A 2½/2 + B 2 + D 2/2 + E 1/2; D: A 2½ + C 2½/2 + E 1/2
    TieBreakName.SONNEBORN_BERGER: {"A": 4.25, "B": 3, "C": 4.75, "D": 4.25, "E": 2.25},
    TieBreakName.WINS: {"A": 2, "B": 2, "C": 1, "D": 1, "E": 0},
    TieBreakName.FORFEITS: dict.fromkeys("ABCDE", 0),
}


@pytest.mark.parametrize("name", TieBreakName)
def test_a_tie_break_is_as_worked_by_hand(name: TieBreakName) -> None:
    table = standings(results(ROUND_ROBIN), list("ABCDE"))
    assert table["points"].to_dict() == {"A": 2.5, "C": 2.5, "B": 2, "D": 2, "E": 1}
    assert table[name.column].to_dict() == pytest.approx(BY_HAND[name])


@pytest.mark.parametrize(
    ("chosen", "order"),
    [
        (["direct"], {"A": 1, "C": 1, "B": 3, "D": 4, "E": 5}),
        (["sonneborn_berger"], {"C": 1, "A": 2, "D": 3, "B": 4, "E": 5}),
        (["wins"], {"A": 1, "C": 2, "B": 3, "D": 4, "E": 5}),
        (["forfeits", "direct"], {"A": 1, "C": 1, "B": 3, "D": 4, "E": 5}),
        ([], {"A": 1, "C": 1, "B": 3, "D": 3, "E": 5}),
    ],
)
def test_ties_are_broken_by_what_is_chosen(chosen: list[str], order: dict[str, int]) -> None:
    names = [TieBreakName(name) for name in chosen]
    table = standings(results(ROUND_ROBIN), list("ABCDE"), tie_breaks=names)
    assert table["rank"].to_dict() == order


def test_a_direct_encounter_is_that_of_those_who_are_still_level() -> None:
    # A, B and C have two points each and beat each other in a circle; A has won more games
    circle = games(
        "A B 1-0", "B C 1-0", "C A 1-0", "D E ½-½",
        "A D 1-0", "A E 0-1", "B D ½-½", "B E ½-½", "C D ½-½", "C E ½-½",
    )  # fmt: skip
    direct = TieBreakName.DIRECT.column
    alone = standings(results(circle), list("ABCDE"), tie_breaks=[TieBreakName.DIRECT])
    assert alone.loc[["A", "B", "C"], direct].tolist() == [0.5, 0.5, 0.5]
    by_wins = [TieBreakName.WINS, TieBreakName.DIRECT]
    table = standings(results(circle), list("ABCDE"), tie_breaks=by_wins)
    assert table.loc[["B", "C"], direct].tolist() == [1, 0]
    assert table["rank"].to_dict() == {"E": 1, "A": 2, "B": 3, "C": 4, "D": 5}


def test_a_bot_with_fewer_games_is_not_behind_for_it() -> None:
    # both made half of their points; B in four games, A in two against the same opponent
    played = games("A Z 1-0", "Z A 1-0", "B Z 1-0", "Z B 1-0", "B Z 1-0", "Z B 1-0")
    for name in TieBreakName:
        table = standings(results(played), list("ABZ"), tie_breaks=[name])
        assert table.loc["A", "rank"] == table.loc["B", "rank"], name


def contest(**ranking: object) -> Contest:
    bots = {name: BotEntry() for name in "ABC"}
    return Contest(bots=bots, ranking=Ranking(**ranking))  # type: ignore[arg-type]


def test_forfeits_apart_count_for_the_bot_at_fault_alone() -> None:
    # C crashes against A, which is no merit of A; B beat C on the board
    played = games("A B 1-0", "B A 1-0", "A C +--", "C A --+", "B C 1-0", "C B 1-0")
    counted = contest_standings(played, contest())
    assert counted["points"].to_dict() == {"A": 3, "B": 2, "C": 1}
    assert counted["rank"].to_dict() == {"A": 1, "B": 2, "C": 3}
    apart = contest_standings(played, contest(forfeits=Forfeits.APART))
    assert apart["games"].to_dict() == {"A": 2, "B": 4, "C": 4}
    assert apart["points"].to_dict() == {"A": 1, "B": 2, "C": 1}
    assert apart["share"].to_dict() == {"A": 0.5, "B": 0.5, "C": 0.25}
    assert apart.loc["C", ["losses", "forfeits"]].tolist() == [3, 2]


def test_nobody_gains_by_crashing_when_losing() -> None:
    lost = contest_standings(games("A B 1-0", "B A 0-1", "A C 0-1"), contest())
    for forfeits in Forfeits:
        crashed = contest_standings(
            games("A B +--", "B A --+", "A C 0-1"), contest(forfeits=forfeits)
        )
        assert crashed.loc["B", "share"] == lost.loc["B", "share"] == 0
        assert crashed.loc["B", "rank"] == 3


def test_games_that_were_chosen_until_the_ranks_were_settled_are_ranked_by_rating() -> None:
    played = games("A B 1-0", "B C 1-0", "B C 1-0", "B C 1-0")
    until_settled = Contest(
        bots={name: BotEntry() for name in "ABCD"}, schedule=Schedule(until_settled=0.95)
    )
    ratings = pd.Series({"A": 1500.0, "B": 1600.0, "C": 1400.0, "D": float("nan")})
    table = contest_standings(played, until_settled, ratings)
    assert table["rank"].to_dict() == {"B": 1, "A": 2, "C": 3, "D": 4}
    by_points = contest_standings(played, contest(), ratings)
    assert by_points["rank"].to_dict() == {"A": 1, "B": 2, "C": 3}


def test_bots_that_are_the_same_share_the_mean_of_their_shares() -> None:
    # A and its twin T made 2 of 4 together, so they are level with none but each other
    played = games("A B 1-0", "A C 1-0", "T B 0-1", "T C 0-1", "B C 1-0", "C B 0-1")
    same = {"A": "A", "T": "A"}
    alone = standings(results(played), list("ATBC"))
    assert alone["rank"].to_dict() == {"A": 1, "B": 2, "C": 3, "T": 4}
    table = standings(results(played), list("ATBC"), same=same)
    assert table["rank"].to_dict() == {"B": 1, "A": 2, "T": 2, "C": 4}
    assert table.loc["A", "share"] == table.loc["T", "share"] == 0.5
    assert table["points"].to_dict() == alone["points"].to_dict()


def test_the_results_of_a_contest_add_up_to_its_points() -> None:
    played = games("A B 1-0", "B A +--", "A C ½-½", "C B --+")
    for forfeits in Forfeits:
        terms = contest(forfeits=forfeits)
        made = contest_results(played, terms).groupby("bot")["points"].sum()
        points = contest_standings(played, terms)["points"]
        assert {bot: made.get(bot, 0.0) for bot in points.index} == points.to_dict()
