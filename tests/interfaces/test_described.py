"""Interfaces that are descriptions: what they can say, and how wrong ones are refused."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from arena.common.errors import NoMoveError, SettingError, UnsuitableError
from arena.intake.submission import read_submission
from arena.interfaces import BY_NAME, INTERFACES, Overrides, Setup, find_entry, with_own
from arena.interfaces.described import Described
from arena.interfaces.description_reader import description
from arena.rules import Ruleset

PLAYED = (0, 0, 2)
"""Columns on a board of two rows and three columns."""


LETTERS = {"empty": " ", "first": "X", "second": "O"}
ALL_FREE = [1, 2, False, True, True]
DIVMOD = {"call": "builtins.divmod", "arguments": [7, "columns"]}


def adapted(source: str, seat: int = 0, *, played: Any = PLAYED, **table: Any) -> Any:
    """Return the adapter of the bot in a source, after some columns."""
    described = Described("mine", json.dumps({"entry": {"function": "play"}} | table))
    module = ModuleType("bot")
    sys.modules["bot"] = module
    namespace = vars(module)
    exec(dedent(source), namespace)
    name = described.find(ast.parse(dedent(source)))
    assert name is not None
    rules = Ruleset(2, 3, 2)
    own = lambda: {"http": ast.Module([], []), "builtins": ast.Module([], [])}  # noqa: E731
    adapter: Any = described.adapt(
        namespace[name],
        Setup(rules=rules, player=seat, nodes=9, options={}, move_seconds=4, sources=own),
    )
    for ply, column in enumerate(played):
        adapter.see(ply % 2, column)
    return adapter


def shown(seat: int = 0, **board: Any) -> Any:
    """Return the position as a bot gets it."""
    value = adapted("def play(board): return board", seat, board=board).pick()
    return value.tolist() if hasattr(value, "tolist") else value


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ({}, [[2, 0, 0], [1, 0, 1]]),
        ({"top": False}, [[1, 0, 1], [2, 0, 0]]),
        ({"by_columns": True}, [[2, 1], [0, 0], [0, 1]]),
        ({"by_columns": True, "top": False}, [[1, 2], [0, 0], [1, 0]]),
        ({"dtype": "float32", "second": -1}, [[-1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]),
        (
            {"form": "lists", "empty": " ", "first": "X", "second": "O"},
            [["O", " ", " "], ["X", " ", "X"]],
        ),
        ({"form": "tuples", "own": 7, "other": 8}, ((8, 0, 0), (7, 0, 7))),
        ({"form": "flat"}, [2, 0, 0, 1, 0, 1]),
        ({"form": "text", "separator": "/"}, "200/101"),
        ({"form": "text", "separator": "/", "cell_separator": ","}, "2,0,0/1,0,1"),
        ({"form": "stacks"}, [[1, 2], [], [1]]),
        ({"form": "stacks", "dtype": "str", "first": "X", "second": "O"}, ["XO", "", "X"]),
        ({"form": "cells", "taken": True}, {(0, 0): 2, (1, 0): 1, (1, 2): 1}),
        (
            {"form": "cells", "by_columns": True, "top": False, "base": 1},
            {(1, 1): 1, (1, 2): 2, (2, 1): 0, (2, 2): 0, (3, 1): 1, (3, 2): 0},
        ),
        ({"form": "planes-first"}, [[[0, 0, 0], [1, 0, 1]], [[1, 0, 0], [0, 0, 0]]]),
        ({"form": "planes", "dtype": "list"}, [[[0, 1], [0, 0], [0, 0]], [[1, 0], [0, 0], [1, 0]]]),
        ({"form": "lists", "empty": {"none": True}}, [[2, None, None], [1, None, 1]]),
        ({"form": "planes"}, [[[0, 1], [0, 0], [0, 0]], [[1, 0], [0, 0], [1, 0]]]),
    ],
)
def test_a_position_has_the_form_that_is_described(board: dict[str, Any], expected: Any) -> None:
    assert shown(**board) == expected


def test_own_discs_are_those_of_the_bot_on_either_side() -> None:
    assert shown(1, own=7, other=8) == [[7, 0, 0], [8, 0, 8]]
    assert shown(1, form="planes") == [[[1, 0], [0, 0], [0, 0]], [[0, 1], [0, 0], [0, 1]]]


@pytest.mark.parametrize(
    ("source", "move", "column"),
    [
        ("def play(board): return 1", {}, 1),
        ("def play(board): return 2", {"base": 1}, 1),
        ("def play(last): return last", {"arguments": "column", "base": 1}, 0),
        ("def play(moves): return sum(moves)", {"arguments": "moves"}, 2),
        ("def play(free, mask): return free + mask", {"arguments": ["legal", "mask"]}, ALL_FREE),
        ("def play(size): return size", {"arguments": [{"tuple": ["rows", "columns"]}]}, (2, 3)),
        ("def play(board): return {'move': [1]}", {"answer": ["move", 0]}, 1),
        ("def play(board): return ['x', (1,)]", {"answer": [1, 0]}, 1),
        ("class A:\n    col = 1\ndef play(board): return A()", {"answer": "col"}, 1),
        ("def play(board): return 'column 2, I think'", {"text": True, "base": 1}, 1),
        ("def play(out): out[0] = 1", {"arguments": "list", "answer_in": "list", "answer": 0}, 1),
        ("def play(board):\n    board[0][2] = 1\n    return board", {"new_board": True}, 2),
        ("def play(r, c): return r, c", {"arguments": ["rows", "columns"]}, (2, 3)),
        ("def play(k): return k", {"arguments": "connect"}, 2),
        ("def play(board): return 'B2'", {"letters": True}, 1),
        ("def play(board): return [0.1, 0.7, 0.2]", {"scores": True, "base": 1}, 1),
        ("def play(board): return {1: -2, 3: -1}", {"scores": True, "base": 1}, 2),
        ("def play(board, n=[]):\n    n.append(1)\n    return len(n) - 1 or None",
         {"ask_again": True}, 1),
        ("def play(tell): tell(2)", {"arguments": "callback"}, 2),
        ("def play(text): return text", {"arguments": {"text_of": "moves"}, "base": 0}, "002"),
        ("def play(h, n, c): return h, n, c", {"arguments": ["heights", "ply", "own_column"]},
         ([2, 0, 1], 3, 2)),
        ("def play(free): return free",
         {"arguments": {"each_legal": {"tuple": ["column", "row"]}}}, [(1, 1), (2, 0)]),
        ("def play(o): return o['me'], o.size",
         {"arguments": {"dict": {"me": "side", "size": "cells"}}}, (1, 6)),
        ("def play(mask): return str(mask.dtype), mask.tolist()",
         {"arguments": {"array_of": "mask", "dtype": "int8"}}, ("int8", [0, 1, 1])),
        ("async def play(board): return 1", {}, 1),
        ("def play(board): board[0, 2] = 1", {"answer_in": "board"}, 2),
        ("def play(board, k=0, *, x=0): return k", {"optional": ["connect", "rows"]}, 2),
        ("def play(): return board", {"arguments": [], "set": {"board": "ply"}}, 3),
        ("def play(board): return 2", {"answer": [0]}, 2),
        ("import numpy\ndef play(board): return numpy.int64(2)", {"answer": [0]}, 2),
        ("class A:\n    def f(x): return x\ndef f(): return 1\ndef play(x): return x",
         {"arguments": {"call": ".A.f", "arguments": [{"call": ".f"}]}}, 1),
        ("def play(s, n): return s, n", {"arguments": ["seconds", "nodes"]}, (4, 9)),
        ("def play(last, row): return last, row", {"arguments": ["column", "row"]}, (0, 0)),
        ("def play(me, other): return me, other", {"arguments": ["side", "opponent"]}, (1, 2)),
        ("def play(b, *, depth, k=3): return depth + k", {"named": {"depth": 4, "no": 1}}, 7),
        ("play = lambda b, word: word", {"arguments": ["board", {"text": "side"}]}, "side"),
        ("def play(x): return x.value", {"arguments": [{"name": "http.HTTPStatus.OK"}]}, 200),
        ("def play(x): return x", {"arguments": [DIVMOD]}, (2, 1)),
    ],
)  # fmt: skip
def test_a_move_is_called_and_answered_as_described(source: str, move: Any, column: Any) -> None:
    assert adapted(source, move=move).pick() == column


def test_before_the_opponents_first_disc_there_is_no_tuple_of_it() -> None:
    last = {"tuple": ["row", "column"]}
    bot = adapted("def play(b, c): return b, c", move={"arguments": [last, "column"]}, played=())
    assert bot.pick() == (None, None)


DROPS = """
    class Board:
        def __init__(self):
            self.dropped = []
        def drop(self, who, column):
            self.dropped.append((who, column))

    class Bot:
        def __init__(self, board):
            self.board = board
        def go(self):
            self.board.drop(1, 1)
            return self.board.dropped
