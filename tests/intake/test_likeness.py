"""The likeness of bots: the same for copies in disguise, another for what can play otherwise."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import pytest

from arena.common.names import house_folder
from arena.intake.files import NO_FILES, folder_files
from arena.intake.likeness import likeness


def alike(source: str, other: str, entry: str = "pick_move") -> bool:
    trees = (ast.parse(text) for text in (source, other))
    first, second = (likeness("b.py", {"b.py": tree}, NO_FILES, entry) for tree in trees)
    return first == second


BOT = '''
import random
from math import inf

DEPTH, WIDTH = 4, 6

def minimax(rack, depth):
    """Search to a depth."""
    best = max((minimax(after, depth - 1) for after in moves(rack)), default=0)
    return best if depth else len(rack)

def alphabeta(rack, depth, alpha=-inf):
    for after in moves(rack):
        alpha = max(alpha, alphabeta(after, depth - 1))
    return alpha

def moves(rack):
    return [c for c in range(len(rack)) if rack[c][-1] == 0]

class Player:
    LEVELS = 3

    def __init__(self, number, depth=4):
        self.number, self.depth = number, depth

    def weak(self, rack):
        return random.choice(moves(rack))

    def strong(self, rack):
        width = self.depth
        return minimax(rack, width)

    def pick_move(self, rack):
        return self.strong(rack)
'''

DISGUISED = [
    BOT.replace("return best", "# the best\n    return best"),
    BOT.replace('"""Search to a depth."""', '"""All mine."""'),
    BOT.replace("minimax", "my_search"),
    BOT.replace("moves", "free").replace("rack", "board"),
    BOT.replace("DEPTH, WIDTH", "LEVEL, COLUMNS"),
    BOT.replace("alpha = max(alpha,", "a = max(a,").replace("alpha=-inf", "a=-inf").replace(
        "return alpha", "return a"
    ),
    BOT.replace("width", "how_deep"),
    BOT.replace("strong", "good").replace("weak", "bad"),
    BOT.replace("self.", "this.").replace("(self", "(this"),
    BOT.replace("self.number, self.depth = number, depth", "self.me, self.far = number, depth")
    .replace("width = self.depth", "width = self.far"),
    BOT.replace("def minimax(rack, depth)", "def minimax(rack: list, depth: int) -> int"),
    BOT.replace("import inf", "import inf as infinity").replace("-inf", "-infinity"),
    BOT.replace("class Player", "class AI"),
]  # fmt: skip


@pytest.mark.parametrize("copy", DISGUISED)
def test_a_copy_in_disguise_is_alike(copy: str) -> None:
    assert copy != BOT
    entry = "AI" if "class AI" in copy else "Player"
    (one,) = {likeness("b.py", {"b.py": ast.parse(BOT)}, NO_FILES, "Player")}
    assert likeness("x.py", {"x.py": ast.parse(copy)}, NO_FILES, entry) == one


OTHERS = [
    # another of two functions is called
    BOT.replace("return minimax(rack, width)", "return alphabeta(rack, width)"),
    BOT.replace("return self.strong(rack)", "return self.weak(rack)"),
    # another of two names is used
    BOT.replace("width = self.depth", "width = self.number"),
    BOT.replace("width = self.depth", "width = DEPTH"),
    BOT.replace("width = self.depth", "width = DEPTH").replace("width = DEPTH", "width = WIDTH"),
    BOT.replace("alphabeta(after, depth - 1)", "alphabeta(rack, depth - 1)"),
    BOT.replace("range(len(rack)) if rack[c]", "range(len(rack)) if rack[0]"),
    # names are swapped: what is found by its name is another thing
    BOT.replace("pick_move", "x").replace("def weak", "def pick_move").replace("def x", "def weak"),
    BOT.replace("random.choice", "random.sample"),
    BOT.replace("max(alpha", "min(alpha"),
    BOT.replace("depth=4", "depth=5"),
]


DEPENDS = "DEPTH = 4\nWIDTH = 5\ndef pick_move(rack):\n    return "


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *((BOT, other) for other in OTHERS),
        # two names of a scope around
        (DEPENDS + "DEPTH", DEPENDS + "WIDTH"),
        (DEPENDS + "(lambda: DEPTH)()", DEPENDS + "(lambda: WIDTH)()"),
        (DEPENDS + "[DEPTH for _ in rack]", DEPENDS + "[WIDTH for _ in rack]"),
        # a name of its own hides another's in one of them
        (DEPENDS + "[DEPTH for DEPTH in rack]", DEPENDS + "[DEPTH for WIDTH in rack]"),
        ("x = 1\ndef f(a, b=2): return x", "x = 1\ndef f(x, b=2): return x"),
        ("def f(a, b): return g(a=1)", "def f(b, a): return g(a=1)"),
        # a default is evaluated outside
        ("x = y = 1\ndef f(a=x): y = 2", "x = y = 1\ndef f(a=y): y = 2"),
        # what a program can look up by a name
        ("a = 1\nb = 2\nx = globals()['a']", "b = 1\na = 2\nx = globals()['a']"),
        ("class P:\n def a(s): 1\n def b(s): 2\nx = getattr(P(), 'a')",)
        + ("class P:\n def b(s): 1\n def a(s): 2\nx = getattr(P(), 'a')",),
        ("class P(B):\n def a(s): 1\n def b(s): 2", "class P(B):\n def b(s): 1\n def a(s): 2"),
        ("def f(): 'one'\nx = f.__doc__", "def f(): 'two'\nx = f.__doc__"),
        (
            "class P:\n def a(s): s.b = 1\ndef f(p): p.b",
            "class P:\n def a(s): s.c = 1\ndef f(p): p.b",
        ),
        ("match x:\n case P(a=1): pass", "match x:\n case P(b=1): pass"),
        ("def f():\n global a\n a = 1\na = b = 0", "def f():\n global b\n b = 1\na = b = 0"),
        ("import a, b\na.f()", "import a, b\nb.f()"),
        ("from m import a, b\na()", "from m import a, b\nb()"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = (yield)", "x = (await y)"),
        # `:=` in a comprehension binds outside of it
        ("def f(r):\n [b := 1 for _ in r]\n return g()\ndef g(): 1",)
        + ("def f(r):\n [g := 1 for _ in r]\n return g()\ndef g(): 1",),
        ("[b := 1 for _ in r]\ng = 2\ng()", "[g := 1 for _ in r]\ng = 2\ng()"),
        # `global` is the module's, also where a function around has the name
        ("a = 1\ndef f():\n b = 2\n def g():\n  global b\n  b = 3",)
        + ("a = 1\ndef f():\n a = 2\n def g():\n  global a\n  a = 3",),
        # the body of a class sees the module's names, though they may be attributes elsewhere
        ("def a(): 1\ndef b(): 2\nclass P:\n def f(s): s.a = 1\nclass Q:\n x = a()",)
        + ("def a(): 1\ndef b(): 2\nclass P:\n def f(s): s.b = 1\nclass Q:\n x = b()",),
        # a class reads the module's name before it binds its own
        ("D = 4\nclass P:\n D = D\n def f(s): s.D", "L = 4\nclass P:\n D = D\n def f(s): s.D"),
        ("D = 4\nclass P:\n D = D\n def f(s): s.D", "D = 4\nclass P:\n L = D\n def f(s): s.L"),
        # a builtin function, or a name of a star import, that a parameter hides elsewhere
        ("def f(max): 1\ndef g(): return max(1, 2)", "def f(m): 1\ndef g(): return m(1, 2)"),
        ("from r import *\ndef f(N): 1\ndef g(): N", "from r import *\ndef f(M): 1\ndef g(): M"),
        # decorators read annotations
        ("@register\ndef f(a: int): 1", "@register\ndef f(a: list): 1"),
        # names are looked up without a call in sight
        ("a = 1\nb = 2\nx = map(eval, 'ab')", "b = 1\na = 2\nx = map(eval, 'ab')"),
        (
            "from inspect import getsource\ndef f(): 1\ngetsource(f)",
            "from inspect import getsource\ndef g(): 1\ngetsource(g)",
        ),
    ],
)
def test_names_are_resolved_as_python_does(one: str, other: str) -> None:
    assert not alike(one, other, "Player")
    assert alike(one, f"# mine\n{one}\n", "Player")


FILES = {
    "bot.py": "from helper import good\ndef pick_move(rack): return good(rack)",
    "helper.py": "def good(rack): return 1\ndef bad(rack): return 2",
}
SWAPPED = "def bad(rack): return 1\ndef good(rack): return 2"


def of(files: dict[str, str], folder: Path) -> str:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    trees = {name: ast.parse(text) for name, text in files.items() if name.endswith(".py")}
    return likeness("bot.py", trees, folder_files(folder), "pick_move")


@pytest.mark.parametrize("path", sorted(house_folder().glob("*.py")), ids=lambda path: path.name)
def test_every_variable_of_a_demo_bot_can_be_renamed(path: Path) -> None:
    nodes = list(ast.walk(tree := ast.parse(path.read_text())))
    kept = {*dir(builtins), "__all__"}
    kept |= {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
    in_classes = {
        inner for node in nodes if isinstance(node, ast.ClassDef) for part in node.body
        if not isinstance(part, ast.FunctionDef) for inner in ast.walk(part)
    }  # fmt: skip
    variables = [node for node in nodes if isinstance(node, ast.Name)]
    kept |= {node.id for node in variables if node in in_classes}
    names = {node.id for node in variables if isinstance(node.ctx, ast.Store)} - kept
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names:
            node.id = f"renamed_{node.id}"
        elif isinstance(node, ast.arg) and node.arg in names:
            node.arg = f"renamed_{node.arg}"
    assert names
    assert alike(path.read_text(), ast.unparse(tree), "?")


NOTES = (
    *("me: (wins := len)", "me: print(1)", "me: [wins := len]", "me: int[wins := len]"),
    *("me: list[print()]", "me: table[1]", "me: 1", "me: 'a' | 'b'", "me: int | 'b'"),
    *("me=(wins := len)", "me, *rest: (wins := len)", "me, *, k: (wins := len) = 1"),
)
VICTIM = """
def wins(rack, c, p): return c == p

