"""House players with Arena's engine in real processes; other bots cannot use it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.common.names import house_folder
from arena.game.bot_player import BotPlayer
from arena.game.bot_process import Zygote
from arena.game.limits import Limits
from arena.game.play import play
from arena.game.record import Bot, GameRecord
from arena.game.verdict import Verdict
from arena.rules import Goal, Ruleset
from support.bots import MakeBot, MakePlayer, first_fault, first_move, house_bot, key

SMALL = Limits(nodes=500)
KEPT_OUT = "could not be loaded: ImportError: a bot may not use Arena's own "


def game(zygote: Zygote, one: Bot, other: Bot, limits: Limits = SMALL, **more: Any) -> GameRecord:
    with BotPlayer(zygote, one, limits) as first, BotPlayer(zygote, other, limits) as second:
        record = play(key(one, other, limits=limits, **more), first, second)
    assert not record.verdict.is_fault, record.reason
    return record


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "goal", "nodes", "most"),
    [
        ("reference", "random", "first", 500, ((250, 500), (-2, -1))),
        ("reference", "random", "most", 500, ((250, 500), (-2, -1))),
        ("master", "novice", "first", 1_000, ((1_000, 100_000), (0, 200))),
        ("reference", "greedy", "first", None, ((1_000, 10_000), (0, 99))),
    ],
)
def test_it_uses_the_nodes_of_its_level_else_of_the_contest_else_the_usual_ones(
    first: str, second: str, goal: str, nodes: int, most: tuple[tuple[int, int]], zygote: Zygote
) -> None:
    rules, bots = Ruleset(goal=Goal(goal)), (house_bot(first), house_bot(second))
    record = game(zygote, *bots, Limits(nodes=nodes), rules=rules)
    assert 0 not in record.nodes
    for seat, (above, within) in enumerate(most):
        assert above < max(record.nodes[seat::2]) <= within


@pytest.mark.slow
def test_it_is_judged_by_its_budget_as_any_bot(zygote: Zygote, tmp_path: Path) -> None:
    source = (house_folder() / "reference.py").read_text()
    (tmp_path / "reference.py").write_text(source.replace("+ found.nodes", "+ found.nodes + 600"))
    greedy = replace(house_bot("reference"), root=str(tmp_path))
    with BotPlayer(zygote, greedy, SMALL) as player:
        fault = first_fault(player)
    assert fault.verdict is Verdict.NODES
    assert fault.reason.startswith("used more than 500 nodes in one move (")


def test_it_has_the_memory_that_a_small_contest_allows_besides_the_engines(zygote: Zygote) -> None:
    one, other = house_bot("reference"), house_bot("perfect", nodes=2_000)
    game(zygote, one, other, Limits(nodes=500, memory_mb=64))


def test_a_copy_of_its_file_is_a_bot_that_cannot_be_loaded(make_player: MakePlayer) -> None:
    source = (house_folder() / "reference.py").read_text()
    fault = make_player(source).sit(0, Ruleset(), (), 1)
    assert fault is not None
    assert fault.reason.startswith(f"{KEPT_OUT}engine (bot.py, line ")


IMPORTS = {
    "import arena.engine": "engine",
    "from arena.engine import Engine": "engine",
    "from arena import engine": "engine",
    "from arena import run_contest": "modules",
    "import arena.bots.quartets": "modules",
    "import arena.game": "modules",
}


@pytest.mark.parametrize("statement", IMPORTS)
def test_a_bot_can_import_nothing_of_arena_that_plays(
    make_player: MakePlayer, statement: str
) -> None:
    fault = make_player(f"{statement}\ndef pick_move(rack): return 0").sit(0, Ruleset(), (), 1)
    assert fault is not None
    assert fault.reason == f"{KEPT_OUT}{IMPORTS[statement]} (bot.py, line 1)"


READS = {
    "its hook taken off": """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "ArenaBlocker" not in repr(finder)]
from arena.engine import Engine
""",
    "by path": """
import os.path
import arena.rules
folder = os.path.join(os.path.dirname(os.path.dirname(arena.rules.__file__)), "engine")
open(os.path.join(folder, "tree.py"))
""",
}


@pytest.mark.parametrize("code", READS.values(), ids=READS)
def test_a_bot_that_goes_out_of_its_way_cannot_read_the_engine(
    make_player: MakePlayer, code: str
) -> None:
    fault = make_player(f"{code}def pick_move(rack): return 0").sit(0, Ruleset(), (), 1)
    assert fault is not None
    assert "PermissionError" in fault.reason
    assert "engine" in fault.reason


def test_bots_have_no_compiler_in_their_process_unless_they_import_it(
    make_player: MakePlayer,
) -> None:
    has = "int('numba' in sys.modules or 'llvmlite' in sys.modules)"
    assert first_move(make_player(f"import sys\ndef pick_move(rack): return {has}"))[0] == 0


def test_a_bot_that_claims_to_be_a_house_player_gets_nothing(
    zygote: Zygote, make_bot: MakeBot
) -> None:
    source = """
        house, engine = True, "reference"
        NODE_FUNCTION = "pick_move"
        class ComputerPlayer:
            house, engine = True, "reference"
            def __init__(self, id, difficulty_level, position=7, seconds=7, count=7):
                self.given = (position, seconds, count) != (7, 7, 7)
            def pick_move(self, rack):
                return int(self.given)
    """
    options = {"difficulty_level": 4}
    with BotPlayer(zygote, make_bot(source, options=options), SMALL) as player:
        column, _, nodes = first_move(player)
    assert (column, nodes) == (0, 1)


@pytest.mark.slow
def test_a_perfect_player_without_time_for_an_exact_move_still_moves_in_time(
    zygote: Zygote,
) -> None:
    limits = Limits(move_seconds=1.0, first_move_seconds=0.0)
    bots = house_bot("perfect"), house_bot("greedy")
    assert game(zygote, *bots, limits, rules=Ruleset(8, 8)).winner == 0