"""


@pytest.mark.parametrize(
    ("make", "shown"),
    [({}, {"kept": True}), ({"anew": True}, {})],
)
def test_a_bot_may_drop_its_disc_on_the_object_itself(make: Any, shown: Any) -> None:
    bot = adapted(
        DROPS,
        entry={"class": "Bot", "method": "go"},
        make={"arguments": ["object"]} | make,
        object={"type": ".Board", "play": "drop", "play_arguments": ["side", "column"]} | shown,
        move={"arguments": [], "answer_in": "play"},
    )
    assert bot.pick() == 1
    for player, column in ((0, 1), (1, 1), (0, 2)):
        bot.see(player, column)
    board = bot._bot.board
    bot.pick()
    seen = [(1, 0), (2, 0), (1, 2), (1, 1), (2, 1), (1, 2), (1, 1)]
    assert board.dropped == seen if shown else board.dropped[:3] == seen[:3]


def test_roles_in_the_arguments_of_a_dropped_disc_are_those_of_the_disc() -> None:
    source = """
        class Drop:
            def __init__(self, column, *, who):
                self.column, self.who = column, who

        class Board:
            def __init__(self):
                self.drops = []
            def push(self, drop, place):
                self.drops.append((drop.column, drop.who, place))

        def play(board):
            board.push(Drop(1, who=1), (0, 0))
            return board.drops
    """
    drop = {"call": ".Drop", "arguments": ["column"], "named": {"who": "side"}}
    place = {"tuple": ["row", {"text_of": "column"}]}
    shown = {"type": ".Board", "play": "push", "play_arguments": [drop, place]}
    move = {"arguments": ["object"]}
    seen = [(0, 1, (1, "0")), (0, 2, (0, "0")), (2, 1, (1, "2")), (1, 1, (0, 0))]
    assert adapted(source, object=shown, move=move).pick() == seen
    told = {"answer_in": "play", "answer": "column"}
    assert adapted(source, object=shown, move=move | told).pick() == 1
    alone = adapted(source, object=shown, move=move, played=(0,))  # no disc of the opponent's
    assert alone.pick() == [(0, 1, (1, "0")), (1, 1, (0, 0))]


def test_an_answer_can_be_a_global_name_of_the_bots_file() -> None:
    source = "def play(board):\n    global choice\n    choice = 1"
    assert adapted(source, move={"answer_in": "choice"}).pick() == 1


def test_a_method_that_is_to_be_told_of_discs_must_exist() -> None:
    with pytest.raises(UnsuitableError, match="has no oponent, which its interface calls"):
        adapted("def play(board): return 1", move={"tell": {"oponent": ["column"]}})


KID = "class Kid:\n    def go(self, board, turn): return 1\nBOT = Kid()\nf = lambda: 1\n"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"class": "Kid", "method": "go"}, "its Kid.go(self, board, turn) does not fit the keys"),
        ({"class": "Kid", "method": "run"}, "its Kid has no method run"),
        ({"class": "Kid", "method": "go", "base": "Player"}, "its Kid is no subclass of Player"),
        ({"instance": "BOT", "method": "run"}, "its Kid has no method run"),
        ({"function": "f"}, "its f does not fit the keys parameters and arguments"),
        ({"function": "g"}, "it has no g"),
        ({"function": "f", "needs": ["h"]}, "it has no h, which the key needs names"),
        ({"function": "f", "without": ["BOT"]}, "it has BOT, which the key without names"),
    ],
)
def test_what_a_source_lacks_of_an_own_description_is_said_by_its_key(
    entry: Any, said: str
) -> None:
    described = Described("mine", json.dumps({"entry": entry}))
    assert (described.misfit(ast.parse(KID)) or "").startswith(said)


def test_what_a_call_returns_is_no_bot_where_parameters_are_asked_for() -> None:
    source = "def my_agent(board, player): return 1\nbest_agent = contest(my_agent)\n"
    found = find_entry(ast.parse(source))
    assert found is not None and (found.interface, found.name) == ("smu", "my_agent")


def test_a_class_can_be_asked_without_an_instance() -> None:
    source = "class Bot:\n    def go(board): return 1\n"
    assert adapted(source, entry={"class": "Bot", "method": "go", "static": True}).pick() == 1
    source = "class Bot:\n    @staticmethod\n    def go(board): return 2\n"
    assert adapted(source, entry={"class": "Bot", "method": "go"}).pick() == 2


def test_functions_beside_the_move_prepare_a_game() -> None:
    source = """
        def init_agent(rows, columns):
            global size
            size = rows, columns
        def play(board):
            return size, level
    """
    make = {"calls": {"init_agent": ["rows", "columns"]}, "set": {"level": "connect"}}
    assert adapted(source, make=make).pick() == ((2, 3), 2)


def test_discs_that_are_bits_have_the_described_places() -> None:
    form = {"form": "bits", "by_columns": True, "top": False, "gap": 1}
    move = {"arguments": ["own_bits", "opponent_bits", "all_bits"]}
    assert adapted("def play(*bits): return bits", board=form, move=move).pick() == (65, 2, 67)


def test_a_state_is_handed_back_once_it_was_returned() -> None:
    source = "def play(board, state): return len(state or ''), (state or '') + 'x'"
    bot = adapted(source, move={"arguments": ["board", "state"], "answer": 0, "state": 1})
    assert [bot.pick(), bot.pick(), bot.pick()] == [0, 1, 2]


def test_methods_are_told_of_discs() -> None:
    source = """
        class Bot:
            def __init__(self):
                self.seen = []
            def enemy(self, column):
                self.seen.append(column)
            def mine(self, column, side):
                self.seen.append((column, side))
            def go(self):
                return self.seen
    """
    bot = adapted(
        source,
        entry={"class": "Bot", "method": "go"},
        move={
            "arguments": [],
            "tell": {"enemy": ["column"]},
            "tell_own": {"mine": ["column", "side"]},
        },
    )
    assert bot.pick() == [(0, 1), 0, (2, 1)]


def test_an_instance_at_module_level_need_not_be_callable() -> None:
    source = "class Bot:\n    def go(self, board): return 1\nBOT = Bot()\n"
    assert adapted(source, entry={"instance": "BOT", "method": "go"}).pick() == 1


def test_an_instance_is_made_and_prepared_as_described() -> None:
    source = """
        class Bot:
            def __init__(self, name, depth=1):
                self.calls = [name, depth]
            def reset(self, seconds):
                self.calls.append(seconds)
            def go(self, board):
                return [*self.calls, self.player]
    """
    make = {
        "arguments": [{"text": "ann"}],
        "named": {"depth": 3},
        "set": {"player": "side"},
        "calls": {"reset": ["seconds"], "absent": []},
    }
    bot = adapted(source, 1, entry={"class": "Bot", "method": "go"}, make=make)
    assert bot.pick() == ["ann", 3, 4.0, 2]


@pytest.mark.parametrize(
    ("source", "move", "said"),
    [
        ("def play(board): return None", {"answer": 0}, "answered None, which has no [0]"),
        ("def play(board): return -1", {"none": [-1]}, "answered -1, which in its course means"),
        ("def play(board): return 'left'", {"text": True}, "answered a text without a number"),
        (
            "def play(board):\n    board[0][2] = 2\n    return board",
            {"new_board": True},
            "answered a board without a disc of its own in column 2",
        ),
        ("def play(board): return {}", {"new_board": True}, "no board of the size it was given"),
        ("def play(board): return [[board]] * 6", {"new_board": True}, "answered no board of"),
        ("def play(board): return '22'", {"letters": True}, "answered a text without a letter"),
        ("def play(board): return 'x'", {"scores": True}, "not a number for each column"),
        (
            "async def play(board):\n    import types\n"
            "    await types.coroutine(lambda: (yield))()",
            {},
            "awaits something",
        ),
        ("def play(board): return 4", {"base": 1}, "answered 4; its columns are 1 to 3"),
        ("def play(board): return '9' * 5000", {"text": True, "base": 1}, "columns are 1 to 3"),
        ("def play(board): return board", {"new_board": True}, "differs in 0 cells, not in one"),
        (
            "def play(board): return 3",
            {"new_board": True},
            "answered no board of the size it was given",
        ),
    ],
)
def test_an_answer_without_a_move_is_said(source: str, move: Any, said: str) -> None:
    with pytest.raises(NoMoveError, match=said.replace("[", r"\[")):
        adapted(source, move=move).pick()


def test_a_name_that_the_submission_lacks_is_said() -> None:
    with pytest.raises(UnsuitableError, match=r"has no http\.Color, which its interface needs"):
        adapted("def play(x): return x", move={"arguments": [{"name": "http.Color"}]})


def test_no_module_but_the_submissions_and_the_courses_is_used() -> None:
    call = {"call": "os.system", "arguments": [{"text": "true"}]}
    with pytest.raises(UnsuitableError, match=r"has no \.A\.RED, which its interface needs"):
        adapted("class A: pass\ndef play(x): return x", move={"arguments": [{"name": ".A.RED"}]})
    with pytest.raises(UnsuitableError, match="has no module os, but its interface needs"):
        adapted("def play(x): return x", move={"arguments": [call]})


FUNCTION = {"entry": {"function": "play"}}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "entry = nothing: expected a value"),
        ({"entry": {}}, "entry = none of them: expected a function, a class or an instance"),
        (
            {"entry": {"instance": "f", "class": "A", "method": "m"}},
            "entry = class and instance: expected a function",
        ),
        ({"function": "f"}, 'function = "f": expected a key that there is; it belongs in [entry]'),
        ({"entry": {"function": "f", "method": "m"}}, "expected no method of a function"),
        ({"entry": {"class": "A"}}, "expected the method that moves"),
        ({"entry": {"function": "f", "metod": "m"}}, "did you mean method?"),
        ({"entry": {"function": "__import__"}}, "names that begin with __ are Python's own"),
        (FUNCTION | {"board": {"form": "aray"}}, "did you mean array?"),
        (FUNCTION | {"board": {"dtype": "int9"}}, "expected one of int8, int16"),
        (FUNCTION | {"board": {"own": 2}}, "expected both own and other"),
        (FUNCTION | {"board": {"first": 2}}, "empty = 0: expected three different cells"),
        (FUNCTION | {"board": {"first": "R"}}, 'or dtype = "object"'),
        (FUNCTION | {"move": {"arguments": "object"}}, "a table [object], as the role object is"),
        (FUNCTION | {"move": {"arguments": ["bord"]}}, 'or { text = "bord" }'),
        (FUNCTION | {"move": {"arguments": ["board"] * 21}}, "21 entries: expected at most 20"),
        (FUNCTION | {"move": {"answer": "__class__"}}, "answer = \"__class__\": expected a name"),
        (FUNCTION | {"object": {"type": "a.B", "kept": True}}, "expected the method play"),
        (
            FUNCTION | {"make": {"set": {"b": "object"}}, "object": {"type": "a.B", "play": "p"}},
            "else the bot has the empty board",
        ),
        (FUNCTION | {"move": {"arguments": ["own_bits"]}}, 'expected "bits", as a role is'),
        (FUNCTION | {"move": {"answer_in": "play"}}, "expected the method play of [object]"),
        (FUNCTION | {"move": {"answer": [10**9]}}, "answer = 1000000000: expected at most 1000"),
        (FUNCTION | {"board": {"gap": 10**9}}, "gap = 1000000000: expected at most 1000"),
        (FUNCTION | {"board": {"base": 2}}, "base = 2: expected 0 or 1"),
        (FUNCTION | {"board": {"own": {"call": "a.b", "arguments": ["ply"]}, "other": 1}},
         "no role in a value"),
        (FUNCTION | {"board": {"form": "text"}, "move": {"new_board": True}}, "other than text"),
        (FUNCTION | {"move": {"base": 2}}, "base = 2: expected 0 or 1"),
        (FUNCTION | {"object": {"type": "os.__dict__"}}, "begin with __ are Python's own"),
        (FUNCTION | {"make": {"set": {"__class__": 1}}}, "expected a name"),
        (FUNCTION | {"sizes": "1000000000x7"}, "expected rows and columns"),
        (FUNCTION | {"about": "a" * 300}, "expected at most 200 characters"),
        ({"about": "a" * 20_000}, "expected at most 10000 characters in a description"),
        (3, "expected a table of keys"),
    ],
)  # fmt: skip
def test_a_wrong_description_is_refused_in_a_line(table: Any, said: str) -> None:
    with pytest.raises(SettingError) as refused:
        description(table)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("source", "interface"),
    [
        ("def agent_function(env, agent): return 1", "pettingzoo"),
        ("def agent(observation, configuration): return observation.board[0]", "agent"),
        ("def agent(board, player): return 1", "smu"),
        ("def minimax(board, depth, alpha, beta, maximizingPlayer): return 1, 2", "galli"),
        (
            "def minimax(board, depth, alpha, beta, maximizingPlayer): return 1, 2\n"
            "def player(board): return minimax(board, 3, 0, 0, True)[0]",
            "player",
        ),
        ("class AIAgent:\n    def make_move(self, state): return 1", "nus"),
        ("class Any:\n    def act(self, s): return 1", None),
    ],
)
def test_the_more_exact_interface_is_found(source: str, interface: str | None) -> None:
    found = find_entry(ast.parse(source))
    assert (found.interface if found else None) == interface


def test_an_instructors_own_interface_is_found_first() -> None:
    own = json.dumps({"entry": {"function": "pick_move"}, "board": {"form": "flat"}})
    found = find_entry(ast.parse("def pick_move(rack): return 1"), with_own({"mine": own}))
    assert found is not None
    assert (found.interface, found.description) == ("mine", own)


@pytest.mark.parametrize("name", sorted(INTERFACES.keys() - BY_NAME.keys()))
def test_each_described_interface_can_be_read(name: str) -> None:
    described = INTERFACES[name]
    assert isinstance(described, Described)
    assert described.description.about


def test_a_file_that_fits_several_interfaces_says_so(tmp_path: Path) -> None:
    both = "def player(board): return 1\ndef agent(board, player): return 1\n"
    (tmp_path / "both.py").write_text(both)
    found = read_submission(tmp_path / "both.py")
    assert found.entry_point.interface == "player"
    assert "it could also be `agent` of smu: the contest file can say" in found.notes[0]
    chosen = read_submission(tmp_path / "both.py", Overrides(interface="smu"))
    assert (chosen.entry_point.name, chosen.notes) == ("agent", ())


def test_a_course_with_other_rules_is_refused_with_that_reason(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("class MinimaxAgent:\n    def get_move(self, state): return 1\n")
    assert "its course has other rules" in str(read_submission(tmp_path / "b.py").problem)
