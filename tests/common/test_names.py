"""The names of bots and of their files."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.common.names import (
    archive_stem,
    default_name,
    hint_for,
    is_any_archive,
    is_notebook_module,
    module_of,
    notebook_of,
    numbered,
    plain_name,
)


@given(st.text())
@example("-.0")
def test_a_plain_name_is_harmless_and_stays_as_it_is(text: str) -> None:
    name = plain_name(text)
    assert len(name) <= 60 and plain_name(name) == name.rstrip(" .")
    assert not name.startswith(("=", "+", "-", "@", ".", " "))
    assert not set(name) & set("/\\\0\n\t,;\"'|<>*?:")


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.zip", "a"), ("a.tar.gz", "a"), ("a.b.TGZ", "a.b"), ("a.7z", "a.7z"), ("a.py", "a.py")],
)
def test_an_archives_stem_is_its_name_without_suffix(name: str, stem: str) -> None:
    assert archive_stem(name) == stem
    assert is_any_archive(name) == (not name.endswith(".py"))


def test_a_notebook_and_its_module_tell_each_others_names() -> None:
    assert notebook_of(module_of("HW 04.ipynb")) == "HW 04.ipynb"
    assert is_notebook_module("x/HW04.ipynb.py") and not is_notebook_module("HW04.py")
    assert notebook_of("HW04.py") == "HW04.py"


def test_a_bot_is_called_as_its_file_or_folder(tmp_path: Path) -> None:
    for file in ("ann.py", "bob.tar.gz", "cy.ipynb"):
        (tmp_path / file).touch()
    (tmp_path / "dora.py").mkdir()
    names = [default_name(path) for path in sorted(tmp_path.iterdir())]
    assert names == ["ann", "bob", "cy", "dora.py"]


def test_names_that_are_taken_are_numbered() -> None:
    assert list(islice(numbered("ann"), 3)) == ["ann", "ann-2", "ann-3"]


def test_a_hint_is_the_likest_name_in_whatever_case() -> None:
    assert hint_for("ALCIE", ["bob", "Alice"], "bots: …") == "did you mean Alice?"
    assert hint_for("zzz", ["bob", "Alice"], "bots: …") == "bots: …"
