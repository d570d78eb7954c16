"""What is measured where nothing is prepared."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from arena.engine.machine_code import cache_folder
from arena_lab.unprepared import first_use_s, opening_value_s

WHERE = "from arena.engine.machine_code import *; print(is_compiled(), cache_folder())"


def test_first_use_compiles_and_leaves_this_machines_code_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, said = subprocess.run, []

    def look(command: list[str], **how: Any) -> None:
        said.append(run([sys.executable, "-c", WHERE], **how).stdout.decode().split())

    monkeypatch.setattr(subprocess, "run", look)
    assert first_use_s() > 0
    ((is_compiled, folder),) = said
    assert is_compiled == "False" and folder != str(cache_folder())


def test_openings_of_the_table_are_timed_as_others_are() -> None:
    assert opening_value_s(((), (3,), (3, 3))) >= 0