def choose(rack, me): return [c for c in rack if wins(rack, c, me)]

def pick_move(rack): return choose(rack, 1)
"""


@pytest.mark.parametrize("note", [f"{note})" for note in NOTES] + ["me) -> (wins := len)"])
def test_annotations_that_python_runs_count(note: str) -> None:
    assert not alike(VICTIM, VICTIM.replace("choose(rack, me)", f"choose(rack, {note}"))


@pytest.mark.parametrize("note", ["int", "list[int]", "int | None", "dict[str, tuple[int, int]]"])
def test_annotations_by_builtin_types_do_not_count(note: str) -> None:
    copy = VICTIM.replace("rack, me):", f"rack, me: {note}) -> {note}:")
    assert alike(VICTIM, copy)
    name = "dict" if "dict" in note else "list" if "list" in note else "int"
    assert not alike(VICTIM + f"{name} = 1", copy + f"{name} = 1")


GOOD, BAD = "def good(rack): return 1", "def good(rack): return 2"
READS = {"bot.py": "w = open('weights.csv').read()\ndef pick_move(rack): return int(w)"}
LOOKS_UP = {"bot.py": "import helper\ndef pick_move(rack): return getattr(helper, 'good')(rack)"}
HIDDEN = ("helper/__init__.py", "helper.so", "random.py", "helper.pyc")
# two bots' files, and whether they are alike
FOLDERS: list[tuple[dict[str, str], dict[str, str], bool]] = [
    (FILES, {**FILES, "helper.py": f"# mine\n{FILES['helper.py']}"}, True),
    (FILES, {**FILES, "helper.py": SWAPPED}, False),
    (READS | {"weights.csv": "1"}, READS | {"weights.csv": "1", "notes.txt": "hello"}, True),
    (READS | {"weights.csv": "1"}, READS | {"weights.csv": "2"}, False),
    (FILES | LOOKS_UP, FILES | LOOKS_UP | {"helper.py": SWAPPED}, False),
    (
        {**FILES, "helper.py": GOOD, "helper/__init__.py": BAD},
        {**FILES, "helper.py": BAD, "helper/__init__.py": GOOD},
        False,
    ),
    *((FILES, {**FILES, hidden: "def good(rack): return 6"}, False) for hidden in HIDDEN),
]


@pytest.mark.parametrize(("one", "other", "same"), FOLDERS)
def test_files_that_a_bot_imports_or_reads_count(
    one: dict[str, str], other: dict[str, str], same: bool, tmp_path: Path
) -> None:
    assert (of(one, tmp_path / "one") == of(other, tmp_path / "other")) is same
