"""The shape of the house: which room imports which, sizes, and the one tree of exceptions."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import arena
from arena.common import errors

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


def test_the_first_line_of_a_public_docstring_has_at_most_80_characters() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    long = [
        f"{file}: {line}"
        for file, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, documented) and not getattr(node, "name", "").startswith("_")
        if (text := ast.get_docstring(node))
        if len(line := text.split("\n")[0]) > 80
    ]
    assert long == []


def budgets() -> dict[str, tuple[int, int]]:
    """Return the lines and modules that each room may have, by ARCHITECTURE.md."""
    found = {}
    for line in (ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines():
        if row := re.match(r"\| (`arena/.*?`|all) \| ([\d,]+) \| ([\d,]+) \|", line):
            places, lines, modules = row.groups()
            found[places] = int(lines.replace(",", "")), int(modules)
    return found


def taken(places: str) -> tuple[int, int]:
    """Return the lines and modules of a row's places."""
    named = [place.removeprefix("arena/") for place in re.findall("`(.*?)`", places)] or [""]
    files = [file for file in trees() if any(file.startswith(place) for place in named)]
    return sum(len((HOME / file).read_bytes().splitlines()) for file in files), len(files)


@pytest.mark.parametrize("places", budgets())
def test_a_room_keeps_to_its_budget(places: str) -> None:
    lines, modules = taken(places)
    most_lines, most_modules = budgets()[places]
    assert lines <= most_lines and modules <= most_modules


def test_every_module_is_in_a_room_with_a_budget() -> None:
    rows = budgets()
    together = [taken(places) for places in rows if places != "all"]
    assert tuple(map(sum, zip(*together, strict=True))) == taken("all")
    planned = [row for places, row in rows.items() if places != "all"]
    assert tuple(map(sum, zip(*planned, strict=True))) == rows["all"]


def imported(file: str) -> set[str]:
    """Return the modules, as files, that a module imports when it is imported."""
    found = set()
    for node in trees()[file].body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
        else:
            names = [(alias.name, "") for alias in getattr(node, "names", [])]
        for places in names:
            own = [place for place in places if place.startswith("arena.")]
            paths = [place.removeprefix("arena.").replace(".", "/") for place in own]
            files = [name for path in paths for name in (f"{path}.py", f"{path}/__init__.py")]
            found |= set([each for each in files if each in trees()][:1])
    return found - {file}


def test_no_modules_import_each_other_in_a_loop() -> None:
    left = {file: imported(file) for file in trees()}
    while first := [file for file, needs in left.items() if not needs & left.keys()]:
        for file in first:
            del left[file]
    assert sorted(left) == []


def types(tree: ast.Module) -> Iterator[str]:
    """Yield the names of a module's own classes and aliases of types, without underscores."""
    for node in tree.body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        names += [node.name] if isinstance(node, ast.ClassDef) else []
        yield from (name.lstrip("_") for name in names if re.match(r"_?[A-Z]\w*[a-z]", name))


def test_the_name_of_a_type_means_one_thing() -> None:
    homes: dict[str, list[str]] = {}
    for file, tree in trees().items():
        for name in types(tree):
            homes.setdefault(name, []).append(file)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


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
    own = found.pop("common/errors.py")
    assert {file: names for file, names in found.items() if names} == {}
    assert all(name.endswith("Error") for name in own)
    outside = [name for name in own if not issubclass(getattr(errors, name), errors.ArenaError)]
    assert outside == ["OverBudgetError"]
    assert not issubclass(errors.OverBudgetError, Exception)


def test_the_tree_of_exceptions_is_drawn_as_it_is() -> None:
    drawn: list[tuple[int, str, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        name, *rest = line.split() or [""]
        if name.endswith("Error") and line.startswith("    "):
            builtin = rest[0].strip("()") if rest and rest[0].startswith("(") else ""
            drawn.append((line.index(name) // 4, name, builtin))
    assert {name for _, name, _ in drawn} == set(error_classes(trees()["common/errors.py"]))
    above: list[str] = []
    for depth, name, builtin in drawn:
        bases = [base.__name__ for base in getattr(errors, name).__bases__]
        parent = above[depth - 2] if depth > 1 else None
        expected = [parent, builtin] if parent else [builtin or "Exception"]
        assert bases == list(filter(None, expected))
        above[depth - 1 :] = [name]
