"""The pages of the ways in, the devcontainer and the workflow for public CI."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from textwrap import dedent

import click
import nbformat
import pytest
import yaml
from nbclient import NotebookClient

from arena.cli import arena
from arena.common.home import HOME
from support.command_line import arena_ok
from tests.home.test_verdicts import ALSO_A_SANDBOX, ONLY_A_SANDBOX

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "howto" / "at-home"
PAGES = sorted(path for path in FOLDER.iterdir() if path.stem != "index")
INDEX = (FOLDER / "index.md").read_text("utf-8")
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "home.yml").read_text("utf-8"))
(JOB,) = WORKFLOW["jobs"].values()
SCRIPTS = [step["run"] for step in JOB["steps"] if "run" in step]
DEVCONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def require_command(line: str) -> None:
    """Parse a line that begins with `arena`. Raises click.UsageError for a wrong option."""
    _, name, *words = line.split(">")[0].split()
    command = arena.get_command(click.Context(arena), name)
    assert command is not None, name
    command.make_parser(click.Context(command)).parse_args(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
class TestEveryPage:
    def test_fits_a_screen(self, page: Path) -> None:
        assert len(page.read_text("utf-8").split()) <= 200

    def test_says_what_was_tried(self, page: Path) -> None:
        assert page.read_text("utf-8").split("\n\n")[-1].startswith("Tried")

    def test_shows_commands_that_can_be_typed(self, page: Path) -> None:
        for block in re.findall(r"```\w+\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in map(str.strip, block.splitlines()):
                if line.startswith("arena "):
                    require_command(line)

    def test_is_found_from_the_first_page(self, page: Path) -> None:
        assert f"]({page.name})" in INDEX
        assert f"\n{page.stem}\n" in INDEX


def test_the_first_page_names_what_only_a_sandbox_notices() -> None:
    table = INDEX.split("## What only the sandbox notices")[1]
    wanted = ONLY_A_SANDBOX | {Path(name).stem for name in ALSO_A_SANDBOX}
    assert set(re.findall(r"`(\w+)`", table.split("```")[0])) == wanted


@pytest.mark.slow
def test_the_cells_of_the_colab_page_run(tmp_path: Path) -> None:
    page = (FOLDER / "colab.md").read_text("utf-8")
    cells = [dedent(cell) for cell in re.findall(r"```python\n(.*?)```", page, re.DOTALL)]
    book = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [set(cell.outputs[-1].get("data", {})) - {"text/plain"} for cell in book.cells]
    assert shown == [{"text/html"}, {"text/markdown"}, {"text/html"}]


def test_the_devcontainer_has_the_python_of_the_image_and_installs_arena() -> None:
    assert set(DEVCONTAINER) == {"name", "image", "postCreateCommand", "customizations"}
    (base,) = re.findall(
        r"^ARG BASE=(.*)-slim(.*)$", (ROOT / "Dockerfile").read_text("utf-8"), re.M
    )
    assert DEVCONTAINER["image"] == "".join(base)
    assert DEVCONTAINER["postCreateCommand"].split()[:4] == ["python3", "-m", "pip", "install"]
    assert DEVCONTAINER["postCreateCommand"].split()[-1] == "."


def test_the_workflow_runs_on_all_systems_with_the_oldest_python() -> None:
    matrix = JOB["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert f">={matrix['python'][0]}" == PROJECT["requires-python"]


def test_the_workflow_tests_folders_that_exist() -> None:
    folders = SCRIPTS[-1].split("pytest ")[1].split()
    assert folders and all((ROOT / name).is_dir() for name in folders)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the workflow itself types them")
def test_the_commands_of_the_workflow_end_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, enter, *typed = SCRIPTS[1].splitlines()
    assert make.removeprefix("mkdir ") == enter.removeprefix("cd ") and len(typed) >= 10
    folder = tmp_path / shlex.split(enter)[1]
    folder.mkdir()
    monkeypatch.setenv(HOME, "1")
    for line in typed:
        words, _, file = line.partition(" > ")
        done = arena_ok(*shlex.split(words)[1:], cwd=folder)
        if file:
            (folder / file).write_text(done.stdout, "utf-8")
