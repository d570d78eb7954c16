"""Starting bots: what a machine must confine, and the zygote that has numba preloaded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.common.errors import CannotConfineError
from arena.common.home import HOME, NOT_CONFINED, home_mode
from arena.game import bot_process
from arena.game.bot_process import READABLE, UNFILTERED, Zygote, preload_for
from arena.game.starter import require_confinement
from arena.host.protocol import Loaded
from arena.host.sandbox import confining
from arena.host.sandbox.confining import Layers
from arena.interfaces.contract import starter
from support.bots import FIRST_FREE, MakeBot, MakePlayer, first_move, house_bot

UIDS = (1 << 20, 100)


@pytest.mark.parametrize(
    ("layers", "warning"),
    [
        (Layers(5, True, None, False), None),
        (Layers(0, True, UIDS, True), READABLE),
        (Layers(5, True, UIDS, True), None),
        (Layers(5, True, UIDS, False), "Arena's Python lies in the private folder /root: "),
        (Layers(5, False, UIDS, True), UNFILTERED.format(more="")),
        (Layers(0, False, UIDS, False), UNFILTERED.format(more=", and READ every public file")),
        (Layers(5, False, None, True), ""),
    ],
)
def test_a_layer_that_is_missing_is_told_and_both_that_are_enough_are_refused(
    layers: Layers, warning: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_process, "layers", lambda: layers)
    monkeypatch.setattr(confining, "layers", lambda: layers)
    monkeypatch.setattr(bot_process.namespaces, "private_folder", lambda _: "/root")
    if layers.enough:
        assert (require_confinement() or "").startswith(warning or "")
        assert (require_confinement() is None) is (warning is None)
    else:
        with pytest.raises(CannotConfineError, match="--home"):
            require_confinement()
    with home_mode(wanted=True):
        assert require_confinement() == NOT_CONFINED
    assert os.environ.get(HOME, "") == ""


IMPORTS = f"from numba import njit\n{FIRST_FREE}"


@pytest.mark.parametrize(
    ("source", "preload"),
    [
        (FIRST_FREE, Loaded.NUMPY),
        (IMPORTS, Loaded.NUMBA),
        (f"import numpy, numba as nb\n{FIRST_FREE}", Loaded.NUMBA),
        (f"try: import numba.typed\nfinally: pass\n{FIRST_FREE}", Loaded.NUMBA),
        (f"# from numba\nprint('numba')\n{FIRST_FREE}", Loaded.NUMPY),
        (starter("make_move"), Loaded.NUMBA),  # as its course modules do
    ],
)
def test_a_zygote_has_what_its_bots_import(source: str, preload: Loaded, make_bot: MakeBot) -> None:
    assert preload_for(make_bot(source)) is preload


def test_house_players_and_modules_beside_a_bot_count(make_bot: MakeBot) -> None:
    assert preload_for(make_bot(FIRST_FREE, file_fast=IMPORTS)) is Loaded.NUMBA
    own = make_bot(starter("make_move"), file_heuristics="", file_app="")
    assert own.entry_point.interface == "make_move"
    assert preload_for(own) is Loaded.NUMPY
    assert preload_for(house_bot("random")) is Loaded.NUMPY
    assert preload_for(house_bot("reference")) is Loaded.ENGINE
    assert preload_for(house_bot("perfect")) is Loaded.SOLVER


@pytest.mark.parametrize(
    "files",
    [
        {"file_uuid": "OWN = 0"},  # a module of the standard library's that numba imports
        {"file_llvmlite": "OWN = 0"},
        {"file_settings": "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'"},
    ],
)
def test_a_bot_that_could_notice_imports_numba_itself(
    files: dict[str, str], make_bot: MakeBot
) -> None:
    assert preload_for(make_bot(IMPORTS, **files)) is Loaded.NUMPY


SEES_NUMBA = """
import sys
before = "numba" in sys.modules
def pick_move(rack):
    return int(before)
def later():
    import {what}
"""


@pytest.mark.parametrize(("what", "expected"), [("numba", 1), ("numbers", 0)])
def test_a_bot_that_imports_numba_finds_it_imported(
    what: str, expected: int, make_player: MakePlayer
) -> None:
    player = make_player(SEES_NUMBA.format(what=what))
    assert first_move(player)[0] == expected


def test_each_zygote_is_started_once_without_a_thread(zygote: Zygote) -> None:
    with_numba = zygote.with_preload(Loaded.NUMBA)
    assert zygote.with_preload(Loaded.NUMBA) is with_numba is with_numba.with_preload(Loaded.NUMBA)
    assert zygote.with_preload(Loaded.NUMPY) is zygote
    # a fork of a process with threads may find a lock that is never released
    assert len(os.listdir(f"/proc/{with_numba.pid}/task")) == 1


@pytest.mark.slow
def test_the_others_end_with_the_first() -> None:
    first = Zygote()
    other = first.with_preload(Loaded.NUMBA)
    first.close()
    assert other._process.poll() is not None


COMPILES = """
import os
from pathlib import Path

import numba
import numpy
from numba.core import config

@numba.njit(cache=True)
def column(height):
    return height * 0 + 3

@numba.njit
def draw():
    return numpy.random.randint(0, 1 << 31)

def pick_move(rack):
    cache = Path(os.environ["NUMBA_CACHE_DIR"])
    assert Path(config.CACHE_DIR) == cache, config.CACHE_DIR
    assert cache.parent == Path.cwd(), cache
    assert not list(cache.rglob("*.nbi")) and not (cache / "left").exists()
    assert not hasattr(numba, "left") and not hasattr(config, "left")
    chosen = column(len(rack[0]))
    print(draw())
    assert list(cache.rglob("*.nbi"))
    (cache / "left").touch()
    numba.left = config.left = numba.njit = True
    config.DISABLE_JIT = 1
    return int(chosen)
"""


@pytest.mark.slow
def test_what_one_bot_compiles_draws_and_changes_no_other_has(make_player: MakePlayer) -> None:
    """Numba read the zygote's environment at import; a bot has its own."""
    drawn = set()
    for _ in range(2):
        player = make_player(COMPILES)
        assert first_move(player)[0] == 3
        drawn.add(player.dismiss())
    assert len(drawn) == 2


def test_to_look_for_it_neither_hangs_nor_leaves_a_trace(make_bot: MakeBot) -> None:
    bot = make_bot(FIRST_FREE)
    os.utime(Path(bot.root) / "bot.py", (0, 1))  # so that to read it would make it new
    os.mkfifo(Path(bot.root) / "pipe.py")
    assert preload_for(bot) is Loaded.NUMPY
    assert (Path(bot.root) / "bot.py").stat().st_atime_ns == 0
