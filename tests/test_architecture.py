"""The shape of the house: which room imports which, sizes, and the one tree of exceptions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import arena
from arena import errors

HOME = Path(arena.__file__).parent
ROOT = Path(__file__).parents[1]

MODULE_LINES = 700
FUNCTION_LINES = 60

LONG = {("engine/exact.py", "search"), ("engine/tree.py", "search")}
"""The engine's two loops: numba turns a call inside them into time, see `arena.engine.exact`."""


@cache
def trees() -> dict[str, ast.Module]:
    """Return the modules of the house, by path."""
    files = HOME.rglob("*.py")
    return {str(file.relative_to(HOME)): ast.parse(file.read_bytes()) for file in files}


def test_rooms_import_downward_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # it would silence the loggers of all tests that follow in this process
    monkeypatch.setattr("importlinter.cli.logging_config.dictConfig", lambda _: None)
    code = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert code == 0, capsys.readouterr().out


def test_no_module_is_longer_than_700_lines() -> None:
    lengths = {file: len((HOME / file).read_bytes().splitlines()) for file in trees()}
    assert {file: lines for file, lines in lengths.items() if lines > MODULE_LINES} == {}


def functions() -> Iterator[tuple[str, str, int]]:
    """Yield each function's module, its name and its lines."""
    for file, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                yield file, node.name, node.end_lineno - node.lineno + 1


def test_no_function_is_longer_than_60_lines_but_the_engines_two() -> None:
    found = {(file, name) for file, name, lines in functions() if lines > FUNCTION_LINES}
    assert found == LONG


def error_classes(tree: ast.Module) -> list[str]:
    """Return the names of the classes in a module that are exceptions by their base's name."""
    known = {name for name, value in vars(builtins).items() if is_error(value)}
    known |= {name for name, value in vars(errors).items() if is_error(value)}
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and known.intersection(map(last_word, node.bases))
    ]


def is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def last_word(base: ast.expr) -> str:
    """Return `c` of a base class `a.b.c`."""
    return ast.unparse(base).rpartition(".")[2]


def test_every_exception_stands_in_the_one_tree() -> None:
    found = {file: error_classes(tree) for file, tree in trees().items()}
    own = found.pop("errors.py")
    assert {file: names for file, names in found.items() if names} == {}
    assert all(name.endswith("Error") for name in own)
    outside = [name for name in own if not issubclass(getattr(errors, name), errors.ArenaError)]
    assert outside == ["OverBudgetError"]
    assert not issubclass(errors.OverBudgetError, Exception)


def test_the_tree_of_exceptions_is_drawn_as_it_is() -> None:
    drawn: list[tuple[int, str, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        name, *rest = line.strip(" │├└─").split() or [""]
        if name.endswith("Error") and line.startswith("    "):
            builtin = rest[0].strip("()") if rest and rest[0].startswith("(") else ""
            drawn.append((line.index(name) // 3, name, builtin))
    assert {name for _, name, _ in drawn} == set(error_classes(trees()["errors.py"]))
    above: list[str] = []
    for depth, name, builtin in drawn:
        bases = [base.__name__ for base in getattr(errors, name).__bases__]
        parent = above[depth - 2] if depth > 1 else None
        expected = [parent, builtin] if parent else [builtin or "Exception"]
        assert bases == list(filter(None, expected))
        above[depth - 1 :] = [name]
