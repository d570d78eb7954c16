"""Sources made to overwhelm the search for a bot's search."""

from __future__ import annotations

import ast

import pytest

from arena.host.meter import find_search

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


def test_a_name_that_no_module_of_a_ring_binds_is_looked_up_once() -> None:
    ring = {"a": "b", "b": "c", "c": "a"}
    trees = {f"{at}.py": ast.parse(f"from {to} import *\n") for at, to in ring.items()}
    trees["a.py"].body += ast.parse("def f(n): return len(n) and nobody(n) and f(n)").body
    assert find_search(trees, "a.py", "f", []).functions == {("a.py", "f")}
