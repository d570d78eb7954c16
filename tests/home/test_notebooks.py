"""Notebooks that play, ask and check bots of their own cells."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import arena
from arena.common.home import HOME
from arena.notebooks import CELL, stepper_html
from arena.rules import Ruleset

pytestmark = pytest.mark.slow
CELLS = [
    "import arena, math\nDEPTH = 2",
    "def free(rack):\n    return [c for c, column in enumerate(rack) if column[-1] == 0]",
    "def my_bot(rack):\n    print('<b>thinking</b>')\n    return free(rack)[0]",
    "class MyBot:\n    def pick_move(self, rack):\n        return free(rack)[DEPTH]",
    "arena.play(MyBot, my_bot, seed=3)",
    "played = arena.play(my_bot, 'random', seed=3)\nplayed",
    "played.winner, played.names",
    "arena.ask(my_bot, '3 3 4', home=HOME)",
    "checked = arena.check(my_bot, home=HOME)\nchecked",
    "try:\n    arena.play(lambda rack: 0, 'random')\n"
    "except arena.InputError as error:\n    print(error)",
    "def fails(rack):\n    return rack[9]\narena.play(fails, 'random', seed=3)",
]


def outputs(folder: Path, monkeypatch: pytest.MonkeyPatch, *, home: bool) -> list[dict[str, Any]]:
    """Run the cells in a kernel; return the last output of each, as data by kind."""
    monkeypatch.setenv(HOME, "1" if home else "")
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell(f"HOME = {home}"),
        *map(nbformat.v4.new_code_cell, CELLS),
    ]
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return [
        dict(cell.outputs[-1].get("data", cell.outputs[-1])) if cell.outputs else {}
        for cell in book.cells[1:]
    ]


@pytest.mark.parametrize("home", [False, True])
def test_functions_and_classes_of_cells_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, home: bool
) -> None:
    *_, classes, played, names, asked, checked, refused, failed = outputs(
        tmp_path, monkeypatch, home=home
    )
    assert "<td>2 0 2 0 2 0 2</td>" in classes["text/html"]
    assert "my_bot" in played["text/html"] and "<script" not in played["text/html"]
    assert names["text/plain"].endswith("('my_bot', 'random'))")
    assert "plays column 0" in asked["text/html"]
    assert "&lt;b&gt;thinking&lt;/b&gt;" in asked["text/html"]
    assert "plays without a fault on 6 rows" in checked["text/markdown"]
    assert refused["text"].startswith("<function <lambda>")
    assert (
        "raised IndexError: tuple index out of range (fails.ipynb, cell 12, line 2)"
        in (failed["text/html"])
    )


def test_a_lost_game_shows_each_bot_its_own_time_and_nodes() -> None:
    played = arena.play("quartets", "random", seed=3)
    seven = {"charged_ns": (2_000_000, 5_000_000) * 3 + (2_000_000,), "nodes": (3, -1) * 3 + (1,)}
    html = replace(played, columns=(3, 6, 2, 2, 4, 4), **seven)._repr_html_()  # type: ignore[attr-defined]
    assert "<th>X quartets</th><td>8.0 ms, 10 nodes</td>" in html
    assert "<th>O random</th><td>15 ms, nodes not counted</td>" in html
    assert "<td>3 6 2 2 4 4</td>" in html


def test_a_stepper_shows_each_ply_by_a_button() -> None:
    html = stepper_html(Ruleset(), (3, 3, 4))
    assert re.findall(r'aria-label="(ply[^"]+|the empty[^"]+)"', html) == [
        "the empty board",
        "ply 1: column 3",
        "ply 2: column 3",
        "ply 3: column 4",
    ]
    assert html.count("<circle") == 3
    assert "<pre>" in html.partition("</svg>")[2]  # where drawings are removed
    name = re.compile(r'name="(\w+)"')
    assert name.findall(html)[0] not in stepper_html(Ruleset(), (3, 3, 4))
    assert html.count("checked>") == 1 and html.index("checked>") > html.index("ply 3")


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        (len, "len: is not written in Python"),
        (3, "3: expected a path, a name, or a function or class"),
        ("nothere.py", "nothere.py: no such file or folder"),
    ],
)
def test_what_is_no_bot_is_refused_in_one_line(bot: Any, said: str) -> None:
    for function in (arena.ask, arena.check, lambda it: arena.play(it, "random")):
        with pytest.raises(arena.InputError, match=f"^{re.escape(said)}") as refused:
            function(bot)
        assert "\n" not in str(refused.value)


def test_an_option_that_a_command_lacks_is_refused() -> None:
    with pytest.raises(arena.InputError, match="No such option '--presett'"):
        arena.ask("quartets", "3", presett="max")
    assert json.dumps(arena.ask("quartets", [3, 3]).column) in "0123456"


def test_a_board_is_that_of_the_preset() -> None:
    game = arena.play("reference", "quartets", preset="cs4100", seed=2)
    assert game._repr_html_().count(f"h{8 * CELL}") == 9  # type: ignore[attr-defined]


def test_home_mode_lasts_for_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME, "")
    arena.ask("quartets", "3", home=True)
    assert os.environ[HOME] == ""


def test_a_changed_variable_counts_and_a_decorated_function_plays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell(text)
        for text in (
            "import arena\nfrom functools import lru_cache\nCOLUMN = 0",
            "@lru_cache\ndef my_bot(rack):\n    return COLUMN",
            "COLUMN = 5",
            "print(arena.ask(my_bot, '3').column)",
        )
    ]
    NotebookClient(book, timeout=120).execute()
    (printed,) = [each for each in book.cells[-1].outputs if each.get("name") == "stdout"]
    assert printed["text"] == "5\n"
