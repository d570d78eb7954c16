"""Meaning of names in modules that import each other: compared with Python's own."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.host.meter import find_counters, find_search
from arena.source.calls import CallGraph
from arena.source.scopes import Scope
from arena.source.values import Names, Other

# Import names by file; `q` is a package without an `__init__.py`.
MODULES = {
    "bot.py": "bot",
    "a.py": "a",
    "b.py": "b",
    "p/__init__.py": "p",
    "p/c.py": "p.c",
    "p/d.py": "p.d",
    "q/e.py": "q.e",
}

NAMES = ("f", "g", "max")

# Imports modules of a folder; prints their functions and where each comes from.
PYTHON = """\
import importlib, json, os, sys
for line in sys.stdin:
    folder, *modules = json.loads(line)
    if os.fork() == 0:
        sys.path.insert(0, folder)
        for each in modules:
            try:
                importlib.import_module(each)
            except (ImportError, AttributeError, NameError):
                continue
        found = [
            [module.__file__, name, value.__code__.co_filename, value.__qualname__]
            for module in [*sys.modules.values()]
            if (getattr(module, "__file__", None) or "").startswith(folder)
            for name, value in vars(module).items()
            if hasattr(value, "__code__") and name != "later"
        ]
        print(json.dumps(found), flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.fixture(scope="module")
def python() -> Iterator[subprocess.Popen[str]]:
    """A Python process that imports requested modules, each time in a fork."""
    command = [sys.executable, "-B", "-c", PYTHON]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def _statement(file: str) -> st.SearchStrategy[str]:
    """Statements of a module: all kinds of imports, definitions, second names."""
    name, other = st.sampled_from(NAMES), st.sampled_from(NAMES)
    absolute = st.sampled_from([*MODULES.values(), "q"])
    relative = {
        "p/__init__.py": (".c", ".d", "."),
        "p/c.py": (".d", ".", ".c"),
        "p/d.py": (".c", "."),
    }
    source = st.one_of(absolute, st.sampled_from(relative[file])) if file in relative else absolute
    plain = st.one_of(
        st.builds("from {} import *".format, source),
        st.builds("from {} import {}".format, source, name),
        st.builds("from {} import {} as {}".format, source, name, other),
        st.builds("import {0}\n{1} = {0}.{2}".format, absolute, name, other),
        st.builds("import {} as m\n{} = m.{}".format, absolute, name, other),
        st.builds("from p import c, d\n{} = c.{}".format, name, other),
        st.builds("{} = {}".format, name, other),
    )
    defined = st.builds("def {}(n):\n    return n and {}(n - 1)".format, name, other)
    caught = st.one_of(st.just("pass"), plain.map(_indented))
    return st.one_of(
        defined,
        plain,
        st.builds("try:\n    {}\nexcept Exception:\n    {}".format, plain.map(_indented), caught),
        plain.map(lambda text: f"if len(__name__):\n    {_indented(text)}"),
    )


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _module(lines: list[str]) -> str:
    return "\n".join([*lines, "def later(): pass"])


SOURCES = st.fixed_dictionaries(
    {file: st.lists(_statement(file), min_size=2, max_size=6).map(_module) for file in MODULES}
)


@settings(max_examples=40, deadline=None)
@given(SOURCES, st.permutations([*MODULES.values()]))
@pytest.mark.slow
def test_what_python_finds_by_a_name_is_among_what_is_found_here(
    python: subprocess.Popen[str], sources: dict[str, str], order: list[str]
) -> None:
    trees = {file: ast.parse(text) for file, text in sources.items()}
    names = Names(trees)
    inside = {scope.file: scope for scope in names.scopes if scope.qualname == "later"}
    asked = [ast.Name(name) for name in NAMES]
    search = find_search(trees, "bot.py", "f", [])
    find_counters(trees, "bot.py", "f", [], search)
    CallGraph(trees)
    assert python.stdin is not None and python.stdout is not None
    with TemporaryDirectory() as folder:
        for file, text in sources.items():
            (Path(folder) / file).parent.mkdir(exist_ok=True)
            (Path(folder) / file).write_text(text)
        python.stdin.write(json.dumps([folder, *order]) + "\n")
        python.stdin.flush()
        found = json.loads(python.stdout.readline())
        for file, name, origin, qualname in found:
            at = inside[str(Path(file).relative_to(folder))]
            key = str(Path(origin).relative_to(folder)), qualname
            values = names.values(asked[NAMES.index(name)], at)
            assert Other.UNKNOWN in values or key in _keys(values), (file, name, key)


def _keys(values: frozenset[object]) -> set[tuple[str, str]]:
    return {value.key for value in values if isinstance(value, Scope)}


DEEP = {
    "second names": "".join(f"f{n + 1} = f{n}\n" for n in range(1100)),
    "attributes": f"x = f0{'.a' * 800}\n",
    "calls": f"x = f0{'()' * 800}\n",
    "terms": f"x = {' + '.join(['f0(0)'] * 800)}\n",
    "conditions": f"x = {'f0 if f0 else ' * 150}f0\n",
    "annotations": f"def g(x: {' | '.join(['C'] * 800)}): return x.f0()\n",
    "texts": f"def g(x: '{' | '.join(['C'] * 800)}'): return x.f0()\n",
    "bases": "class C: pass\n" + "".join(f"class C{n}({'C' if n == 0 else f'C{n - 1}'}): pass\n"
                                          for n in range(800)),
}  # fmt: skip


@pytest.mark.parametrize("kind", DEEP)
def test_no_depth_of_a_source_ends_the_search(kind: str) -> None:
    source = (
        f"def f0(n):\n    return n and f0(n - 1)\n{DEEP[kind]}def pick_move(rack):\n    f0(3)\n"
    )
    trees = {"bot.py": ast.parse(source)}
    assert find_search(trees, "bot.py", "pick_move", []).functions == {("bot.py", "f0")}
    names = Names(trees)
    for scope in names.scopes:
        for node in ast.walk(scope.node):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
                names.values(node, scope)


def test_a_name_that_no_module_of_a_ring_binds_is_looked_up_once() -> None:
    ring = {"a": "b", "b": "c", "c": "a"}
    trees = {f"{at}.py": ast.parse(f"from {to} import *\n") for at, to in ring.items()}
    trees["a.py"].body += ast.parse("def f(n): return len(n) and nobody(n) and f(n)").body
    assert find_search(trees, "a.py", "f", []).functions == {("a.py", "f")}
