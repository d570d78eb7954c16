"""Every demo bot: legal moves on any board, wins and blocks, repeatable moves."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from functools import partial

import pytest

from arena.common.names import house_folder
from arena.intake.submission import read_submission
from arena.rules import Goal, Position, Ruleset
from support.picks import LoadBot, any_column, playouts, quartets, reference, threats
from support.positions import random_position

REFERENCES = {
    "reference": reference(nodes=20),
    "reference to a depth": reference(depth=2),
    "reference with the solver": reference(nodes=2_000, solve=True),
}
SEEING = {"playouts": playouts, "threats": threats, **REFERENCES}
BOTS = {"quartets": quartets, "random": any_column, **SEEING}
BOTS["playouts"] = partial(playouts, moves=200)  # it need not see anything
BOARDS = [
    Ruleset(1, 1), Ruleset(1, 7), Ruleset(7, 1), Ruleset(4, 4), Ruleset(3, 3, 3), Ruleset(2, 2, 2),
    Ruleset(3, 9, 3), Ruleset(6, 7, 2), Ruleset(6, 7, 9), Ruleset(10, 2), Ruleset(20, 20, 5),
]  # fmt: skip


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_it_plays_legal_moves_on_any_board(
    load_bot: LoadBot, name: str, rules: Ruleset, goal: Goal
) -> None:
    position = Position(Ruleset(rules.rows, rules.columns, rules.connect, goal))
    pick = BOTS[name](load_bot)
    while not position.is_over and position.ply < 24:
        position.play(pick(position))


def allows_a_win(position: Position, column: int) -> bool:
    after = Position(position.rules, (*position.moves, column))
    return any(after.wins_at(reply, after.to_move) for reply in after.legal())


@pytest.mark.parametrize("name", SEEING)
def test_it_wins_or_blocks_at_once(load_bot: LoadBot, name: str) -> None:
    chance, pick = random.Random(2), SEEING[name](load_bot)
    won = blocked = 0
    while min(won, blocked) < 20:
        rules = Ruleset(chance.randint(4, 7), chance.randint(4, 8), 4)
        position = random_position(rules, chance, chance.randrange(6, 20))
        if position.is_over:
            continue
        me = position.to_move
        wins, losses = (
            [c for c in position.legal() if position.wins_at(c, who)] for who in (me, 1 - me)
        )
        if wins or losses:
            # a search may play anywhere if no move stops the opponent
            is_lost = not wins and all(allows_a_win(position, c) for c in position.legal())
            assert (is_lost and name in REFERENCES) or pick(position) in (wins or losses)
            won, blocked = won + bool(wins), blocked + (not wins)


@pytest.mark.parametrize("name", ["playouts", "random"])
def test_the_seed_of_the_game_decides_its_moves(load_bot: LoadBot, name: str) -> None:
    pick, games = BOTS[name](load_bot), []
    for _ in range(2):
        random.seed(5)
        games.append([pick(Position(Ruleset(4, 9), [4] * discs)) for discs in range(4)])
    assert games[0] == games[1]


def test_the_random_player_plays_every_free_column_as_often(load_bot: LoadBot) -> None:
    random.seed(4)
    full, free = (1, 2), (1, 0)
    pick = load_bot("random/any_column").pick_move
    counts = Counter(pick((free, full, free, free, full)) for _ in range(9_000))
    assert set(counts) == {0, 2, 3}
    assert all(2_800 < count < 3_200 for count in counts.values())


def test_the_random_players_name_hides_nothing_from_bots_that_are_run_beside_it() -> None:
    code = "import random, sys; print(random.__file__.startswith(sys.base_prefix))"
    beside = {"PYTHONPATH": str(house_folder())}
    done = subprocess.run([sys.executable, "-c", code], env=beside, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize(
    ("file", "interface"),
    [("playouts.py", "agent"), ("threats.py", "lines"), ("maxconnect4.py", "one-move")],
)
def test_its_interface_is_recognised(file: str, interface: str) -> None:
    found = read_submission(house_folder() / file)
    assert (found.problem, found.entry_point.interface) == (None, interface)


def test_random_games_show_the_best_beginning(load_bot: LoadBot) -> None:
    assert playouts(load_bot, 50_000)(Position(Ruleset(4, 5, 3))) == 2
