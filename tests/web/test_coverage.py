"""Live standings, upsets and faults, from invented games."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.settings.contest import BotEntry, Contest, ScheduledGame
from arena.web.publisher import Coverage
from support.scripted import games_between, lost

NAMES = ("ada", "bob", "cy")
# Sixteen games of each bot: four with each other on each side.
GAMES = games_between(*[pair for _ in range(4) for pair in permutations(NAMES, 2)])


# The last game of ada and cy decides.
*MOST, LAST = [game for game in GAMES if {game.first, game.second} == {"ada", "cy"}]
OTHERS = [game for game in GAMES if game not in (*MOST, LAST)]


def coverage() -> Coverage:
    return Coverage(Contest(bots=dict.fromkeys(NAMES, BotEntry())), GAMES)


def won_by_rank(games: list[ScheduledGame]) -> list[GameRecord]:
    """The games as they end if ada beats everybody, and bob cy."""
    return [lost(game, max(game.first, game.second), Verdict.LINE) for game in games]


def order(state: dict[str, object]) -> list[object]:
    rows = state["standings"]
    assert isinstance(rows, list)
    return [(row["name"], row["before"], row["points"], row["games"]) for row in rows]


def test_standings_say_where_each_bot_stood_before() -> None:
    told = coverage()
    told.add(won_by_rank(GAMES[:6]))
    before = told.state(is_played=True)
    assert order(before) == [("ada", 1, 4.0, 4), ("bob", 2, 2.0, 4), ("cy", 3, 0.0, 4)]
    told.add(
        lost(game, "ada", Verdict.LINE) for game in GAMES[6:] if "ada" in (game.first, game.second)
    )
    after = told.state(is_played=True)
    assert order(after)[-1] == ("ada", 1, 4.0, 16)
    assert (after["played"], after["total"], after["since"]) == (18, 24, before["since"])


def test_a_win_against_a_much_higher_rated_bot_is_an_upset() -> None:
    told = coverage()
    told.add(won_by_rank([*OTHERS, *MOST]))
    assert told.state(is_played=True)["upsets"] == []
    told.add([lost(LAST, "ada", Verdict.LINE)])
    (upset,) = told.state(is_played=True)["upsets"]
    assert (upset["winner"], upset["loser"], upset["game"]) == ("cy", "ada", LAST.number)
    assert upset["gap"] >= 200
    moment = told.state(is_played=True)["moment"]
    assert moment["moves"] == [3, 3]


def test_a_win_by_the_others_fault_is_no_upset_but_a_fault() -> None:
    told = coverage()
    told.add(won_by_rank([*OTHERS, *MOST]))
    told.add([replace(lost(LAST, "ada", Verdict.ERROR), reason="raised <b>")])
    state = told.state(is_played=True)
    assert state["upsets"] == []
    assert state["faults"] == [
        {
            "name": "ada",
            "verdict": Verdict.ERROR.value,
            "reason": "raised <b>",
            "game": LAST.number,
            "times": 1,
        }
    ]


def test_faults_of_a_kind_are_told_once_with_their_number_the_last_first() -> None:
    told = coverage()
    told.add(lost(game, game.first, Verdict.ERROR) for game in GAMES[:12])
    told.add([lost(GAMES[12], "ada", Verdict.NODES)])
    faults = told.state(is_played=True)["faults"]
    assert (faults[0]["name"], faults[0]["times"]) == ("ada", 1)
    assert sorted((fault["name"], fault["times"]) for fault in faults[1:]) == [
        ("ada", 4),
        ("bob", 4),
        ("cy", 4),
    ]


def test_games_of_another_contest_are_not_told() -> None:
    told = coverage()
    (other,) = games_between(("x", "y"))
    told.add([lost(other, "x", Verdict.LINE)])
    assert told.state(is_played=False)["played"] == 0


def test_the_final_is_the_games_between_the_best_two_that_were_played() -> None:
    told = coverage()
    told.add(won_by_rank(GAMES[:12]))
    played = [game for game in GAMES[:12] if {game.first, game.second} == {"ada", "bob"}]
    final = told.final(["bob", "ada", "cy"])
    assert [game["game"] for game in final] == [game.number for game in played]
    assert final[0]["names"] == [played[0].first, played[0].second]
    assert not any(game["is_fault"] for game in final)
    told.add([lost(played[0], "ada", Verdict.TIMEOUT)])
    assert told.final(["bob", "ada"])[0]["is_fault"]  # its reason is about the loser
    assert told.final(["ada"]) == []
