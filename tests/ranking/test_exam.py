"""What examiners ask: worked by hand, and found in contests in which it was planted."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from arena.contest.retirement import settle
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.ranking.exam import PlaceTest
from arena.report.exam import exam_lines, exam_text
from arena.report.facts import Facts, facts_of
from arena.settings.contest import Contest, Forfeits, Ranking, ScheduledGame
from support.scripted import contest_of, ended, round_robin

BOTS = tuple("abcdefgh")
OPENINGS = tuple(product(range(7), range(3)))  # 21
LANES = ("lab1/0", "lab1/1", "lab2/0", "lab2/1")


def facts_with(winner: dict[tuple[int, ...], tuple[int | None, int | None]]) -> Facts:
    """Return facts of two bots; by opening the winner's seat in both games."""
    games = list(round_robin("ab", tuple(winner)))
    records = {}
    for game in games:
        seat = winner[game.key.opening][(game.number - 1) % 2]
        verdict = Verdict.BOARD_FULL if seat is None else Verdict.LINE
        records[game.key.digest] = replace(ended(game.key, verdict=verdict), winner=seat)
    return facts_of(Path(), contest_of(games), settle(games, records, 0), {})


def drawn(
    draw: random.Random, lose_on: str = "", fault_on: str = "", contest: Contest | None = None
) -> Facts:
    """Return facts of a contest by chance, in which `a` loses more, or fails, on a lane."""
    games, records = list(round_robin(BOTS, OPENINGS)), {}
    lane = ""
    for game in games:
        lane = draw.choice(LANES) if game.number % 2 else lane  # both sides are on one lane
        records[game.key.digest] = _played(game, lane, draw, lose_on, fault_on)
    contest = contest or contest_of(games)
    return facts_of(Path(), contest, settle(games, records, 0), {})


def _played(
    game: ScheduledGame, lane: str, draw: random.Random, lose_on: str, fault_on: str
) -> GameRecord:
    fails = "a" in game.names and lane.startswith(fault_on or "-") and draw.random() < 0.3
    loses = "a" in game.names and lane.startswith(lose_on or "-") and draw.random() < 0.7
    seat = 1 - game.names.index("a") if fails or loses else draw.randrange(2)
    verdict = Verdict.TIMEOUT if fails else Verdict.LINE
    return replace(ended(game.key, seat, verdict), place=lane)


def lines(facts: Facts) -> str:
    return "\n".join(line.plain for line in exam_lines(facts.exam))


def test_the_first_movers_advantage_is_worked_by_hand() -> None:
    # the first mover has 2, 1½ and 1 of 2 points: shares 1, ¾ and ½
    exam = facts_with({(0,): (0, 0), (1,): (0, None), (2,): (0, 1)}).exam
    assert (exam.openings, exam.first_mover) == (3, 0.25)
    # ¼ / √3 · 4.303, the quantile by 4 % too large
    assert exam.first_mover_error == pytest.approx(0.621, rel=0.05)


def test_one_opening_tells_no_error_and_has_no_line() -> None:
    facts = facts_with({(0,): (0, 1)})
    assert facts.exam.first_mover_error == float("inf")
    assert json.loads(exam_text(facts))["first_mover"] == {
        "advantage": 0.0,
        "error": None,
        "openings": 1,
    }
    assert lines(facts) == ""


def test_only_whole_pairs_without_a_fault_tell_of_the_first_mover() -> None:
    facts = drawn(random.Random(1), fault_on="lab")
    table = facts.openings
    assert (table["pairs"] < len(BOTS) * (len(BOTS) - 1) / 2).any()
    mean = table["first_share"].mean() - 0.5
    assert facts.exam.first_mover == pytest.approx(mean)
    assert abs(mean) < facts.exam.first_mover_error < 0.1


def test_lanes_that_are_alike_are_said_to_be_in_a_line() -> None:
    facts = drawn(random.Random(9))
    assert [(test.kind, len(test.places)) for test in facts.exam.places] == [
        ("lane", 4),
        ("machine", 2),
    ]
    assert "4 lanes: none favours a bot" in lines(facts)
    assert "2 machines: none favours a bot" in lines(facts)
    assert "ratings" not in lines(facts)


def test_a_lane_on_which_a_bot_loses_more_is_named() -> None:
    facts = drawn(random.Random(4), lose_on="lab2/1")
    (test, _) = facts.exam.places
    odd = test.bots[test.bots["surprising"]]
    assert ("a", "lab2/1") in set(zip(odd["bot"], odd["place"], strict=True))
    assert test.results_chance > 0.001  # over all bots luck may do this
    assert "4 lanes: unusual results: a on lab2/1; " in lines(facts)
    unlikely = replace(facts.exam, places=(test._replace(results_chance=0.0002),))
    differ = "results differ between them (by luck with a chance of 0.0002)"
    assert f"4 lanes: {differ}; unusual results" in "\n".join(map(str, exam_lines(unlikely)))


