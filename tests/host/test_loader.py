"""What is entered of a bot's files, and what remains after errors in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.player import Fault
from arena.game.record import Bot
from arena.game.verdict import Verdict
from arena.rules import Ruleset
from support.bots import MakePlayer, first_fault, first_move, pick_move_in

ZERO = "def pick_move(rack):\n    return 0\n"


@pytest.mark.parametrize(
    "end",
    [
        "pick_move = 3",
        "del pick_move",
        "for pick_move in range(3): pass",
        "input('play again? ')",
        "import sys; sys.exit('bye')",
        "assert pick_move([]) == 4, 'self-test'",
        "raise ValueError",
        "def main():\n    main()\nmain()",
    ],
)
def test_later_code_does_not_remove_the_entry(end: str, make_player: MakePlayer) -> None:
    player = make_player(ZERO + end)
    assert first_move(player)[0] == 0
    assert player.sit(1, Ruleset(), (), 5) is None


WRAPPED = """
def checked(function):
    return lambda rack: function(rack) - 7
def pick_move(rack):
    return 9
pick_move = checked(pick_move)
pick_move = pick_move([])
"""


def test_the_last_definition_counts_or_the_callable_made_of_it(make_player: MakePlayer) -> None:
    assert first_move(make_player(ZERO + ZERO.replace("0", "4") + "pick_move = 1"))[0] == 4
    assert first_move(make_player(WRAPPED))[0] == 2


def test_an_import_that_ends_early_is_noted_in_the_bots_output(make_player: MakePlayer) -> None:
    player = make_player(ZERO.replace("0", "undefined") + "input()\nundefined = 3\n")
    fault = first_fault(player)
    assert fault.reason == "raised NameError: name 'undefined' is not defined (bot.py, line 2)"
    assert "importing bot.py ended at bot.py, line 3, with\nEOFError" in player.dismiss()


@pytest.mark.parametrize("start", ["input()", "exit()", "raise ValueError('no')", "import gone"])
def test_without_its_entry_a_bot_cannot_be_loaded(start: str, make_player: MakePlayer) -> None:
    fault = first_fault(make_player(f"{start}\n{ZERO}"))
    assert fault.verdict is Verdict.LOAD_ERROR
    assert "(bot.py, line 1)" in fault.reason


def test_a_helper_that_asks_for_input_at_its_end_can_be_imported(make_player: MakePlayer) -> None:
    bot = "from helper import *\ndef pick_move(rack):\n    return COLUMN\n"
    assert first_move(make_player(bot, file_helper="COLUMN = 5\ninput('column? ')"))[0] == 5
    fault = first_fault(make_player(bot, file_helper="COLUMN = 5\nraise ValueError('no')"))
    assert fault.reason == "could not be loaded: ValueError: no (helper.py, line 2)"


NOTEBOOK = """\
# %% HW04.ipynb, cell 2
import time

def deep(n):
    return 1 // n if n == 0 else deep(n - 1)
# %% HW04.ipynb, cell 7

@staticmethod
def pick_move(rack):
    if rack[0][0]:
        {then}
    return 0
"""


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        (
            "deep(2)",
            "raised ZeroDivisionError: integer modulo by zero (HW04.ipynb, cell 2, line 4)",
        ),
        ("rack.gone", "has no attribute 'gone' (HW04.ipynb, cell 7, line 5)"),
        ("time.sleep(9)", "for its move (HW04.ipynb, cell 7, line 5)"),
    ],
)
def test_a_fault_in_a_notebook_names_cell_and_line(
    then: str, reason: str, tmp_path: Path, zygote: Zygote
) -> None:
    (tmp_path / "HW04.ipynb.py").write_text(NOTEBOOK.format(then=then))
    bot = Bot(content_hash="", root=str(tmp_path), entry_point=pick_move_in("HW04.ipynb.py"))
    limits = Limits(move_seconds=0.5, first_move_seconds=0)
    with BotPlayer(zygote, bot, limits) as player:
        assert player.sit(0, Ruleset(), (), 5) is None
        player.ask(-1)
        fault = player.ask(1)
        assert isinstance(fault, Fault)
        assert reason.replace("modulo", "division or modulo") in fault.reason
        output = player.dismiss()
        assert 'File "HW04.ipynb, cell 7", line 5, in pick_move' in output


LENT = """
import board
from players import PlayerController
class MinMaxPlayer(PlayerController):
    def __init__(self, player_id): {end}
    def make_move(self, board): return board.width - 1
"""


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (
            "board.np.zeros = board.np.array",
            r"could not be loaded: ValueError: not enough values to unpack \(expected 2, got 1\) "
            r"\(Arena's own board.py, line \d+: no fault of the bot's, please report it\)",
        ),
        (
            "board.Board(1, 2, 3)",
            r"could not be loaded: TypeError: a Board is made from a width and a height, a board, "
            r"or an array \(bot.py, line 5\)",
        ),
    ],
)
def test_an_error_is_the_bots_if_its_code_called_what_failed(
    end: str, reason: str, make_player: MakePlayer
) -> None:
    fault = first_fault(make_player(LENT.format(end=end)))
    assert re.fullmatch(reason, fault.reason), fault.reason
