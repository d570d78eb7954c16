"""The documents: what they name exists, what they show can be typed, and nothing is left out."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice, pairwise
from pathlib import Path

import click
import jsonschema
import pytest

import arena as public
from arena.audit.rerun import Cause
from arena.cli import arena
from arena.common.names import PLAYERS
from arena.contest.history import HISTORY_CSV
from arena.interfaces import INTERFACES
from arena.interfaces.described import Described
from arena.ranking.accuracy import ANALYSIS_CSV
from arena.ranking.games import GAMES_CSV, OPENINGS_CSV, TALLIES_CSV
from arena.ranking.leaderboard import LEADERBOARD_CSV
from arena.settings.contest import PRESETS
from arena_lab.bench import FIGURES

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "results" / "README.md")
    if path.name != "CHANGELOG.md"  # tells of what is no more, too
)
PLACES = ("arena", "bots", "docs", "results", "tests", ".ci")


def text_of(document: Path) -> str:
    return document.read_text("utf-8")


def commands_in(text: str) -> Iterator[list[str]]:
    """Words of every command `arena …` that a document shows, in a block or in a sentence."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    for line in (*lines, *re.findall(r"`([^`\n]+)`", text)):
        command = re.split(r"[|<>]| && ", line.split("#")[0])[0]
        words = shlex.split(command.replace("'", "")) if "arena" in command else []
        if words and words[0] in ("arena", ".venv/bin/arena") and len(words) > 1:
            yield words[1:]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
class TestEveryDocument:
    def test_links_to_files_that_exist(self, document: Path) -> None:
        for target in re.findall(r"\]\(([^)#\s]+)", text_of(document)):
            if "://" not in target:
                assert (document.parent / target).exists(), target

    def test_names_files_that_exist(self, document: Path) -> None:
        for name in re.findall(r"`([\w./-]+)`", text_of(document)):
            is_made = name.startswith(("results/", "bots/HASH")) and name != "results/README.md"
            if name.split("/")[0] in PLACES and "/" in name and not is_made:
                assert (ROOT / name).exists(), name

    def test_shows_commands_that_can_be_typed(self, document: Path) -> None:
        for name, *words in commands_in(text_of(document)):
            if name in ("COMMAND", "…") or name.startswith("-"):
                continue
            command = arena.get_command(click.Context(arena), name)
            while isinstance(command, click.Group):
                name = words.pop(0)
                command = command.get_command(click.Context(command), name)
            assert command is not None, name
            command.make_parser(click.Context(command)).parse_args(words)


# Options that documents name and that are not Arena's: of Docker, Dask, Slurm and scripts here.
FOREIGN = frozenset(
    ("--build-arg", "--cap-drop", "--cpus", "--cpuset-cpus", "--hint", "--known", "--memory")
    + ("--network", "--nthreads", "--pids-limit", "--plies", "--read-only", "--tmpfs", "--user")
    + ("--userns",)
)


def options_of(command: click.Command) -> Iterator[str]:
    context = click.Context(command)
    for parameter in command.get_params(context):
        yield from (*parameter.opts, *parameter.secondary_opts)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from options_of(inner)


def test_every_option_that_a_document_names_is_there() -> None:
    named = {name for each in DOCUMENTS for name in re.findall(r"`(--[a-z-]+)", text_of(each))}
    assert named - {*options_of(arena)} == FOREIGN


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len(text_of(ROOT / "README.md").split()) <= 900


def test_pictures_are_few_and_small_and_each_is_shown() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").iterdir())
    assert 0 < len(pictures) <= 14
    assert all(picture.stat().st_size <= 150_000 for picture in pictures)
    shown = "".join(map(text_of, DOCUMENTS))
    assert [picture.name for picture in pictures if f"pictures/{picture.name})" not in shown] == []


def test_every_key_in_a_generated_table_has_its_meaning() -> None:
    tables = re.findall(r"contest-keys:: ([\w.]+)(.*)", "".join(map(text_of, DOCUMENTS)))
    for path, chosen in tables:
        module, name = path.rsplit(".", 1)
        record = getattr(import_module(module), name)
        source = text_of(Path(str(import_module(record.__module__).__file__)))
        (body,) = [
            node.body
            for node in ast.parse(source).body
            if isinstance(node, ast.ClassDef) and node.name == name
        ]
        lines = [*pairwise(body), (body[-1], None)]
        bare = [
            node.target.id
            for node, after in lines
            if isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id not in chosen.split()
            and not (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant))
        ]
        assert bare == [], path


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_why_a_game_does_not_repeat_is_explained(cause: Cause) -> None:
    assert cause.value in text_of(ROOT / "docs" / "explanation" / "trust.md")


