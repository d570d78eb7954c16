"""A student's own report: all of their own games, and nothing of anybody else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from arena.contest.history import History, Placing
from arena.contest.retirement import settle
from arena.contest.settled import SettledGame
from arena.game.verdict import Verdict
from arena.report.facts import Facts, facts_of
from arena.report.html.student import StudentReports
from arena.report.own_games import NEITHER, RETIRED, OwnGames
from arena.report.pseudonyms import Pseudonym
from support.reports import HEBREW, LONG, REFUSED, SCRIPT, chunks_of, contest_facts

STUDENTS = ("ann", SCRIPT, LONG, HEBREW)
NAMES = {name: f"calm otter {number}" for number, name in enumerate(STUDENTS, 500)}
PSEUDONYMS = {bot: Pseudonym(name=name) for bot, name in NAMES.items()}
DEPENDS = {
    *("rank", "rank_low", "rank_high", "rating", "rating_low", "rating_high", "remark"),
    *("grade", "grade_why", "grade_error", "grade_certainty"),
}
"""What of a bot's own results depends on how others played."""


def changed(facts: Facts, change: Callable[[SettledGame], SettledGame]) -> Facts:
    """The same contest with other records."""
    games = [change(each) for each in facts.settled.games]
    return replace(facts, settled=replace(facts.settled, games=games))


def with_secrets(settled: SettledGame) -> SettledGame:
    """The same game, in which a bot at fault says something of its own."""
    game, record, _ = settled
    if record.loser is None or not record.verdict.is_fault:
        return settled
    loser = (game.first, game.second)[record.loser]
    words = {"reason": f"raised by {loser}", "output": f"printed by {loser}"}
    return settled._replace(record=replace(record, **words))


FACTS = changed(contest_facts(), with_secrets)
PUBLISHED = replace(FACTS, pseudonyms=PSEUDONYMS)


def data_of(facts: Facts, bot: str) -> dict[str, Any]:
    """The chunks of the report for a bot's author, without the time at which it was made."""
    found = chunks_of(StudentReports(facts, "homework4")(bot))
    found["overview"]["contest"].pop("made")
    return found


