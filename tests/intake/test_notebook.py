"""Notebooks are taken apart as text: what stays is the bot, and nothing of it has run."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Sequence
from textwrap import dedent

import pytest

from arena.common.errors import UnreadableError
from arena.intake.notebook import NotebookBot, extract_bot, is_notebook
from arena.interfaces.contract import COURSES

SETUP = """\
import numpy as np
import matplotlib.pyplot as plt
%matplotlib inline

blank = 0
X = 1
O = 2
N = 8

def getEmptyBoard():
    return np.zeros((N,N)).astype(int)

def printBoard(B):
    print(B)

printBoard(getEmptyBoard())
"""

DROP = """\
def noRoomInColumn(move,board):
    return board[0][move] != blank

def dropPiece(player,move,board):
    board[[r for r in range(N) if board[r][move] == blank][-1]][move] = player
    return board

B = dropPiece(X,3,getEmptyBoard())
player = X
"""

GAME = """\
import time

for k in range(64):
    move = int(input('X move: '))
    board = dropPiece(X, move, board)
    player = O
"""

SEARCH = """\
import sys

maxDepth = 3
countNodes = 0

def eval(board):
    return 0

def minMax(board, player, depth):
    global countNodes
    countNodes += 1
    if depth == maxDepth:
        return (eval(board), None)
    for m in range(8):
        if not noRoomInColumn(m, board):
            return (minMax(board, 3 - player, depth + 1)[0], m)
    return (0, None)

def player(board):
    (_,move) = minMax(board,O,0)
    return move
"""

TESTS = """\
maxDepth = 1
print(minMax(getEmptyBoard(), O, 0))
maxDepth = 2; print(minMax(getEmptyBoard(), O, 0))
"""

COURSE = (SETUP, DROP, GAME, SEARCH, TESTS)

ALONE = """\
# Solution for Problem Three
# Your name: Ada

def player(board):
    return 7 - [int(disc) for disc in board[0]][::-1].index(0)

for k in range(64):
    print(player(getEmptyBoard()))
