"""Measuring the house players: who plays whom, the fit, the table, and whether it holds here."""

from __future__ import annotations

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from arena.common.names import YARDSTICK
from arena.common.system import available_cores
from arena.game.limits import Limits
from arena.game.record import NOBODY, GameKey
from arena.rules import Ruleset
from arena.settings.contest import ScheduledGame
from arena.settings.known_ratings import known_ratings, read_table
from arena_lab.house_scale import NEAR, WEAK_TO_STRONG, HouseScale, fitted, measure, write_table
from support.command_line import Typed, refused, succeeded

BOARD = Ruleset()
STRENGTHS = {"random": 900.0, "greedy": 1300.0, YARDSTICK: 1500.0}


def drawn(openings: int) -> HouseScale:
    """A scale of games that were drawn by chance from known strengths."""
    draw = np.random.default_rng(4)
    names, results = list(STRENGTHS), []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        for opening in range(1, openings + 1):
            for first, second in ((one, other), (other, one)):
                lost = 1 / (1 + 10 ** ((STRENGTHS[names[first]] - STRENGTHS[names[second]]) / 400))
                key = GameKey(
                    rules=BOARD, limits=Limits(), opening=(), first=NOBODY, second=NOBODY, seed=1
                )
                game = ScheduledGame(
                    number=1,
                    pairing=0,
                    opening=opening,
                    first=names[first],
                    second=names[second],
                    key=key,
                )
                results.append((game, int(draw.random() < lost)))
    return fitted(BOARD, names, results)


def test_the_ratings_are_the_strengths_that_the_games_were_drawn_from() -> None:
    scale = drawn(400)
    assert [row.player for row in scale.ratings] == list(STRENGTHS)
    for row in scale.ratings:
        assert abs(row.rating - STRENGTHS[row.player]) <= 1.5 * row.error
    assert scale.ratings[-1].error == 0 and scale.ratings[-1].games == 1_600
    assert all(5 < step < 60 for step in scale.steps)
    assert len(scale.links) == 3
    assert all(abs(link.score - link.expected) < 0.05 for link in scale.links)


def test_a_table_gets_a_boards_rows_in_place_of_its_old_ones(tmp_path: Path) -> None:
    table, scale = tmp_path / "house.csv", drawn(20)
    elsewhere = replace(
        scale, rules=Ruleset(rows=8), ratings=tuple(replace(r, board="8") for r in scale.ratings)
    )
    for each in (scale, elsewhere, scale):
        write_table(table, each)
    assert read_table(table) == [*elsewhere.ratings, *scale.ratings]
    assert known_ratings(BOARD, table) == {row.player: row for row in scale.ratings}


def test_it_is_said_for_how_many_players_the_table_holds() -> None:
    known = known_ratings(BOARD)
    same = HouseScale(rules=BOARD, ratings=tuple(known.values()), steps=(), links=())
    number = len(known) - 1
    assert f"holds here for {number} of {number} of them" in same.holds()
    off = replace(known["random"], rating=known["random"].rating + 300)
    other = replace(same, ratings=(off, *same.ratings[1:]))
    assert f"holds here for {number - 1} of {number} of them" in other.holds()
    assert "has no table" in replace(same, rules=Ruleset(rows=7)).holds()


@pytest.mark.slow
def test_players_near_each_other_play_and_games_are_kept(tmp_path: Path) -> None:
    players = ("random", "sparring-1", "sparring-2", "sparring-3", "sparring-4", YARDSTICK)
    numbers: list[int] = []

    def shown(games: object, number: int) -> object:
        numbers.append(number)
        return games

    for openings in (1, 2, 2):
        scale = measure(BOARD, openings, available_cores(), tmp_path, players, shown)
    links = {(link.one, link.other): link.games for link in scale.links}
    places = {name: place for place, name in enumerate(players)}
    assert all(places[other] - places[one] <= NEAR for one, other in links)
    assert len(links) == 14 and set(links.values()) == {4}
    assert numbers == [14 * 2, 14 * 2, 0]


@pytest.mark.slow
def test_the_shipped_table_is_that_of_this_versions_players(tmp_path: Path) -> None:
    players = ("sparring-6", "greedy", "novice", YARDSTICK)
    scale = measure(BOARD, 20, available_cores(), tmp_path, players)
    known = known_ratings(BOARD)
    for row in scale.ratings:
        error = sqrt(row.error**2 + known[row.player].error ** 2)
        assert abs(row.rating - known[row.player].rating) <= 2 * error


def test_another_file_is_not_taken_for_a_table(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("board,player\nx,random\n")
    said = refused(typed("lab", "scale", "--csv", "other.csv"))
    assert "other.csv: is no table that arena lab scale made; name another file" in said


@pytest.mark.slow
def test_the_command_prints_ratings_and_makes_a_table(typed: Typed, tmp_path: Path) -> None:
    words = ("lab", "scale", "--openings", 2, "--into", "games", "--csv", "table.csv")
    said = succeeded(typed(*words))
    assert "6 rows × 7 columns, connect 4: the table of house players holds here for" in said
    rows = read_table(tmp_path / "table.csv")
    assert {row.player for row in rows} == set(WEAK_TO_STRONG)
    found = json.loads(succeeded(typed(*words, "--json")))
    assert [row["rating"] for row in found["ratings"]] == [row.rating for row in rows]
