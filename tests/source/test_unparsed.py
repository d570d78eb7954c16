"""One true sentence about a source that cannot be parsed."""

from __future__ import annotations

import codecs
import warnings

import pytest

from arena.common.errors import UnreadableError
from arena.source.trees import MAX_SOURCE, parse

MOVE = "def pick_move(rack):\n    return 0\n"


def why(source: str | bytes) -> str:
    data = source.encode() if isinstance(source, str) else source
    with pytest.raises(UnreadableError) as error:
        parse(data, "bot.py")
    assert "\n" not in str(error.value)
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
    "": "bot.py is empty",
    "x = 'ä": "SyntaxError: unterminated string literal",
    "(" * 5000: "SyntaxError: too many nested parentheses",
    "x = " + "-" * 300_000 + "1": "bot.py is nested too deeply to be parsed",
    "a" + ".b" * 200_000: "bot.py is nested too deeply to be parsed",
    "#" * (MAX_SOURCE + 1): "bot.py is 1.0 MB long, more than a source may be",
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


@pytest.mark.parametrize(
    "line", ['"\\"' * 50_000, "print(" * 40_000, "`" * 100_000, ":" * 100_000, ") " * 70_000]
)
def test_a_source_made_to_be_slow_to_search_is_not(line: str) -> None:
    assert why(f"x = (\n{line}")  # a search that is not linear would take minutes


def test_an_empty_file_that_makes_a_package_is_in_order() -> None:
    assert parse(b"", "players/__init__.py").body == []
