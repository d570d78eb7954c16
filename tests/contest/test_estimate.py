"""The time of a contest, from its bots' paces and from played games."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from textwrap import dedent

import pytest

from arena.common.text import estimated_duration
from arena.contest.estimate import (
    Estimate,
    Forecast,
    Known,
    Plan,
    estimate,
    moves_in_a_game,
    to_play,
)
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.record import Bot
from arena.report.screen.progress import slow_lines, time_line
from arena.rules import RULESETS, Goal, Position, Ruleset
from arena.settings.contest import Contest, Schedule
from arena.trials.pace import Pace, refusal_or_pace
from arena.trials.trial import Terms
from support.bots import FIRST_FREE, MakeBot
from support.scripted import games_between, lost

SECOND_A_MOVE = Pace(first=1.0, later=(1.0, 1.0, 1.0))
# Ten moves of each bot in a game: the board is filled from an opening of twelve discs.
PLAN = Plan(
    contest=Contest(
        rules=Ruleset(4, 8, goal=Goal.MOST), schedule=Schedule(min_plies=12, max_plies=12)
    ),
    games={("a", "b"): 100},
    paces={"a": SECOND_A_MOVE, "b": SECOND_A_MOVE},
    known={},
    lanes=1,
)


def estimated(plan: Plan) -> Estimate:
    found = estimate(plan)
    assert found is not None
    return found


def seconds(plan: Plan) -> float:
    return estimated(plan).seconds


def test_a_hundred_games_of_two_bots_with_ten_moves_of_a_second_take_two_thousand() -> None:
    found = estimated(PLAN)
    assert found.seconds == pytest.approx(2000, rel=0.01)
    assert found.low < 2000 / 1.3
    assert 2000 * 1.3 < found.high < 2 * 2000
    assert found.bots["a"].total == pytest.approx(1000, rel=0.01)


def test_two_lanes_take_half_and_half_a_game_more_for_the_last_one() -> None:
    assert seconds(replace(PLAN, lanes=2)) == pytest.approx(1000 + 20 / 4, rel=0.01)


def test_a_bot_that_fails_at_its_first_move_costs_its_opponents_one_move_at_most() -> None:
    plan = replace(PLAN, paces={"a": SECOND_A_MOVE, "b": Pace(first=0.1, fails=True)})
    assert seconds(plan) == pytest.approx(110, rel=0.02)


def test_a_bot_that_hangs_costs_the_games_until_it_is_retired() -> None:
    hangs = Pace(first=5.0, limit=20.0)
    plan = replace(PLAN, paces={"a": SECOND_A_MOVE, "b": hangs})
    assert seconds(plan) == pytest.approx(5 * 21, rel=0.01)
    never = replace(PLAN.contest, schedule=replace(PLAN.contest.schedule, retire_after=0))
    assert seconds(replace(plan, contest=never)) == pytest.approx(100 * 21, rel=0.01)


def test_played_games_count_more_than_a_pace_the_more_they_are() -> None:
    few, many = (
        seconds(replace(PLAN, known={name: Known(games, 2.0 * games) for name in "ab"}))
        for games in (2, 200)
    )
    assert few == pytest.approx(100 * (10 + 2), rel=0.01)
    assert many == pytest.approx(100 * 2 * (2 * 10 + 200 * 2) / 202, rel=0.01)


def test_a_played_game_is_known_by_the_time_of_each_bots_answers() -> None:
    forecast = Forecast(1)
    (game,) = games_between(("a", "b"))
    record = replace(lost(game, "a"), columns=(), opening_plies=1, charged_ns=(10**9, 3 * 10**9))
    forecast.add(game.names, record)
    known = {name: (each.games, round(each.seconds, 2)) for name, each in forecast.known.items()}
    assert known == {"a": (1, 3.0), "b": (1, 1.0)}


def test_what_was_played_makes_the_range_narrower() -> None:
    few, many = (
        estimated(replace(PLAN, known={name: Known(games, 10.0 * games) for name in "ab"}))
        for games in (1, 100)
    )
    assert many.high / many.low < few.high / few.low


def test_of_a_bot_that_nothing_is_known_of_the_median_of_the_others_is_taken() -> None:
    games = {("a", "c"): 10, ("b", "c"): 10}
    assert seconds(replace(PLAN, games=games)) == pytest.approx(40 * 10, rel=0.01)


def test_of_bots_that_nothing_is_known_of_and_of_no_games_there_is_no_estimate() -> None:
    assert estimate(replace(PLAN, paces={})) is None
    assert estimate(replace(PLAN, games={})) is None


def test_loading_counts_in_every_game_of_a_slow_bot_and_rarely_in_those_of_a_quick_one() -> None:
    slow, quick = (
        estimated(replace(PLAN, paces=dict.fromkeys("ab", replace(pace, load=0.5))))
        for pace in (SECOND_A_MOVE, Pace(first=0.001, later=(0.001,)))
    )
    assert slow.bots["a"].start == pytest.approx(0.5, abs=0.01)
    assert quick.bots["a"].start < 0.005


def test_the_range_holds_nine_of_ten_contests_whose_bots_are_tried_by_a_few_moves() -> None:
    draw = random.Random(1)
    held = 0
    for _ in range(300):
        names = [f"bot{number}" for number in range(8)]
        games = Counter(dict.fromkeys(pairwise(names), 4))
        true = {name: 10 ** draw.uniform(-2, 0) for name in names}
        paces = {
            name: Pace(
                first=move * draw.lognormvariate(0, 0.5),
                later=tuple(move * draw.lognormvariate(0, 0.5) for _ in range(3)),
            )
            for name, move in true.items()
        }
        moves = 10 * draw.lognormvariate(0, 0.2)
        time = sum(4 * moves * (true[one] + true[other]) for one, other in games)
        found = estimated(replace(PLAN, games=games, paces=paces))
        held += found.low <= time <= found.high
    assert 0.85 < held / 300 < 0.99


def test_games_that_are_the_same_are_counted_once() -> None:
    games = games_between(("a", "b"), ("c", "b"), ("b", "a"), files={"c": "a"})
    games[1] = replace(games[1], key=games[0].key)
    assert to_play(games) == {("a", "b"): 2}


def test_a_game_lasts_longer_than_a_random_one_and_max_to_the_last_cell() -> None:
    rules = RULESETS["classic"]
    draw = random.Random(2)
    plies = []
    for _ in range(200):
        position = Position(rules)
        while not position.is_over:
            position.play(draw.choice(position.legal()))
        plies.append(position.ply)
    assert sum(plies) / len(plies) / 2 < moves_in_a_game(rules, (0,)) < rules.cells / 2
    assert moves_in_a_game(RULESETS["max"], (8, 14)) == (42 - 11) / 2


def test_the_lines_name_who_is_slow_and_who_did_not_answer() -> None:
    names = [f"quick{number}" for number in range(6)]
    paces = dict.fromkeys(names, Pace(first=0.01, later=(0.01,)))
    paces |= {"slow": SECOND_A_MOVE, "hangs": Pace(first=10.0, limit=20.0)}
    games = {(one, other): 10 for one in names for other in ("slow", "hangs")}
    found = estimated(replace(PLAN, games=games, paces=paces, lanes=2))
    assert time_line(found).startswith("about 6 min on 2 lanes (")
    settled = Schedule(until_settled=0.9)
    assert time_line(found, settled).startswith("at most about 6 min on 2 lanes")
    timed = replace(settled, until=datetime(2026, 12, 1, tzinfo=UTC))
    assert time_line(found, timed).startswith("all games would take about 6 min on 2 lanes")
    slow, waiting = slow_lines(found)
    assert slow.startswith("slow: slow 1.0 s a move, ")
    assert waiting == "no answer in the time of a trial: hangs; assumed to run out of time"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "1 s"),
        (8.4, "8 s"),
        (58.0, "1 min"),
        (93.0, "1 min 30 s"),
        (1000.0, "17 min"),
        (4000.0, "1 h 5 min"),
        (7400.0, "2 h"),
        (50_000.0, "14 h"),
    ],
)
def test_an_estimated_time_is_not_said_more_exactly_than_it_is_known(
    seconds: float, said: str
) -> None:
    assert estimated_duration(seconds) == said


BUSY = """
import time
def pick_move(rack):
    start = time.thread_time()
    while time.thread_time() - start < {seconds}:
        pass
    return [c[-1] for c in rack].index(0)
