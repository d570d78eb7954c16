"""What is measured where nothing is prepared."""

from __future__ import annotations

import os

import pytest

from arena.engine.ready import cache_folder
from arena.measure.unprepared import first_use_s, opening_value_s


@pytest.mark.slow
def test_first_use_compiles_and_leaves_this_machines_code_alone() -> None:
    folder = cache_folder()
    assert folder is not None
    before = sorted(os.listdir(folder))
    assert first_use_s() > 0
    assert sorted(os.listdir(folder)) == before


def test_openings_of_the_table_are_timed_as_others_are() -> None:
    assert opening_value_s(((), (3,), (3, 3))) >= 0
