"""Bots that are the same, and those that only look so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, product

import pandas as pd
import pytest

from arena.ranking.identical import Group, Sameness, identical_bots, representatives
from arena.settings.contest import BotEntry, Contest
from support.bots import pick_move_in

OPENINGS = ("0 1", "2 3", "4 5", "6 0", "1 1", "2 2")
PLIES = 14

Chooser = Callable[[str, str], int]
"""A bot: from the moves so far and the opponent's name (which a real one cannot see) to a column.
"""


def steady(moves: str, _: str) -> int:
    return sum(map(int, moves.split())) * 3 % 7


def another(moves: str, _: str) -> int:
    return sum(map(int, moves.split())) * 5 % 7


def unsteady(moves: str, opponent: str) -> int:
    return (len(moves) + sum(map(ord, opponent))) % 7


def played(bots: dict[str, Chooser], won_by: Callable[[str, str], str]) -> pd.DataFrame:
    """All games of these bots, PLIES long, each won as `won_by(first, second)` says."""
    rows = []
    for one, other in combinations(bots, 2):
        for opening, (first, second) in product(OPENINGS, ((one, other), (other, one))):
            moves = opening
            for ply in range(2, PLIES):
                mover, opponent = (first, second) if ply % 2 == 0 else (second, first)
                moves += f" {bots[mover](moves, opponent)}"
            winner = won_by(first, second)
            loser = {first: second, second: first}.get(winner, "")
            rows.append((first, second, opening, moves, winner, loser))
    frame = pd.DataFrame(rows, columns=["first", "second", "opening", "moves", "winner", "loser"])
    return frame.assign(verdict="LINE", fault=False, is_game=True, is_forfeit=False)


def drawn(first: str, second: str) -> str:
    return ""


def contest(names: Iterable[str], **entries: BotEntry) -> Contest:
    return Contest(bots={name: entries.get(name, BotEntry()) for name in names})


FIELD: dict[str, Chooser] = {"x": another, "y": unsteady, "z": lambda moves, _: len(moves) % 7}


def test_bots_that_choose_the_same_in_every_position_are_the_same() -> None:
    bots = {"a": steady, "b": steady, **FIELD}
    (group,) = identical_bots(played(bots, drawn), contest(bots))
    assert group == Group(bots=("a", "b"), sameness=Sameness.PLAY)
    assert representatives([group]) == {"a": "a", "b": "a"}


def test_the_same_play_is_seen_beside_a_bot_that_cannot_be_loaded() -> None:
    bots = {"a": steady, "b": steady, **FIELD, "broken": another}
    games = played(bots, drawn)
    unplayed = (games["first"] == "broken") | (games["second"] == "broken")
    games.loc[unplayed, "moves"] = games["opening"]
    games.loc[unplayed, "verdict"] = "LOAD_ERROR"
    games.loc[unplayed, "fault"] = True
    (group,) = identical_bots(games, contest(bots))
    assert group.bots == ("a", "b")


@pytest.mark.parametrize(
    ("model", "since"), [("z", PLIES - 2), ("a", 10)], ids=["once", "only against its model"]
)
def test_an_imitator_that_plays_otherwise_is_not_the_same(model: str, since: int) -> None:
    def imitator(moves: str, opponent: str) -> int:
        return (steady(moves, opponent) + (opponent == model and len(moves.split()) >= since)) % 7

    bots = {"a": steady, "b": imitator, **FIELD}
    assert identical_bots(played(bots, drawn), contest(bots)) == ()


def test_an_imitator_that_throws_away_what_cannot_be_compared_is_not_the_same() -> None:
    # the unsteady ones play otherwise against each, so their games part, and `b` loses these
    others = {f"u{i}": unsteady for i in range(8)}
    bots = {"a": steady, "b": steady, **FIELD, **others}

    def thrown_away(first: str, second: str) -> str:
        unsteady_one = next((bot for bot in (first, second) if bot in others), "")
        return unsteady_one if "b" in (first, second) else ""

    assert identical_bots(played(bots, thrown_away), contest(bots)) == ()
    assert len(identical_bots(played(bots, drawn), contest(bots))) == 1


def test_a_fault_in_the_same_position_is_a_difference() -> None:
    bots = {"a": steady, "b": steady, **FIELD}
    games = played(bots, drawn)
    row = games.index[(games["first"] == "b") & (games["second"] == "x")][0]
    short = " ".join(games.at[row, "moves"].split()[: PLIES - 2])  # `b` is to move
    games.loc[row, ["moves", "winner", "loser", "verdict", "fault"]] = [
        *(short, "x", "b", "TIMEOUT", True)
    ]
    assert identical_bots(games, contest(bots)) == ()


def test_a_few_games_show_nothing() -> None:
    bots = {"a": steady, "b": steady, **FIELD}
    games = played(bots, drawn)
    assert identical_bots(games[games["opening"] == OPENINGS[0]], contest(bots)) == ()


def test_the_same_files_with_the_same_options_are_the_same_bot_without_a_game() -> None:
    def entry(content: str, **options: object) -> BotEntry:
        return BotEntry(entry_point=pick_move_in("bot.py", options=options), content_hash=content)

    bots = {"a": entry("1"), "b": entry("2"), "c": entry("1"), "d": entry("1", depth=3)}
    nothing = played({}, drawn)
    (group,) = identical_bots(nothing, contest(bots, **bots))
    assert group == Group(bots=("a", "c"), sameness=Sameness.FILES)


def test_sources_alike_are_the_same_unless_their_results_say_otherwise() -> None:
    bots = {"a": unsteady, "b": unsteady, **FIELD}
    entries = alike("a", "b")
    (group,) = identical_bots(played(bots, drawn), contest(bots, **entries))
    assert group == Group(bots=("a", "b"), sameness=Sameness.SOURCE)

    def against(first: str, second: str) -> str:
        return {
            "a": first if first == "a" else second,
            "b": first if second == "b" else second,
        }.get("a" if "a" in (first, second) else "b" if "b" in (first, second) else "", "")

    assert identical_bots(played(bots, against), contest(bots, **entries)) == ()


def test_groups_that_share_a_bot_are_one() -> None:
    bots = {"a": steady, "b": steady, "c": another, **FIELD}
    entries = {name: BotEntry(content_hash="1") for name in ("b", "c")}
    games = played({"a": steady, "b": steady, "y": unsteady, "z": FIELD["z"], "w": another}, drawn)
    (group,) = identical_bots(games, contest(bots, **entries))
    assert group == Group(bots=("a", "b", "c"), sameness=Sameness.PLAY)


def alike(*names: str) -> dict[str, BotEntry]:
    """Bots whose sources have one likeness."""
    return {
        name: BotEntry(content_hash=name, likeness="1", entry_point=pick_move_in(f"{name}.py"))
        for name in names
    }


def test_a_source_alike_that_chooses_otherwise_is_another_if_its_model_has_no_chance() -> None:
    def thrower(moves: str, opponent: str) -> int:
        thrown = opponent == "z" and moves.startswith("0 1") and len(moves.split()) >= PLIES - 2
        return (steady(moves, opponent) + thrown) % 7

    bots = {"a": steady, "b": thrower, **FIELD}
    assert identical_bots(played(bots, drawn), contest(bots, **alike("a", "b"))) == ()
    bots["b"] = steady
    assert len(identical_bots(played(bots, drawn), contest(bots, **alike("a", "b")))) == 1


def losing(lost: dict[str, int]) -> Callable[[str, str], str]:
    """Return results in which each bot loses its games with so many of the opponents u0, u1, …"""

    def winner(first: str, second: str) -> str:
        for bot, opponent in ((first, second), (second, first)):
            if opponent[0] == "u" and int(opponent[1:]) < lost.get(bot, 0):
                return opponent
        return ""

    return winner


def test_what_chance_allows_is_four_openings_that_were_all_lost() -> None:
    bots = {"a": unsteady, "b": unsteady, "u0": another}
    games = played(bots, losing({"b": 1}))
    entries = alike("a", "b")
    for openings, count in ((4, 1), (5, 0)):
        some = games[games["opening"].isin(OPENINGS[:openings])]
        assert len(identical_bots(some, contest(bots, **entries))) == count


@pytest.mark.parametrize("names", ["abcd", "zmny"])
def test_a_row_of_copies_each_a_little_worse_does_not_join_its_ends(names: str) -> None:
    """Whatever they are called: pseudonyms give the same groups."""
    others = {f"u{number}": another for number in range(8)}
    bots = {**dict.fromkeys(names, unsteady), **others}
    # each loses the games of four openings more than the one before
    games = played(bots, drawn)
    order = dict(zip(names, (0, 4, 8, 12), strict=True))
    for row in games.index:
        first, second, opening = games.loc[row, ["first", "second", "opening"]]
        for bot, opponent in ((first, second), (second, first)):
            if bot in order and opponent in others:
                number = int(opponent[1:]) * len(OPENINGS) + OPENINGS.index(opening)
                if number < order[bot]:
                    games.loc[row, ["winner", "loser"]] = [opponent, bot]
    entries = dict(zip(names, alike(*"abcd").values(), strict=True))
    groups = identical_bots(games, contest(bots, **entries))
    assert [group.bots for group in groups] == [tuple(names[:2]), tuple(names[2:])]


def test_a_copy_that_comes_late_does_not_pull_a_group_apart() -> None:
    bots = {**dict.fromkeys("abc", unsteady), "u0": another}
    groups = identical_bots(played(bots, losing({"a": 1})), contest(bots, **alike(*"abc")))
    assert [group.bots for group in groups] == [("b", "c")]
