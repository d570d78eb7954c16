"""One game, with scripted players and no process."""

from __future__ import annotations

import pytest

from arena.game.play import play
from arena.game.player import Answer, Fault
from arena.game.record import Bot, GameRecord
from arena.game.verdict import Verdict
from arena.rules import Goal, Ruleset
from support.bots import key

BOT = Bot(content_hash="a", root="/nowhere")
OTHER = Bot(content_hash="b", root="/nowhere")


class Script:
    """Plays the given columns; a Fault in their place is returned."""

    def __init__(self, *answers: int | Fault, seated: Fault | None = None) -> None:
        self.answers = list(answers)
        self.seated = seated
        self.seen: list[int] = []
        self.sat: tuple[object, ...] = ()

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> Fault | None:
        self.sat = (player, rules, opening, seed)
        return self.seated

    def ask(self, seen: int) -> Answer | Fault:
        self.seen.append(seen)
        answer = self.answers.pop(0)
        return answer if isinstance(answer, Fault) else (answer, 7, 3)

    def dismiss(self) -> str:
        return "said"


def game(first: Script, second: Script, **changes: object) -> GameRecord:
    return play(key(BOT, OTHER, **changes), first, second)


def test_a_line_wins_and_the_reason_names_its_column() -> None:
    first, second = Script(0, 0, 0, 0), Script(1, 1, 1)
    record = game(first, second)
    assert (record.winner, record.verdict) == (0, Verdict.LINE)
    assert record.reason == "made a line with column 0"
    assert record.columns == (0, 1, 0, 1, 0, 1, 0)
    assert record.charged_ns == (7,) * 7
    assert record.nodes == (3,) * 7
    assert first.seen == [-1, 1, 1, 1]
    assert second.seen == [0, 0, 0]


def test_after_an_odd_opening_the_second_bot_moves_first() -> None:
    first, second = Script(1, 1, 1), Script(0, 0, 0, 0)
    record = game(first, second, opening=(3,))
    assert (record.winner, record.opening_plies) == (1, 1)
    assert [record.seat_of_answer(i) for i in range(2)] == [1, 0]
    assert first.sat[0] == 0
    assert second.sat[0] == 1
    assert first.sat[2] == (3,)
    assert first.sat[3] != second.sat[3]


def test_a_full_board_is_a_draw() -> None:
    record = game(Script(0, 0), Script(0, 0), rules=Ruleset(rows=4, columns=1))
    assert (record.winner, record.verdict, record.is_game) == (None, Verdict.BOARD_FULL, True)
    assert record.loser is None


def test_most_lines_wins_once_the_board_is_full() -> None:
    rules = Ruleset(rows=2, columns=3, connect=2, goal=Goal.MOST)
    record = game(Script(0, 1, 2), Script(0, 1, 2), rules=rules)
    assert (record.winner, record.verdict) == (None, Verdict.BOARD_FULL)
    record = game(Script(0, 1, 1), Script(0, 2, 2), rules=rules)
    assert record.verdict is Verdict.MOST_LINES
    assert record.reason == "made 3 lines against 1"


@pytest.mark.parametrize(
    ("columns", "ends"),
    [
        ([99], "returned column 99; the board has columns 0 to 1, at ply 1"),
        ([-1], "returned column -1; the board has columns 0 to 1, at ply 1"),
        ([0, 0], "returned column 0, which is full, at ply 3"),
    ],
)
def test_a_column_that_does_not_exist_or_is_full_loses(columns: list[int], ends: str) -> None:
    record = game(Script(*columns), Script(0), rules=Ruleset(rows=2, columns=2, connect=5))
    assert (record.winner, record.verdict, record.output) == (1, Verdict.ILLEGAL_MOVE, "said")
    assert record.reason == ends


def test_a_fault_loses_and_its_time_is_kept() -> None:
    fault = Fault(Verdict.TIMEOUT, "took more than 1 s for its move", 10**9, 5)
    record = game(Script(0), Script(fault))
    assert (record.winner, record.loser, record.verdict) == (0, 1, Verdict.TIMEOUT)
    assert record.charged_ns == (7, 10**9)
    assert record.nodes == (3, 5)
    assert record.reason == "took more than 1 s for its move, at ply 2"


def test_a_bot_that_cannot_load_forfeits_and_two_play_no_game() -> None:
    broken = Script(seated=Fault(Verdict.LOAD_ERROR, "could not be loaded: no"))
    for winner, players in ((1, (broken, Script())), (0, (Script(), broken))):
        record = game(*players)
        assert (record.winner, record.verdict) == (winner, Verdict.LOAD_ERROR)
        assert record.is_game
    record = game(broken, broken)
    assert (record.winner, record.is_game) == (None, False)
