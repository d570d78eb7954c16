"""The machines that a contest was played on."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import replace
from pathlib import Path

import pytest

from arena.machine.facts import MACHINES, Machine, read_machines, record_machine

HERE = Machine.this(2)


def test_this_machine_is_described() -> None:
    assert (HERE.cores, HERE.lanes, HERE.python) == (os.cpu_count(), 2, platform.python_version())
    assert HERE.processor
    assert HERE.memory_mb > 100


def test_each_machine_is_noted_once_in_the_order_of_play(tmp_path: Path) -> None:
    other = replace(HERE, processor="another", lanes=64)
    assert read_machines(tmp_path) == ()
    for machine in (HERE, other, HERE):
        record_machine(tmp_path, machine)
    assert read_machines(tmp_path) == (HERE, other)


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"cores": 1}]', "null", "[[]]"])
def test_a_file_that_is_not_as_it_was_written_names_no_machine(tmp_path: Path, text: str) -> None:
    (tmp_path / MACHINES).write_text(text)
    assert read_machines(tmp_path) == ()
    record_machine(tmp_path, HERE)
    assert json.loads((tmp_path / MACHINES).read_text())[0]["lanes"] == 2
