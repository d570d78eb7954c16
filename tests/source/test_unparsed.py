"""The one sentence about a source that cannot be parsed, or that has no bot."""

from __future__ import annotations

import codecs
import warnings

import pytest

from arena.common.errors import UnreadableError
from arena.intake.hints import no_bot
from arena.source.trees import parse

WANTED = ("pick_move", "next_move", "make_move", "player", "agent")
MOVE = "def pick_move(rack):\n    return 0\n"


def why(source: str | bytes) -> str:
    data = source.encode() if isinstance(source, str) else source
    with pytest.raises(UnreadableError) as error:
        parse(data, "bot.py")
    return str(error.value)


PYTHON_2 = {
    'x = 1\nprint "hello"': "print statement, line 2",
    "if x: print x": "print statement, line 1",
    'x = """\nprint a\n"""\n# print b\nprint x': "print statement, line 5",
    "try:\n  pass\nexcept ValueError, e:\n  print e": "`except X, e`, line 3",
    "try:\n  pass\nexcept (IOError, OSError), e:\n  print e": "`except X, e`, line 3",
    'raise ValueError, "no"': "`raise E, x`, line 1",
    'exec "x = 1"': "exec statement, line 1",
    "x = `y`": "backticks, line 1",
    "if x <> y: pass": "`<>`, line 1",
    "x = 10L": "a number with an L, line 1",
    'x = ur"a"': "a text with ur before it, line 1",
    "if x:\n\tprint x\n        print y": "print statement, line 2",
}


@pytest.mark.parametrize("source", PYTHON_2, ids=range(len(PYTHON_2)))
def test_python_2_is_said_with_what_shows_it(source: str) -> None:
    said = why(source)
    assert said.startswith(f"bot.py is written for Python 2 ({PYTHON_2[source]}); ")
    assert "bots run under Python 3, where it is" in said


NOT_PYTHON_2 = {
    'x = f"{y}"\nprint "hello"': "SyntaxError: Missing parentheses in call to 'print'",
    'print("x", end="")\nprint "hello"': "SyntaxError: Missing parentheses in call to 'print'",
    'x = "print y"\n# `a` <> 10L\nx = (': "SyntaxError: '(' was never closed (bot.py, line 3)",
    "try:\n  pass\nexcept ValueError, TypeError:\n  pass\n(": "SyntaxError: ",
    "x = 0777": "SyntaxError: leading zeros",
}


@pytest.mark.parametrize("source", NOT_PYTHON_2, ids=range(len(NOT_PYTHON_2)))
def test_a_slip_in_python_3_is_not_called_python_2(source: str) -> None:
    assert why(source).startswith(NOT_PYTHON_2[source])


OTHERS: dict[str | bytes, str] = {
    b"\xef\xbb\xbf\n": "bot.py is empty",
    b"%PDF-1.4\n\xe4\n": "bot.py is a PDF document, not a Python source",
    b"{\\rtf1\\ansi\n def}": "bot.py is a rich-text document (RTF), not a Python source",
    b"PK\x03\x04\0\0": "bot.py is a zip archive or an Office document, not a Python source",
    "\n<!DOCTYPE html>\n<html>": "bot.py is a web page: download the file itself",
    b"\xa7\r\r\n\0\0\0\0": "bot.py is compiled Python: hand in the source it was made from",
    MOVE.encode("utf-16"): "bot.py is saved as UTF-16, which Python does not read",
    MOVE.encode("utf-16-le"): "bot.py is saved as UTF-16, which Python does not read",
    "a\nb = '\0'": "bot.py holds null bytes (the first in line 2)",
    b"\n\nx = 'f\xfcr'": "bot.py is not UTF-8 text (byte 0xfc in line 3): save it as UTF-8, or",
    b"# coding: ascii\nx = '\xfc'": "bot.py is not ascii text, as it says it is (byte 0xfc in line",
    b"# coding: klingon\n": "bot.py names an encoding that Python does not know: 'klingon'",
    b"# coding: rot13\n": "bot.py names an encoding that Python does not know: 'rot13'",
    codecs.BOM_UTF8 + b"# coding: latin-1\n": "bot.py says that it is latin-1 text and is UTF-8",
    "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> main": "bot.py has a merge conflict that nobody "
    "resolved (line 1)",
    f"Sure!\n```python\n{MOVE}```\n": "bot.py has Markdown around its code (``` in line 2)",
    "if x:\n\treturn 1\n        return 2": "TabError: bot.py indents with tabs and with spaces "
    "(line 3): indent every line with spaces alone",
    "\nx = “a”": "bot.py has a typographic quote “ in line 2: Python wants ' or \"",
    "x =\u00a01": "bot.py has an invisible character (U+00A0) in line 1",
    "x = 3 × 4": "SyntaxError: invalid character '×' (U+00D7) (bot.py, line 1)",
    "import numpy\n%matplotlib inline": "bot.py has a notebook's command in line 2 (%matplotlib",
    "public class Bot {\n  int move() {\n    return 0;\n  }\n}": "bot.py is written in Java",
    "#include <stdio.h>\nint main() {\n  return 0;\n}\n": "bot.py is written in C or C++",
    "function move(b) {\n  return 0;\n}": "bot.py is written in JavaScript",
    "if x:\nreturn": "IndentationError: expected an indented block after 'if' statement on line 1 "
    "(bot.py, line 2)",
}


