"""Modules that a bot imports and that are not installed, told from its sources alone."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path

import pytest

from arena.common.packages import installed_version, pip_install
from arena.intake.facts import NOT_PROMISED, NeededImport, needed_imports, package_uses
from arena.intake.submission import read_submission
from support.handed_in import Tree, notebook, written


def needed_in(
    folder: Path, tree: Tree, file: str = "", allowed: Collection[str] = ()
) -> tuple[NeededImport, ...]:
    return needed_imports(read_submission(written(folder / "bot", tree) / file), allowed)


def missing_in(folder: Path, tree: Tree) -> list[NeededImport]:
    return [each for each in needed_in(folder, tree) if not each.is_installed]


CELLS = ("# HW 4", "# mine\nimport anytree_x as a\ndef player(board):\n    return a.f(board)\n")
MISSING: dict[str, tuple[Tree, list[str]]] = {
    "by when they are needed": (
        {
            "bot.py": "import helper, numpy, json, _frozen_x\n"
            "try:\n    import colorama_x\nexcept ImportError:\n    pass\n"
            "def pick_move(rack):\n    import torch_x.nn\n",
            "helper.py": "from anytree_x import Node\n",
            "gui.py": "import pygame_x\nimport torch_x\n",
        },
        [
            "_frozen_x (bot.py, line 1, at the top)",
            "anytree_x (helper.py, line 1, at the top)",
            "pygame_x (gui.py, line 1, not needed at once)",
            "torch_x (bot.py, line 7, not needed at once)",
        ],
    ),
    "the bot's own class": (
        {"alice.py": "from my_player_x import ComputerPlayer\n"},
        ["my_player_x (alice.py, line 1, at the top)"],
    ),
    "beside a course's module, which Arena gives": (
        {"bot.py": "from cs4100 import *\nimport cs4100_x\ndef player(board):\n    return 0\n"},
        ["cs4100_x (bot.py, line 2, at the top)"],
    ),
    "without a bot, beside any course's module": (
        {"mine.py": "from board import Board\nimport cs4100, torch_x\n"},
        ["torch_x (mine.py, line 2, at the top)"],
    ),
    "in a notebook's cell": (
        {"HW04.ipynb": notebook(*CELLS)},
        ["anytree_x (HW04.ipynb, cell 2, line 2, at the top)"],
    ),
}


@pytest.mark.parametrize("what", MISSING)
def test_missing_imports_are_listed_with_their_places(what: str, tmp_path: Path) -> None:
    tree, places = MISSING[what]
    assert [str(missing) for missing in missing_in(tmp_path, tree)] == places


SPARED = (
    "try:\n    import torch_x\nexcept ImportError:\n    torch_x = None",
    "try:\n    import torch_x\nexcept Exception:\n    torch_x = None",
    "if __name__ == '__main__':\n    import torch_x",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch_x",
)
NEEDED = (
    "import torch_x",
    "try:\n    import torch_x\nfinally:\n    pass",
    "try:\n    import torch_x\nexcept ImportError:\n    raise",
    "try:\n    import torch_x\nexcept ImportError:\n    exit(1)",
    "try:\n    import torch_x\nexcept KeyError:\n    pass",
)


@pytest.mark.parametrize(("sources", "lines"), [(SPARED, 0), (NEEDED, len(NEEDED))])
def test_a_module_that_a_bot_can_do_without_is_not_missing(
    sources: tuple[str, ...], lines: int, tmp_path: Path
) -> None:
    """A name for each source, as a module is listed only once."""
    bot = "def pick_move(rack):\n    return 0\n"
    for number, source in enumerate(sources):
        bot += source.replace("torch_x", f"torch_{number}") + "\n"
    assert len(missing_in(tmp_path, {"bot.py": bot})) == lines


ABSENT = "is neither installed where Arena runs nor among its files"
CURES = {
    "skimage.io": "an instructor can allow it: pip install scikit-image, where Arena runs",
    "msvcrt": "msvcrt exists on Windows only",
    "Tkinter": "Tkinter is a module of Python 2",
    "my_utils": f"my_utils {ABSENT}",
    "bord": f"bord {ABSENT}, which include board.py",
    "Board": f"Board {ABSENT}, which include board.py",
}


def test_a_missing_module_has_a_cure(tmp_path: Path) -> None:
    bot = "".join(f"import {module}\n" for module in CURES) + "def pick_move(rack):\n    return 0\n"
    missing = missing_in(tmp_path, {"board.py": "x = 1\n", "bot.py": bot})
    assert {each.cure for each in missing} == {*CURES.values()}


PLAYS = "def pick_move(rack):\n    import late_x\n"
CLASS = {"ann": "my_x, pandas", "bob": "my_x, skimage, pytest", "cem": "json, cPickle, msvcrt"}


def uses(folder: Path, *allowed: str) -> dict[str, tuple[object, ...]]:
    """By package: bots, bots that cannot be loaded without it, whether installed, promised."""
    bots = [
        needed_in(folder, {f"{name}.py": f"import {modules}\n{PLAYS}"}, f"{name}.py", allowed)
        for name, modules in CLASS.items()
    ]
    return {
        use.name: (use.bots, use.at_load, bool(use.version), use.is_promised)
        for use in package_uses(bots, allowed)
    }


def test_an_empty_file_beside_a_bot_is_not_the_reason(tmp_path: Path) -> None:
    tree: Tree = {"a_notes.py": "\n", "bot.py": "def choose(grid):\n    return 0\n"}
    problem = read_submission(written(tmp_path / "bot", tree)).problem or ""
    assert "empty" not in problem
    assert "it has choose(grid)" in problem


def test_a_class_needs_packages_besides_those_of_arena_and_of_python(tmp_path: Path) -> None:
    assert uses(tmp_path) == {
        "late_x": (3, 0, False, None),
        "my_x": (2, 2, False, None),
        "pytest": (1, 1, True, None),
        "scikit-image": (1, 1, False, None),
    }


def test_a_list_of_packages_promises_what_it_names_by_package_or_module(tmp_path: Path) -> None:
    found = uses(tmp_path, "skimage", "PyTest", "kaggle_environments")
    assert found["scikit-image"] == (1, 1, False, True)
    assert found["PyTest"] == (1, 1, True, True)
    assert found["kaggle-environments"] == (0, 0, False, True)
    assert found["my_x"] == (2, 2, False, False)


def test_a_cure_depends_on_the_list(tmp_path: Path) -> None:
    tree = {"bot.py": f"import skimage\n{PLAYS}"}
    (allowed,) = [e for e in needed_in(tmp_path, tree, "", ["scikit-image"]) if e.at_load]
    assert allowed.cure.startswith("the contest file allows it, so an instructor must install it")
    (forbidden,) = [e for e in needed_in(tmp_path, tree, "", ["torch"]) if e.at_load]
    assert forbidden.cure == NOT_PROMISED


def test_a_package_under_another_name_has_its_module() -> None:
    assert installed_version("PyYAML") == installed_version("yaml") == version("pyyaml")
    assert installed_version("dateutil") == f"{version('python-dateutil')} (python-dateutil)"
    assert installed_version("torch-x") == ""


def test_the_command_to_install_works_where_pythons_path_has_spaces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/my tools/python")
    words = shlex.split(pip_install(["scipy", "torch"]))
    assert words == ["/my tools/python", "-m", "pip", "install", "scipy", "torch"]
