"""Modules that a bot imports and that are not installed, told from its sources alone."""

from __future__ import annotations

import json
from pathlib import Path

from arena.intake import read_submission
from arena.intake.imports import missing_imports


def test_missing_imports_are_told_apart_by_when_they_are_needed(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text(
        "import helper, numpy, json, _frozen_x\n"
        "try:\n    import colorama_x\nexcept ImportError:\n    pass\n"
        "def pick_move(rack):\n    import torch_x.nn\n"
    )
    (folder / "helper.py").write_text("from anytree_x import Node\n")
    (folder / "gui.py").write_text("import pygame_x\nimport torch_x\n")
    assert [str(missing) for missing in missing_imports(read_submission(folder))] == [
        "_frozen_x (bot.py, line 1, at the top)",
        "anytree_x (helper.py, line 1, at the top)",
        "colorama_x (bot.py, line 3, not needed at once)",
        "pygame_x (gui.py, line 1, not needed at once)",
        "torch_x (bot.py, line 7, not needed at once)",
    ]


def test_an_import_is_needed_at_once_by_who_cannot_be_entered_for_want_of_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "alice.py"
    path.write_text("from my_player_x import ComputerPlayer\n")
    (missing,) = missing_imports(read_submission(path))
    assert missing.at_load


def test_a_course_module_that_arena_gives_is_not_missing(tmp_path: Path) -> None:
    source = "from cs4100 import *\nimport cs4100_x\ndef player(board):\n    return 0\n"
    path = tmp_path / "alice.py"
    path.write_text(source)
    assert [missing.name for missing in missing_imports(read_submission(path))] == ["cs4100_x"]


def test_a_notebooks_missing_import_is_placed_in_its_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "Homework"},
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": "# mine\nimport anytree_x as a\ndef player(board):\n    return a.f(board)\n",
        },
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "HW04.ipynb").write_text(json.dumps(notebook))
    (missing,) = missing_imports(read_submission(tmp_path / "HW04.ipynb"))
    assert str(missing) == "anytree_x (HW04.ipynb, cell 2, line 2, at the top)"