class TestFigures:
    SCRIPT = runpy.run_path(str(ROOT / "docs" / "figures.py"))

    def test_each_is_as_its_script_draws_it_and_is_shown(self) -> None:
        drawn = {f"{name}.svg": str(draw()) for name, draw in self.SCRIPT["FIGURES"].items()}
        assert {path.name: text_of(path) for path in self.SCRIPT["FOLDER"].iterdir()} == drawn
        shown = "".join(map(text_of, DOCUMENTS))
        assert [name for name in drawn if f"drawings/{name})" not in shown] == []

    def test_the_house_has_the_floors_of_the_import_contract(self) -> None:
        project = tomllib.loads(text_of(ROOT / "pyproject.toml"))
        (contract,) = project["tool"]["importlinter"]["contracts"]
        levels = [set(re.findall(r"\w+", layer)) for layer in contract["layers"][1:]]
        rooms = [room for _, floor in self.SCRIPT["HOUSE"] for room in floor]
        order = iter(rooms)
        assert [set(islice(order, len(level))) for level in levels] == levels
        assert list(order) == []


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("leaderboard.csv", LEADERBOARD_CSV),
        ("games.csv", GAMES_CSV),
        ("tallies.csv", TALLIES_CSV),
        ("openings.csv", OPENINGS_CSV),
        ("analysis.csv", ANALYSIS_CSV),
        ("history.csv", HISTORY_CSV),
    ],
)
def test_every_column_is_explained_in_order(table: str, columns: Sequence[str]) -> None:
    section = text_of(ROOT / "results" / "README.md").split(f"\n## {table}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*`) \|", section.split("| verdict |")[0], re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == list(columns)


def test_every_public_name_is_in_the_python_reference() -> None:
    words = set(re.findall(r"\w+", text_of(ROOT / "docs" / "reference" / "python.md")))
    assert set(public.__all__) <= words


class TestArchitecture:
    TEXT = text_of(ROOT / "ARCHITECTURE.md")

    def test_it_names_classes_that_exist(self) -> None:
        sources = "\n".join(map(text_of, ROOT.glob("arena/**/*.py")))
        for name in re.findall(r"`((?:[A-Z][a-z]+)+)(?:\.\w+)?`", self.TEXT):
            assert f"class {name}" in sources, name

    def test_its_rooms_stand_on_the_levels_of_the_import_contract(self) -> None:
        project = tomllib.loads(text_of(ROOT / "pyproject.toml"))
        (contract,) = project["tool"]["importlinter"]["contracts"]
        layers = [re.findall(r"\w+", layer) for layer in contract["layers"]]
        there = {path.stem for path in ROOT.glob("arena/*.py")}
        there |= {path.parent.name for path in ROOT.glob("arena/*/__init__.py")}
        wanted = [there.intersection(layer) for layer in layers if layer != ["__main__"]]
        rooms = iter(re.findall(r"^\| `arena/(\w+)(?:/|\.py)` \|", self.TEXT, re.MULTILINE))
        assert [set(islice(rooms, len(level))) for level in wanted] == wanted
        assert list(rooms) == []

    def test_its_fixed_names_are_the_real_ones(self) -> None:
        names = text_of(ROOT / "docs" / "reference" / "fixed-names.md")
        tables = (LEADERBOARD_CSV, GAMES_CSV, TALLIES_CSV, OPENINGS_CSV, ANALYSIS_CSV)
        for columns in (*tables, HISTORY_CSV):
            assert f"`{','.join(columns)}`" in names
        words = names.split("**Presets**")[1].split(".")[0]
        assert re.findall(r"`([\w-]+)`", words) == list(PRESETS)
        house = names.split("**House players**")[1].split("\n\n")[0]
        assert set(re.findall(r"`([\w-]+)`", house)) == set(PLAYERS)
        figures = names.split("**`arena lab bench --json`**")[1].split("; and `spread`")[0]
        assert set(re.findall(r"`(\w+)`", figures)) == {figure.name for figure in FIGURES}


@pytest.mark.slow
def test_the_schema_takes_every_shipped_description_and_no_wrong_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    schema = import_module("generated").schema_of(import_module("generated").Description)
    for described in INTERFACES.values():
        if isinstance(described, Described):
            jsonschema.validate(json.loads(described.text), schema)
    with pytest.raises(jsonschema.ValidationError, match="'metod' was unexpected"):
        jsonschema.validate({"entry": {"metod": "go"}}, schema)