@pytest.mark.parametrize("source", OTHERS, ids=range(len(OTHERS)))
def test_what_a_file_is_instead_of_python_is_said(source: str | bytes) -> None:
    assert why(source).startswith(OTHERS[source])


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + MOVE.encode(),
        b"# -*- coding: latin-1 -*-\nname = 'f\xfcr'\n" + MOVE.encode(),
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n" + MOVE.encode(),
        MOVE.replace("\n", "\r\n").encode(),
        MOVE.replace("\n", "\r").encode(),
        MOVE.replace("    ", "\t").encode() + b"\x0c\n# \x1a\n",
    ],
)
def test_what_python_reads_is_read(data: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(data, "bot.py").body


NEAR = {
    "def pickMove(rack): pass": "its pickMove must be renamed to pick_move (bot.py, line 1)",
    "class A:\n def Pick_Move(self, rack): pass": "its Pick_Move must be renamed to pick_move",
    "class A:\n  def __init__(self):\n    def pick_move(self, rack): pass": "its pick_move is "
    "inside the function __init__; check its indentation (bot.py, line 3)",
    "if __name__ == '__main__':\n  def player(b): pass": "its player is not at the top level",
    "pick_move = lambda rack: 0": "its pick_move is assigned, not defined with def",
    "from team import BestPlayer": "it imports BestPlayer from team, which is not among its files",
    "def best_column(n, board): pass": "it has the function best_column; docs/reference",
    "class P:\n  def get_move(self, board): pass": "it has the class P; docs/reference",
    "class P:\n  def make_move(self, state): return 1": "it has make_move(state) of P; docs",
    "def agent(board, player=1): return board[0]": "it has agent(board, player); docs",
    "class Game:\n  def makeMove(self, column): return 1": "it has the class Game; docs",
    "class P:\n  def nextMove(self, env, move): return 1": "it has the class P; docs",
    "def player(board): return 1\ndef actions(board): pass\ndef result(board, a): pass": "it has a "
    "player beside actions and result, which says whose turn it is; docs/reference/interfaces.md",
}


@pytest.mark.parametrize("source", NEAR)
def test_what_came_nearest_to_a_bot_is_named(source: str) -> None:
    said = no_bot({"bot.py": parse(source.encode(), "bot.py")}, WANTED, ["bot.py"])
    assert said.startswith(
        "no bot in bot.py: no pick_move(rack), next_move(board), make_move(board), player(board) "
        f"or agent(observation, configuration) that picks a move; {NEAR[source]}"
    )


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "player = 1",
        "from bot import Player",
        "def board(x): pass",
        "def test_pick_mov(): pass",
        "def noRoomInColumn(move, board): pass",
        "def get_valid_moves(board): pass",
        "class Game:\n  def play(self, column): pass",
    ],
)
def test_what_is_not_near_is_not_named(source: str) -> None:
    wanted = ("pick_move", "player")
    said = no_bot({"a.py": parse(source.encode(), "a.py")}, wanted, ["a.py", "bot.py"])
    start = "no bot in a.py: no pick_move(rack) or player(board) that picks a move; "
    assert said.startswith((f"{start}it has the ", f"{start}docs/"))


def test_every_source_of_a_folder_is_searched_for_the_nearest() -> None:
    trees = {f"{n}.py": parse(b"def f(): pass\n" * n, "") for n in range(1, 4)}
    trees["2.py"] = parse(b"def pickmove(): pass", "")
    said = no_bot(trees, WANTED[:1], list(trees))
    assert said.startswith("no bot in its 3 Python files: no pick_move(rack) that")
    assert said.endswith("; its pickmove must be renamed to pick_move (2.py, line 1)")


@pytest.mark.parametrize(
    "line", ['"\\"' * 50_000, "print(" * 40_000, "`" * 100_000, ":" * 100_000, ") " * 70_000]
)
def test_a_source_made_to_be_slow_to_search_is_not(line: str) -> None:
    assert why(f"x = (\n{line}")  # a search that is not linear would take minutes


def test_an_empty_file_that_makes_a_package_is_in_order() -> None:
    assert parse(b"", "players/__init__.py").body == []