"""


def notebook(*cells: str | tuple[str, object], **metadata: object) -> bytes:
    """Return a notebook with a text cell and these code cells: the first is cell 2."""
    found: list[dict[str, object]] = [{"cell_type": "markdown", "metadata": {}, "source": "# HW"}]
    for cell in cells:
        code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        found.append({**code, "source": cell})
    whole = {"cells": found, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(whole).encode()


def take(*cells: str) -> NotebookBot:
    return extract_bot(notebook(*map(dedent, cells)), "HW04.ipynb")


def run(taken: NotebookBot) -> dict[str, object]:
    namespace: dict[str, object] = {}
    sys.path.insert(0, str(COURSES / "player"))
    try:
        exec(compile(taken.source, "HW04.ipynb", "exec", dont_inherit=True), namespace)
    finally:
        del sys.path[0]
    return namespace


def player_of(taken: NotebookBot) -> object:
    import numpy

    found = run(taken)["player"]
    return found(numpy.zeros((8, 8)).astype(int))  # type: ignore[operator]


HEAD = "# Solution for Problem Three\n"
OWN = "the notebook's own definitions"
CELL_7 = "the contest cell (cell 7)"

TAKEN: dict[str, tuple[Sequence[str], str, object]] = {
    "a contest cell that is complete": ([*COURSE, ALONE], CELL_7, 7),
    "a contest cell that needs what the course gives": (
        [
            *COURSE,
            """\
            #solution  for problem 3
            def player(board):
                return [m for m in range(N) if not noRoomInColumn(m, board)][-1]
            """,
        ],
        f"{CELL_7} after the course's definitions",
        7,
    ),
    "a contest cell that needs the notebook": (
        [*COURSE, f"{HEAD}def player(board):\n    return minMax(board, O, 0)[1]\n"],
        f"{CELL_7} after {OWN}",
        0,
    ),
    "no contest cell": (COURSE, OWN, 0),
    "an empty contest cell": ([*COURSE, f"{HEAD}# Your name:\n"], OWN, 0),
    "a player that a test rebinds": ([*COURSE, "player = 1\nplayer, other = 1, 2\n"], OWN, 0),
    "cells that must not run": (
        ["raise SystemExit", "import antigravity_of_this_test", ALONE],
        "the contest cell (cell 4)",
        7,
    ),
    "imported names and a future import": (
        [
            "from __future__ import annotations\nfrom math import floor\n"
            "def player(board: Unknown): return floor(2.5)\n"
        ],
        f"{OWN}; `Unknown` is defined nowhere",
        2,
    ),
    "what only a later cell defines": (
        [f"{HEAD}def player(board):\n    return best(board)\n", "def best(board):\n    return 4\n"],
        f"the contest cell (cell 2) after {OWN}, also those that follow it",
        4,
    ),
    "a builtin that the notebook redefines": (
        [*COURSE, f"{HEAD}def player(board):\n    return eval(board)\n"],
        f"{CELL_7} after {OWN}",
        0,
    ),
    "a name that nothing defines": (
        [f"{HEAD}def player(board):\n    return foo(board) if board is None else 1\n"],
        "the contest cell (cell 2); `foo` is defined nowhere",
        1,
    ),
    "definitions in a try or an if": (
        [
            """\
            try:
                from no_such_module import njit
            except ImportError:
                print("no numba")
                def njit(function):
                    return function
            if True:
                depth = 3
            else:
                depth = 4
            @njit
            def player(board):
                return depth
            """
        ],
        OWN,
        3,
    ),
    "names that are local to a function": (
        [
            """\
            class Board:
                def top(self, col):
                    row = [r for r in range(8) if self.free(r, col)]
                    return (lambda board: board + col)(row)
            def top(board, col):
                global best
                best = max(range(8), key=lambda row: board[row][col])
                def inner():
                    return col, best
                return inner()[0]
            def player(board):
                return top(board, 3) and Board is not None
            """
        ],
        OWN,
        True,
    ),
    "a star import of the standard library": (
        ["from math import *\ndef player(board):\n    return floor(inf > pi)\n"],
        OWN,
        1,
    ),
    "a name that is read at once and defined again later": (
        [
            "class Base:\n    level = 1\n",
            "class Mine(Base):\n    pass\n",
            "class Base:\n    level = 2\n",
            "def player(board):\n    return Mine.level, Base.level\n",
        ],
        OWN,
        (1, 2),
    ),
    "what IPython alone reads": (
        [
            "%%time\n!pip install x\nfiles = !ls\nplayer?\nword = ('%d'\n % 5)\n"
            "def player(board):\n    %timeit 3\n    return int(word)\n",
            "%%bash\nrm -rf 'home\n",
            "%%writefile bot.py\ndef unused(): pass\n",
        ],
        OWN,
        5,
    ),
    "a long heading": (
        ["#solution" + " " * 100_000 + "$\nx = 1\n", "def player(board):\n    return 7\n"],
        OWN,
        7,
    ),
    "constants that are computed and tables that are filled": (
        [
            """\
            import sys
            OWIN = sys.maxsize
            XWIN = -OWIN
            R2L = list(range(8))[::-1]
            def make(n):
                return [n] * n
            TABLE = make(3)
            lines = []
            for r in range(2):
                for c in range(2):
                    if r != c:
                        lines.append((r, c))
            unused = 1 / 0
            def player(board):
                return XWIN, R2L, TABLE, lines
            """
        ],
        OWN,
        (-(2**63 - 1), list(range(7, -1, -1)), [3] * 3, [(0, 1), (1, 0)]),
    ),
    "of the modules that a line imports only the needed ones": (
        [
            "import sys, no_such_module, os.path as p; import gone\n"
            "from gone import thing\n"
            "def player(board):\n    return sys.maxsize > 0 and p.sep\n"
            "def draw():\n    return gone.draw(thing)\n"
        ],
        OWN,
        "/",
    ),
    "any depth that Python takes": (
        [
            "if 0: y = 0\n" + "".join(f"elif {n}: y = {n}\n" for n in range(900)),
            "f = " + "lambda: " * 60 + "1",
            "def f(x: " + " | ".join(["int"] * 900) + "): return x",
            "def player(board):\n    return 0\n",
        ],
        OWN,
        0,
    ),
    "a long line of spaces": (
        [" " * 100_000 + "$", "def player(board):\n    return 7\n"],
        f"{OWN}; not cell 2, which does not parse (SyntaxError: invalid syntax, cell 2, line 1)",
        7,
    ),
}


@pytest.mark.parametrize(("cells", "how", "value"), TAKEN.values(), ids=TAKEN)
def test_a_notebooks_bot_has_all_it_needs(cells: Sequence[str], how: str, value: object) -> None:
    taken = take(*cells)
    assert taken.how == how
    assert player_of(taken) == value
    assert "matplotlib" not in taken.source  # nothing kept uses it, and it may not be installed


CONTEST = f"# Solution for Problem Three\n{SEARCH}"
CONSTANTS = {
    "in a test's cell": (COURSE, 3),
    "outside the contest cell": ([*COURSE, CONTEST.replace("maxDepth = 3\n", "")], 3),
    "in the contest cell": (
        [*COURSE, CONTEST.replace("maxDepth = 3", "maxDepth = 5"), "maxDepth = 9\n"], 5
    ),
    "in a test at the end of the contest cell": (
        [SETUP, f"# Solution for Problem Three\n{DROP}{SEARCH}{TESTS}"], 3
    ),
    "in cells before and after": (
        ["maxDepth = 1\n", "maxDepth = 4\n", "def player(board):\n    return maxDepth\n"]
        + ["maxDepth = 1\nprint(player(None))\n"], 4
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cells", "value"), CONSTANTS.values(), ids=CONSTANTS)
def test_a_constant_is_the_last_before_the_search(cells: Sequence[str], value: int) -> None:
    assert run(take(*cells))["maxDepth"] == value


def contest(text: str) -> NotebookBot:
    """Return the bot in a notebook with only this contest cell."""
    return take("# Solution for Problem Three\nimport numpy as np\n" + dedent(text))


AS_IT_STANDS = {
    "an instance that is prepared": """\
        class Bot:
            def prepare(self):
                self.column = 7
        bot = Bot()
        bot.prepare()
        def player(board):
            return bot.column
        """,
    "a function under another's name": """\
        def eval(board):
            return 0
        def evalSmart(board):
            return 7
        eval = evalSmart
        def player(board):
            return eval(board)
        """,
    "a player that is wrapped": """\
        def player(board):
            return 99
        def safe(function):
            return lambda board: min(function(board), 7)
        player = safe(player)
        """,
    "a constant that is assigned again": """\
        maxDepth = 0
        def player(board):
            return maxDepth
        maxDepth = 7
        """,
    "attributes of functions and classes": """\
        class Cfg:
            pass
        Cfg.last = 6
        def minMax(board):
            minMax.count += 1
            return minMax(board) if minMax.count < 0 else minMax.count
        minMax.count = int()
        def player(board):
            return minMax(board) + Cfg.last
        """,
    "a lambda that prints": """\
        DEBUG = False
        debug = lambda *a: print(*a) if DEBUG else None
        def player(board):
            debug("searching")
            return 7
        """,
    "a function that is looked up by its name": """\
        def pick_last(board):
            return 7
        def player(board):
            return globals()["pick_" + "last"](board)
        """,
    "a player that is a lambda": "player = lambda board: 7\n",
    "a module that nothing needs": """\
        import no_such_module as plt
        def draw():
            plt.show()
        def player(board):
            return 7
        """,
    "a counter that only the driver's cell resets": """\
        def minMax(board):
            global countNodes2
            countNodes2 += 1
            return 3 if countNodes2 < 10 else 4
        def player(board):
            return minMax(board) if board is None else 7
        """,
    "a constant before the game that ends it": """\
        maxDepth = 0
        def player(board):
            return maxDepth
        maxDepth = 7
        while True:
            player(int(input()))
        """,
    "a table that its search fills, without a result that only a test needs": """\
        def search(depth):
            return search(depth - 1) if depth else 7
        BOOK = [search(depth) for depth in range(3)]
        result = search(3)
        print(result)
        def player(board):
            return BOOK[2] if len(BOOK) == 3 and "result" not in globals() else search(1)
        """,
    "a player that is made of a function": """\
        import functools
        def best(board, column):
            return column
        player = functools.partial(best, column=7)
        """,
}
FILLED = {
    "by a function": "ORDER = []\ndef build():\n    ORDER.append(7)\nbuild()\n",
    "by a function that makes it": "def setup():\n    global ORDER\n    ORDER = [7]\nsetup()\n",
    "by a function in a loop": "ORDER = []\ndef add(c):\n    ORDER.append(c)\n"
    "for c in (7, 6):\n    add(c)\n",
    "by a loop that prints": "ORDER = []\nfor c in (7,):\n    ORDER.append(c)\n    print(c, 1)\n",
    "by a while loop": "ORDER = []\nk = 7\nwhile k > 6:\n    ORDER.append(k)\n    k -= 1\n",
    "in a with": "ORDER = [0]\nwith np.errstate(all='ignore'):\n    ORDER[:] = [7]\n",
    "by a function with an argument": "ORDER = [6, 7]\ndef order_moves(l):\n"
    "    l.sort(reverse=True)\norder_moves(ORDER)\n",
    "by numpy": "ORDER = np.zeros(1, int)\nnp.put(ORDER, [0], [7])\n",
    "in the main program": "if __name__ == '__main__':\n    ORDER = [7]\n",
}
READS_IT = "def player(board):\n    return int(ORDER[0])\n"
AS_IT_STANDS |= {f"a table filled {how}": text + READS_IT for how, text in FILLED.items()}


@pytest.mark.parametrize("text", AS_IT_STANDS.values(), ids=AS_IT_STANDS)
def test_the_contest_cell_plays_as_it_stands(text: str) -> None:
    taken = contest(text)
    assert taken.how == "the contest cell (cell 2)"
    assert player_of(taken) == 7


def test_what_the_contest_cell_goes_without_is_told_if_its_bot_needs_it() -> None:
    taken = contest(
        """\
        ORDER = [7]
        for c in range(8):
            ORDER.append(input())
        name = input("Who? ")
        greeting = "Hello " + name
        print(greeting)
        k = len(ORDER)
        def search(depth):
            return search(depth - 1) if depth else ORDER[0]
        def player(board):
            return search(k)
        for depth in range(20):
            print(search(depth), player(None))
        """
    )
    assert taken.how == (
        "the contest cell (cell 2) without line 4, which sets `ORDER` and asks for input"
    )
    assert player_of(taken) == 7
    assert "greeting" not in taken.source


def test_names_that_other_cells_ask_for_or_read_too_early_are_not_called_undefined() -> None:
    taken = take(
        "level = int(input())\nTABLE = fill(3)\ndef fill(k):\n    return k\n",
        "# Solution for Problem Three\ndef player(board):\n    return TABLE + level\n",
    )
    assert taken.how == (
        "the contest cell (cell 3) after the notebook's own definitions without line 1 of cell 2, "
        "which sets `level` and asks for input; `fill` is read before being defined"
    )


def test_a_value_that_a_test_sets_in_the_contest_cell_is_told() -> None:
    taken = take(SETUP, f"# Solution for Problem Three\n{DROP}{SEARCH}{TESTS}")
    lines = dedent(f"# Solution for Problem Three\n{DROP}{SEARCH}{TESTS}").split("\n")
    first, second = lines.index("maxDepth = 1") + 1, len(lines) - 1
    assert taken.how.endswith(
        f" without line {first}, which sets `maxDepth` and belongs to a test, "
        f"without line {second}, which sets `maxDepth` and belongs to a test"
    )


@pytest.mark.slow
def test_a_notebook_of_very_many_changes_is_taken_apart() -> None:
    changes = "for _ in (): " + "; ".join(f"v{k} += 1" for k in range(6))
    names = " + ".join(f"v{k}" for k in range(6))
    taken = take(f"def player(board):\n    return {names}\n", f"{changes}\n" * 1900)
    assert taken.how.endswith("`v0`, `v1`, `v2` and 3 more are read before being defined")


def test_what_asks_plays_or_prints_is_dropped() -> None:
    taken = take(
        """\
        level = int(input("level? "))
        def ask():
            return int(input("level? "))
        other = ask()
        def player(board):
            return level or other
        first = player([])
        while True:
            player([])
        if __name__ == "__main__":
            print(player([]))
        with open("log") as log:
            level = 3
        """
    )
    assert [type(node) for node in ast.parse(taken.source).body] == [ast.FunctionDef]
    assert taken.how == (
        "the notebook's own definitions without line 1 of cell 2, which sets `level` and asks for "
        "input, without line 4 of cell 2, which sets `other` and asks for input, without line 12 "
        "of cell 2, which sets `level` and does more than that"
    )


def test_lines_keep_their_numbers_within_a_cell() -> None:
    taken = take(SETUP, DROP, SEARCH)
    lines = taken.source.split("\n")
    for number, cell in ((2, SETUP), (3, DROP), (4, SEARCH)):
        start = lines.index(f"# %% HW04.ipynb, cell {number}") + 1
        texts = cell.split("\n")
        kept = {i for i, line in enumerate(texts) if line.startswith(("def ", "O =", "blank ="))}
        kept = {i for i in kept if texts[i] in lines}
        assert kept
        assert all(lines[start + i] == texts[i] for i in kept)


def test_statements_that_share_a_line_are_told_apart() -> None:
    taken = take("a = 1; print(a); b = 2\ndef player(board): return a + b\n")
    assert "a = 1; b = 2\n" in taken.source
    assert player_of(taken) == 3


def test_a_class_in_a_notebook_is_taken_with_all_that_it_needs() -> None:
    taken = take(
        "import math\nclass Base:\n    level = 2\n",
        """\
        class ComputerPlayer(Base):
            def pick_move(self, rack):
                return helper(self.level)
        """,
        "def helper(n):\n    return math.floor(n)\n",
        "bot = ComputerPlayer()\nprint(bot.pick_move(()))\n",
    )
    namespace = run(taken)
    assert namespace["ComputerPlayer"]().pick_move(()) == 2  # type: ignore[operator]
    assert "bot" not in namespace


def test_without_any_bot_the_cell_that_does_not_parse_is_the_reason() -> None:
    with pytest.raises(UnreadableError, match=r"^SyntaxError: .* \(HW04.ipynb, cell 2, line 2\)$"):
        take("x = 1\ndef player(board)\n    return 1\n", "x = 1\n")


def test_sources_may_be_lists_of_lines_and_line_ends_of_any_kind() -> None:
    code = {"cell_type": "code", "metadata": {}, "outputs": []}
    lists = {**code, "source": ["def help():\r\n", "    return 3\r\n"]}
    old = {**code, "source": "\rdef player(board):\r    return help()\r"}
    whole = {"cells": [lists, old], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    taken = extract_bot(b"\xef\xbb\xbf" + json.dumps(whole).encode(), "a.ipynb")
    assert player_of(taken) == 3
    assert "# %% a.ipynb, cell 2\n\ndef player" in taken.source


def test_a_notebook_of_version_3_is_read() -> None:
    cell = {"cell_type": "code", "language": "python", "metadata": {}, "outputs": []}
    cell |= {"collapsed": False, "input": ["def player(board):\n", "    return 6\n"]}
    whole = {"worksheets": [{"cells": [cell], "metadata": {}}], "metadata": {"name": "x"}}
    data = json.dumps(whole | {"nbformat": 3, "nbformat_minor": 0}).encode()
    assert is_notebook(data)
    assert player_of(extract_bot(data, "old.ipynb")) == 6


R_KERNEL = {"name": "ir", "language": "R", "display_name": "R"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "HW04.ipynb is empty"),
        (b'{"cells": [', "HW04.ipynb is an incomplete notebook: broken JSON (line 1)"),
        (b"\xff\xfe{}", "HW04.ipynb is no notebook: it is not UTF-8 text"),
        (b"[1]", "HW04.ipynb cannot be read as a notebook (AttributeError: "),
        (b"{}", "HW04.ipynb cannot be read as a notebook ("),
        (b'{"cells": 3, "nbformat": 4}', "HW04.ipynb cannot be read as a notebook ("),
        (b'{"cells": [3], "nbformat": 4}', "HW04.ipynb cannot be read as a notebook ("),
        (b'{"cells": [], "nbformat": 77}', "HW04.ipynb cannot be read as a notebook ("),
        (b"[" * 100_000, "HW04.ipynb is no notebook: its JSON is nested too deeply"),
        (b"[" + b"0," * 5_000_000, "HW04.ipynb holds more values than a notebook may; clear"),
        (bytes(65 << 20), "HW04.ipynb is 68 MB long; a notebook may be 64 MB"),
        (notebook(), "HW04.ipynb has no code in it"),
        (notebook("", "  \n"), "HW04.ipynb has no code in it"),
        (notebook("x <- 3", kernelspec=R_KERNEL), "HW04.ipynb is a notebook in R, not in Python"),
        (notebook("x = 1", language_info={"name": "julia"}), "HW04.ipynb is a notebook in julia"),
        (notebook(f"x = {'1' * 1_100_000!r}"), "HW04.ipynb has more than 1.0 MB of code"),
        (notebook("x = " + "(" * 5000), "SyntaxError: "),
        (notebook("x = '\ud800'"), "it cannot be parsed: "),
        (notebook("x = 1\n" * 2500), "HW04.ipynb, cell 2 has more than 2000 statements"),
    ],
)
def test_what_cannot_be_taken_apart_is_told_in_one_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        extract_bot(data, "HW04.ipynb")
    assert str(caught.value).startswith(reason)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (notebook("x = 1"), True),
        (b'\n {"metadata": {}, "cells": [{"cell_ty', True),
        (b'{"moves": [1, 2]}', False),
        (b"def player(board):\n    return {'cells': []}\n", False),
        (b"", False),
    ],
)
def test_a_notebook_is_told_by_what_it_holds(data: bytes, expected: bool) -> None:
    assert is_notebook(data) is expected
