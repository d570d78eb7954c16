"""The claims of the README and of the documentation's first page: each is shown by something."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from arena_lab.bench import FIGURES
from support.command_line import arena_ok

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "claims.md").read_text("utf-8")
ROWS = re.findall(r"^\| (.*) \| (.*) \|$", PAGE.split("\n## Speed\n")[0], re.MULTILINE)[1:]
SPEED = re.findall(r"`(arena lab bench [^`]*)`", PAGE)
TESTS = sorted(set(re.findall(r"`(tests/[^`]*::[^`]*)`", PAGE)))


def plain(text: str) -> str:
    """Return a text without links, emphasis and line breaks."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(text.replace("*", "").split())


def sentences(document: str) -> Iterator[str]:
    """Yield the sentences of a document: not its blocks, headings, pictures, tables and lists."""
    text = (ROOT / document).read_text("utf-8").split("\n## Read on\n")[0]
    text = re.sub(r"^```.*?^```$", "\n", text, flags=re.MULTILINE | re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", text):
        if not re.match(r"[#!|-]|\s*$", paragraph):
            yield from re.split(r"(?<=\.)(?<!Grades\.) (?=[A-Z`])", plain(paragraph))


@pytest.mark.parametrize("document", ["README.md", "docs/index.md"])
def test_each_sentence_is_shown_by_something(document: str) -> None:
    listed = {claim for claim, _ in ROWS} | set(re.findall(r"^- (.*)$", PAGE, re.MULTILINE))
    assert [each for each in sentences(document) if each not in listed] == []


def test_no_claim_is_left_that_nobody_makes() -> None:
    made = {*sentences("README.md"), *sentences("docs/index.md")}
    assert [claim for claim, _ in ROWS if claim not in made] == []


def test_each_claim_names_a_test_or_a_command() -> None:
    assert [claim for claim, shown in ROWS if "`" not in shown and shown != "the same"] == []


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}


@pytest.mark.parametrize("test", TESTS)
def test_each_test_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    assert name.startswith("test_")
    assert name in functions(file)


def test_each_figure_is_measured() -> None:
    named = re.findall(r"--only (\w+)", " ".join(SPEED))
    assert named
    assert set(named) <= {figure.name for figure in FIGURES}


def cells(text: str) -> list[list[str]]:
    rows = [re.split(r" *│ *", line)[1:-1] for line in text.splitlines() if line.startswith("│")]
    assert rows
    return rows


@pytest.mark.slow
def test_the_table_and_the_students_page_are_what_the_tutorial_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # wider screens have more columns
    tutorial = (ROOT / "docs" / "tutorial" / "first-contest.md").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", tutorial.split("## 5.")[0], re.DOTALL)
    for line in "".join(blocks).splitlines():
        if line.startswith(("arena new", "arena run")):
            printed = arena_ok(*line.split()[1:], cwd=tmp_path).stdout
        elif line.startswith(("mkdir", "printf")):
            subprocess.run(line, shell=True, check=True, cwd=tmp_path)
    assert cells(readme) == cells(printed)
    page = (tmp_path / "results" / "first" / "feedback" / "emil.md").read_text("utf-8")
    (shown,) = re.findall(r"```markdown\n(.*?)```", readme, re.DOTALL)
    lines = [line for line in shown.splitlines() if not line.startswith(("A move took", "- …"))]
    assert [line for line in lines if line not in page.splitlines()] == []
