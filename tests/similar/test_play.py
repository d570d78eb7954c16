"""Likeness of play: what is counted, what is expected, and which pairs surprise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from arena.contest.folder import ContestFolder
from arena.contest.index import index_of
from arena.game.verdict import Verdict
from arena.openings.pool import ALL
from arena.settings.contest import BotEntry, Contest, ScheduledGame
from arena.similar.play import (
    Choices,
    ChosenMoves,
    PlayPair,
    honest_surprise,
    likeness_of,
    likeness_of_play,
)
from support.bots import bots_in, record
from support.command_line import arena_ok
from support.scripted import round_robin

OPENINGS = 24
Chooser = Callable[[ScheduledGame], int]
"""A bot: from its game to which of the free columns it takes."""


def likeness(folder: Path, bots: Mapping[str, Chooser], **entries: BotEntry) -> dict[str, PlayPair]:
    """Return the pairs, by names, of a contest of drawn games with one move after the opening."""
    both = {name: entries.get(name, BotEntry(content_hash=name)) for name in bots}
    wanted = Contest(bots=both)
    schedule = replace(wanted.schedule, openings=OPENINGS, shared_openings=ALL)
    contest = ContestFolder(folder)
    contest.create()
    contest.write(replace(wanted, schedule=schedule), ())
    with contest.locked():
        journal = contest.journal()
        for game in contest.games(contest.read()):
            opening = game.key.opening
            free = [column for column in range(7) if opening.count(column) < 6]
            column = free[bots[game.names[len(opening) % 2]](game)]
            journal.add([record(game.key, (*opening, column), Verdict.BOARD_FULL, None)])
        journal.close()
    pairs = likeness_of_play(ContestFolder(folder, only_read=True))
    return {" ".join(sorted((pair.one, pair.other))): pair for pair in pairs}


def first(_: ScheduledGame) -> int:
    return 0


def last(_: ScheduledGame) -> int:
    return -1


def halved(game: ScheduledGame) -> int:
    return -(game.opening % 2)


def test_figures_are_as_computed_by_hand(tmp_path: Path) -> None:
    pairs = likeness(tmp_path, {"a": first, "b": first, "c": halved, "d": last})
    # Where c takes the first column, 3 of the 6 pairs are equal, else 2: 5/12 on average, with the
    # weight of a bot. All are equally strong, but a and b always agree, so each has the weight 1/2.
    hand = {
        # mean of two kinds of openings: c takes the last column; c takes the first
        "a b": (1, (5 / 36 + 17 / 36) / 2, (155 / 1296 + 323 / 1296) / 2),
        "c d": (1 / 2, (5 / 24 + 11 / 24) / 2, (95 / 576 + 107 / 576) / 2),
        "a c": (1 / 2, (14 / 30 + 11 / 30) / 2, (215 / 900 + 209 / 900) / 2),
        "a d": (0, (14 / 30 + 14 / 30) / 2, (215 / 900 + 143 / 900) / 2),
    }
    for names, (equal, expected, _) in hand.items():
        pair = pairs[names]
        assert pair.positions == OPENINGS
        assert (pair.equal, pair.expected) == pytest.approx((equal, expected))
    # the excesses of the six pairs, in the middle "c d" and "a d" (and "b d")
    middle = [
        (equal - expected) ** 2 / 0.455 - variance / OPENINGS
        for equal, expected, variance in (hand["c d"], hand["a d"])
    ]
    style = (6 * sum(middle) / 2 + 20 * 0.05**2) / 26
    for names, (equal, expected, variance) in hand.items():
        surprise = (equal - expected) / (variance / OPENINGS + style) ** 0.5
        assert pairs[names].surprise == pytest.approx(surprise)
    assert [*pairs][:2] == ["a b", "c d"]


def test_a_move_that_all_make_says_nothing(tmp_path: Path) -> None:
    pairs = likeness(tmp_path, dict.fromkeys("abcdef", first))
    assert len(pairs) == 15
    assert all(pair.equal == 1 and abs(pair.surprise) < 0.01 for pair in pairs.values())


def test_an_answer_that_varies_counts_by_its_shares(tmp_path: Path) -> None:
    def varied(game: ScheduledGame) -> int:
        return -("a" in game.names)

    # c meets a, b and d in each opening, and moves like the others in two of three games
    bots = {"a": first, "b": first, "c": varied, "d": first}
    assert likeness(tmp_path, bots)["a c"].equal == pytest.approx(2 / 3)


def test_house_players_and_bots_with_the_same_files_are_no_pairs(tmp_path: Path) -> None:
    bots = {"a": first, "copy": first, "b": last, "house": halved}
    same, house = BotEntry(content_hash="same"), BotEntry(content_hash="house", house=True)
    pairs = likeness(tmp_path, bots, a=same, copy=same, house=house)
    assert pairs.keys() == {"a b", "b copy"}
    assert pairs["b copy"].surprise == pairs["a b"].surprise
    del bots["copy"]
    alone = likeness(tmp_path / "alone", bots, a=same, house=house)["a b"]
    assert alone.expected == pairs["a b"].expected


def test_two_bots_alone_are_not_compared(tmp_path: Path) -> None:
    assert likeness(tmp_path, {"a": first, "b": first}) == {}


def test_another_way_to_the_same_board_is_the_same_position() -> None:
    games = list(round_robin("abc", [(0, 1, 2), (2, 1, 0), (2, 0, 1)]))
    index = index_of(games)
    moves = ChosenMoves(3, Contest().rules)
    records = [record(game.key, (*game.key.opening, 6), Verdict.BOARD_FULL, None) for game in games]
    moves.read(records, index, index.sides[index.firsts].astype(np.int64))
    choices = moves.choices()
    assert choices.position.tolist() == [0, 0, 0, 1, 1, 1]
    assert choices.bot.tolist() == [0, 1, 2] * 2
    assert choices.share.tolist() == [1] * 6


def test_what_the_strong_choose_is_expected_of_the_strong() -> None:
    # in 50 positions bots 0 to 3 choose 0, and bots 4 to 7 choose one move each
    position, bot = (grid.ravel() for grid in np.mgrid[:50, :8])
    move = np.where(bot < 4, 0, bot)
    choices = Choices(position, bot, position * 8 + move, np.ones(400))
    unknown = likeness_of(choices, np.zeros(8))
    known = likeness_of(choices, np.repeat([1500.0, 500.0], 4))
    assert unknown.expected[0, 1] < 0.35 * 50 < 0.6 * 50 < known.expected[0, 1]


def test_independent_bots_surprise_as_chance_does_and_one_that_copies_more() -> None:
    draw = np.random.default_rng(2)
    bots, positions = 30, 400
    popular = draw.dirichlet(np.ones(7), positions).cumsum(axis=1)  # another liking in each
    moves = (draw.random((bots, positions, 1)) > popular).sum(axis=2).clip(max=6)
    is_copied = draw.random(positions) < 0.5
    moves[1, is_copied] = moves[0, is_copied]
    position, bot = (grid.ravel() for grid in np.mgrid[:positions, :bots])
    _, choice = np.unique(position * 7 + moves[bot, position], return_inverse=True)
    choices = Choices(position, bot, choice, np.ones(len(choice)))
    copied, *honest = likeness_of(choices, np.zeros(bots)).surprises(
        [*combinations(range(bots), 2)]
    )
    assert np.std(honest) == pytest.approx(1, abs=0.15)
    assert max(honest) == pytest.approx(honest_surprise(len(honest)), abs=0.7)
    assert copied > 2 * max(honest)


def test_more_honest_pairs_bring_a_greater_surprise() -> None:
    assert honest_surprise(1) == 0
    assert honest_surprise(435) == pytest.approx(2.98, abs=0.01)  # a class of 30
    assert honest_surprise(19_900) == pytest.approx(4.01, abs=0.01)  # a class of 200


BOT = """\
def pick_move(rack):
    free = [column for column in range(len(rack)) if rack[column][-1] == 0]
    return max(free, key=lambda at: (at + 3) * {number} ** (2 + sum(map(bool, rack[at]))) % 101)
"""
COPY = """\
def worth(board, place):
    height = len(board[place]) - board[place].count(0)
    return -1 if height == 4 else (3 + place) * {number} ** (height + 2) % 101

def pick_move(board):
    best = None
    for place in range(len(board)):
        if board[place][-1] == 0 and (best is None or worth(board, place) > worth(board, best)):
            best = place
    return best
"""


@pytest.mark.slow
def test_a_changed_copy_is_the_most_surprising_pair_of_a_contest(tmp_path: Path) -> None:
    sources = {f"bot{number}": BOT.format(number=number) for number in (2, 11, 23, 37, 53, 71)}
    bots_in(tmp_path / "bots", **sources, changed=COPY.format(number=37))
    arena_ok("run", "bots", "--openings", "4", "--seed", "1", "--out", "out", cwd=tmp_path)
    found = likeness_of_play(ContestFolder(tmp_path / "out", only_read=True))
    assert {found[0].one, found[0].other} == {"bot37", "changed"}
    assert found[0].surprise > honest_surprise(len(found)) > found[1].surprise
