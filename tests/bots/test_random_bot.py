"""The random player."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from types import ModuleType

import pytest

from arena.common.names import house_folder

FULL, FREE = (1, 2), (1, 0)


@pytest.fixture
def bot(load_bot: Callable[[str], ModuleType]) -> ModuleType:
    random.seed(4)
    return load_bot("random/any_column")


def test_its_name_hides_nothing_from_bots_that_are_run_beside_it() -> None:
    code = "import random, sys; print(random.__file__.startswith(sys.base_prefix))"
    beside = {"PYTHONPATH": str(house_folder())}
    done = subprocess.run([sys.executable, "-c", code], env=beside, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def test_every_free_column_is_as_likely_as_any_other(bot: ModuleType) -> None:
    counts = Counter(bot.pick_move((FREE, FULL, FREE, FREE, FULL)) for _ in range(9_000))
    assert set(counts) == {0, 2, 3}
    assert all(2_800 < count < 3_200 for count in counts.values())


def test_it_never_plays_in_a_full_column(bot: ModuleType) -> None:
    rack = (FULL,) * 6 + (FREE,)
    assert {bot.pick_move(rack) for _ in range(100)} == {6}