def games_in(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [game for name, games in data.items() if name.startswith("games-") for game in games]


def own(facts: Facts, bot: str) -> list[SettledGame]:
    return [each for each in facts.settled.games if bot in (each.game.first, each.game.second)]


@pytest.mark.parametrize("bot", STUDENTS)
def test_it_has_every_game_of_the_bot_and_no_other_and_the_tables_results(bot: str) -> None:
    data = data_of(FACTS, bot)
    names = [each["name"] for each in data["overview"]["bots"]]
    assert names[0] == bot
    shown = [
        (game["n"], names[game["f"]], names[game["s"]], tuple(game["m"]), game["w"])
        for game in games_in(data)
    ]
    assert shown == [
        (game.number, game.first, game.second, record.columns, record.winner)
        for game, record, _ in own(FACTS, bot)
    ]
    assert [row[0] for row in data["bot-0"]] == [number for number, *_ in shown]
    assert set(data) - {"overview", "bot-0"} == {"games-0"}
    row, entry = FACTS.board.set_index("bot").loc[bot], data["overview"]["bots"][0]
    for key in ("rank", "points", "rating", "games"):
        assert entry[key] == row[key]


@pytest.mark.parametrize("facts", [FACTS, PUBLISHED])
def test_of_a_ladder_it_has_the_bot_s_own_rounds(facts: Facts) -> None:
    day = date(2026, 11, 2)
    placings = (
        Placing(day=day, round=1, bot="ann", rank=2, rating=1111.5, content_hash="a"),
        Placing(day=day, round=1, bot="gone", rank=1, rating=2222.5, content_hash="b"),
        Placing(day=day, round=2, bot="gone", rank=1, rating=3333.5, content_hash="b"),
        Placing(day=day, round=2, bot="ann", content_hash="c", refused="plays no such board"),
    )
    data = data_of(replace(facts, history=History(placings)), "ann")
    me, *_ = data["overview"]["bots"]
    assert me["history"] == [
        ["2026-11-02", 1, 2, 1111.5, False],
        ["2026-11-02", 2, None, None, True],
    ]
    assert data["overview"]["rounds"] == [["2026-11-02", 1, 2], ["2026-11-02", 2, 1]]
    text = json.dumps(data)
    assert not [told for told in ("2222.5", "3333.5", '"gone"') if told in text]


@pytest.mark.parametrize("facts", [FACTS, PUBLISHED])
def test_of_others_it_has_the_names_in_their_order_and_no_result(facts: Facts) -> None:
    overview = data_of(facts, "ann")["overview"]
    me, *others = overview["bots"]
    assert all(set(other) == {"name", "house"} for other in others)
    assert [other["name"] for other in others] == sorted(other["name"] for other in others)
    assert {other["name"] for other in others if other["house"]} == {"reference", "random"}
    assert (overview["crosstable"], overview["convergence"], me["same_as"]) == (None, None, [])
    assert not overview["contest"].keys() & {"command", "machine", "seed", "settings"}
    rows = FACTS.board[FACTS.board["bot"] != "ann"]
    told = {number for number in me.values() if isinstance(number, float)}
    assert not told & set(rows["rating"])


def test_what_others_play_among_themselves_changes_only_the_bot_s_own_rank() -> None:
    games = [each.game for each in FACTS.settled.games]
    records = {each.record.key: each.record for each in FACTS.settled.games}
    for each in contest_facts(seed=2).settled.games:
        if "ann" not in (each.game.first, each.game.second):
            records[each.record.key] = each.record
    other = facts_of(Path("homework4"), FACTS.contest, settle(games, records, 0), {})
    for names in ({}, PSEUDONYMS):
        before, after = (
            data_of(replace(facts, pseudonyms=names), "ann") for facts in (FACTS, other)
        )
        mine, theirs = before["overview"]["bots"][0], after["overview"]["bots"][0]
        assert mine != theirs
        for entry in (mine, theirs):
            for key in DEPENDS:
                entry.pop(key)
        assert before == after


@pytest.mark.parametrize("bot", STUDENTS)
def test_with_pseudonyms_it_names_nobody_else(bot: str) -> None:
    data = data_of(PUBLISHED, bot)
    text = json.dumps(data, ensure_ascii=False)
    for other in STUDENTS:
        assert (NAMES[other] in text) and (other == bot or other not in text)
    assert not any(each.game.key.digest in text for each in PUBLISHED.settled.games)
    assert [game["n"] for game in games_in(data)] == list(range(1, 31))


def test_with_pseudonyms_numbers_and_order_follow_from_nothing_but_pseudonyms() -> None:
    before = data_of(PUBLISHED, "ann")
    games = list(PUBLISHED.settled.games)
    random.Random(3).shuffle(games)
    shuffled = [
        each._replace(game=replace(each.game, number=number, pairing=number))
        for number, each in enumerate(games, 1)
    ]
    after = data_of(replace(PUBLISHED, settled=replace(FACTS.settled, games=shuffled)), "ann")
    assert after == before


@pytest.mark.parametrize("facts", [FACTS, PUBLISHED])
def test_what_opponents_said_or_printed_stays_theirs(facts: Facts) -> None:
    at_fault = set()
    for settled, shown in zip(own(FACTS, "ann"), games_in(data_of(FACTS, "ann")), strict=True):
        game, record, _ = settled
        if not record.verdict.is_fault:
            continue
        mine = (game.first, game.second)[1 - (record.winner or 0)] == "ann"
        at_fault.add(mine)
        words = ("raised by ann", "printed by ann") if mine else (record.verdict.value, "")
        assert (shown["r"], shown["out"]) == words
    assert at_fault == {True, False}
    text = json.dumps(data_of(facts, "ann"), ensure_ascii=False)
    assert "printed by ann" in text
    assert not any(f"by {other}" in text for other in STUDENTS if other != "ann")


def test_a_forfeit_tells_nothing_of_the_opponent_s_other_games() -> None:
    for winner, verdict, reason in (
        (None, Verdict.TIMEOUT, NEITHER),
        (0, Verdict.TIMEOUT, RETIRED),
    ):
        facts = changed(
            FACTS,
            lambda each, winner=winner, verdict=verdict: each._replace(
                record=replace(each.record, winner=winner, verdict=verdict, reason="secret"),
                is_forfeit=True,
            ),
        )
        for game in OwnGames(facts)("ann"):
            if game.record.winner == game.names.index("ann") or winner is None:
                assert game.forfeit is not None
                assert game.forfeit.reason == reason
            else:
                assert game.record.reason == "secret"


def test_a_refused_bot_is_told_why() -> None:
    data = data_of(FACTS, "absent")
    (entry,) = data["overview"]["bots"]
    assert (entry["refused"], entry["points"]) == (REFUSED, None)
    assert (games_in(data), data["bot-0"], data["overview"]["last_game"]) == ([], [], 0)


@pytest.mark.parametrize("bot", [SCRIPT, LONG, HEBREW])
@pytest.mark.parametrize("facts", [FACTS, PUBLISHED])
def test_names_stay_text_in_the_page(bot: str, facts: Facts) -> None:
    page = StudentReports(facts, "homework4")(bot)
    assert "<script>alert" not in page
    notes: Sequence[str] = data_of(facts, bot)["overview"]["contest"]["notes"]
    assert notes[0] == f"This is the report for the author of {bot}."
    called = [note for note in notes if "In what is published" in note]
    assert called == [f"In what is published it is called {NAMES[bot]}."] * bool(facts.pseudonyms)
