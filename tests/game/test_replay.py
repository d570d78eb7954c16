"""Replaying one side of a recorded game."""

from __future__ import annotations

import pytest

from arena.game.player import Answer, Fault
from arena.game.record import Bot, GameRecord
from arena.game.seats import NO_MOVE_LEFT, replay_side
from arena.game.verdict import Verdict
from arena.rules import Ruleset
from support.bots import key

KEY = key(*(Bot(content_hash=name, root="") for name in "ab"), opening=(3,))


class Asked:
    """Plays the given columns and stores what it sees."""

    def __init__(self, *columns: int) -> None:
        self.columns = list(columns)
        self.seen: list[int] = []
        self.seed = 0

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        self.seed = seed
        return None

    def ask(self, seen: int) -> Answer | Fault:
        self.seen.append(seen)
        column = self.columns.pop(0)
        return (column, 7, 3) if column >= 0 else Fault(Verdict.ERROR, "raised an error")

    def dismiss(self) -> str:
        return "printed"


@pytest.mark.parametrize(
    ("seat", "own", "seen"), [(0, (1, 1, 1), [0, 0, 0]), (1, (0, 0, 0, 0), [-1, 1, 1, 1])]
)
def test_a_bot_in_either_seat_sees_the_moves_of_the_record(
    seat: int, own: tuple[int, ...], seen: list[int]
) -> None:
    player = Asked(*own)
    columns = (3, 0, 1, 0, 1, 0, 1, 0)  # the second player begins after the opening, and wins
    record = replay_side(KEY, seat, columns, player)
    assert tuple(record.columns) == columns
    assert (record.winner, record.verdict) == (1, Verdict.LINE)
    assert player.seen == seen
    assert player.seed == KEY.bot_seed(seat)
    assert record.output == "printed"


def test_a_game_ends_where_the_record_has_no_move_of_the_opponent() -> None:
    record = replay_side(KEY, 1, (3, 0, 1, 0, 1), Asked(0, 0, 2))
    assert tuple(record.columns) == (3, 0, 1, 0, 1, 2)
    assert (record.loser, record.verdict) == (0, Verdict.PROTOCOL)
    assert record.reason.startswith(NO_MOVE_LEFT)


def test_a_fault_is_the_bots_own_with_what_it_printed() -> None:
    record: GameRecord = replay_side(KEY, 1, (3, 0, 1, 0), Asked(0, -1))
    assert (record.loser, record.verdict) == (1, Verdict.ERROR)
    assert (record.reason, record.output) == ("raised an error, at ply 4", "printed")