def test_a_machine_on_which_bots_fail_is_noticed() -> None:
    facts = drawn(random.Random(5), fault_on="lab2")
    by_kind: dict[str, PlaceTest] = {test.kind: test for test in facts.exam.places}
    assert by_kind["machine"].faults_chance < 0.001
    assert "2 machines: faults differ between them" in lines(facts)


def test_a_pairing_of_bots_that_beat_each_other_in_a_ring_is_named() -> None:
    games, draw, records = list(round_robin(BOTS, OPENINGS)), random.Random(6), {}
    for game in games:
        is_odd = set(game.names) == {"a", "b"}
        seat = game.names.index("a") if is_odd else draw.randrange(2)
        records[game.key.digest] = ended(game.key, seat)
    facts = facts_of(Path(), contest_of(games), settle(games, records, 0), {})
    assert facts.exam.places == ()  # nobody knows where they were played
    assert "scores that the ratings do not predict: a – b 100 % for 6" in lines(facts)
    found = facts.exam.pairings
    assert found[found["surprising"]][["one", "other"]].to_numpy().tolist() == [["a", "b"]]


def test_games_that_count_for_one_side_are_no_result_of_a_pairing() -> None:
    apart = contest_of(list(round_robin(BOTS, OPENINGS)))
    apart = replace(apart, ranking=Ranking(forfeits=Forfeits.APART))
    facts = drawn(random.Random(7), fault_on="lab", contest=apart)
    first = facts.exam.pairings.iloc[0]
    games = facts.games
    both = games[games["first"].isin(["a", "b"]) & games["second"].isin(["a", "b"])]
    assert 0 < first["games"] == (~both["fault"].astype(bool)).sum() < len(both)
    assert 0.3 < first["predicted"] < 0.7  # by strength on the board, not by faults
    assert not facts.exam.pairings["surprising"].any()


def test_the_json_has_every_pairing_and_the_chances_of_all() -> None:
    facts = drawn(random.Random(8))
    said = json.loads(exam_text(facts))
    assert list(said) == ["first_mover", "pairings", "places", "bots", "better"]
    assert len(said["pairings"]) == 28
    assert said["pairings"][0].keys() == {
        *("one", "other", "games", "points", "predicted", "standard_score", "surprising")
    }
    assert said["bots"] == facts.board["bot"].tolist()
    for one, other in product(range(8), repeat=2):
        assert said["better"][one][other] + said["better"][other][one] == pytest.approx(1)
    assert said["better"][0][1] == pytest.approx(facts.board["superiority"][0], abs=0.001)
    assert said["places"][0]["bots"][0].keys() == {"bot", "place", "standard_score", "surprising"}


def test_a_few_games_tell_nothing_about_lanes() -> None:
    games = list(round_robin("abc", [(3,)]))
    records = {
        game.key.digest: replace(ended(game.key), place=LANES[game.number % 2]) for game in games
    }
    facts = facts_of(Path(), contest_of(games), settle(games, records, 0), {})
    assert [test.bots.empty for test in facts.exam.places] == [True]
    assert lines(facts) == ""


def test_pairings_that_always_fail_on_the_lane_where_they_play_blame_no_lane() -> None:
    games, records, draw = list(round_robin(BOTS, OPENINGS)), {}, random.Random(6)
    for game in games:
        fails = set(game.names) in ({"a", "b"}, {"a", "c"}, {"d", "e"})
        lane = LANES[0 if fails else game.opening % 2]
        verdict = Verdict.ILLEGAL_MOVE if fails else Verdict.LINE
        winner = game.names.index(max(game.names)) if fails else draw.randrange(2)
        records[game.key.digest] = replace(ended(game.key, winner, verdict), place=lane)
    facts = facts_of(Path(), contest_of(games), settle(games, records, 0), {})
    assert "2 lanes: none favours a bot" in lines(facts)


def test_a_single_pair_of_games_on_two_lanes_says_nothing_about_them() -> None:
    games, records = list(round_robin("abcdefghijklmnopqrst", [(3,)])), {}
    for game in games:
        is_split = set(game.names) == {"a", "b"}
        lane = LANES[game.names.index("a") if is_split else game.pairing % 2]
        winner = 0 if is_split else game.names.index(max(game.names))
        records[game.key.digest] = replace(ended(game.key, winner), place=lane)
    facts = facts_of(Path(), contest_of(games), settle(games, records, 0), {})
    assert "lanes" not in lines(facts)