"""
LIMITS = Limits(move_seconds=10.0, first_move_seconds=1.0, load_seconds=5.0)


def looked_at(zygote: Zygote, bot: Bot, limits: Limits = LIMITS) -> Pace:
    terms = Terms(RULESETS["classic"], limits, 1)
    refused, pace = refusal_or_pace(zygote, bot, terms)
    assert refused is None and pace is not None
    return pace


def test_the_trial_before_a_contest_tells_a_bots_pace(zygote: Zygote, make_bot: MakeBot) -> None:
    pace = looked_at(zygote, make_bot(BUSY.format(seconds=0.05)))
    assert 0.05 <= pace.first < 0.5
    assert len(pace.later) == 3
    assert min(pace.later) >= 0.05
    assert pace.limit == 0


def test_a_slow_bot_is_not_asked_for_more_than_the_trial_takes(
    zygote: Zygote, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.trials.pace.PACE_SECONDS", 0.1)
    pace = looked_at(zygote, make_bot(BUSY.format(seconds=0.2)))
    assert pace.later == ()


def test_a_bot_that_is_waited_for_in_vain_may_use_up_its_limit(
    zygote: Zygote, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.trials.trial.PATIENCE_SECONDS", 0.2)
    hangs = make_bot(dedent("def pick_move(rack):\n    while True:\n        pass\n"))
    pace = looked_at(zygote, hangs, replace(LIMITS, move_seconds=20.0))
    assert pace.limit == 21.0


def test_a_bot_that_fails_at_once_is_known_to(zygote: Zygote, make_bot: MakeBot) -> None:
    assert looked_at(zygote, make_bot("def pick_move(rack):\n    return 1 / 0\n")).fails
    assert not looked_at(zygote, make_bot(FIRST_FREE)).fails
