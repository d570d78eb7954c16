"""A class with copies whose origin is known: independent solutions and disguised copies of them.

`python tests/similar/plants.py` measures how many `arena similar` finds, beside plain copydetect.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import calendar
import configparser
import difflib
import fractions
import inspect
import io
import json
import keyword
import optparse
import pprint
import random
import statistics
import subprocess
import sys
import tokenize
from collections.abc import Callable, Collection
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

ORIGINALS = Path(__file__).parent / "originals"
ENTRY = "pick_move"
LIBRARY = (argparse, calendar, configparser, difflib, fractions, optparse, pprint, statistics)
STRANGE = [
    node
    for module in LIBRARY
    for node in ast.walk(ast.parse(inspect.getsource(module)))
    if isinstance(node, ast.FunctionDef)
]


def renamed(source: str) -> str:
    """Give every name that the source defines another, and keep all else."""
    tree = ast.parse(source)
    own = {ENTRY, *vars(builtins), *keyword.kwlist}
    bound: dict[str, str] = {}
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        names = []
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                names = [name]
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names = [name]
        for name in names:
            if name not in own | imported and not name.startswith("__"):
                bound.setdefault(name, f"thing_{len(bound)}")
    words = tokenize.generate_tokens(io.StringIO(source).readline)
    return tokenize.untokenize(
        (word.type, bound.get(word.string, word.string) if word.type == tokenize.NAME else word[1])
        for word in words
    )


def reordered(source: str) -> str:
    """Reverse the order of functions and of methods."""
    tree = ast.parse(source)

    def reverse(body: list[ast.stmt]) -> list[ast.stmt]:
        places = [n for n, node in enumerate(body) if isinstance(node, ast.FunctionDef)]
        moved = list(body)
        for place, other in zip(places, reversed(places), strict=True):
            moved[place] = body[other]
        return moved

    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.body = reverse(node.body)
    tree.body = reverse(tree.body)
    return ast.unparse(tree)


def commented(source: str) -> str:
    """Replace docstrings and comments, and write one above every third line."""
    lines = ast.unparse(_without_docstrings(ast.parse(source))).splitlines()
    made = []
    for number, line in enumerate(lines):
        if number % 3 == 0:
            indent = line[: len(line) - len(line.lstrip())]
            made.append(f"{indent}# step {number}: this is how my idea works\n")
        made.append(line)
    return "\n".join(made)


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        match getattr(node, "body", None):
            case [ast.Expr(ast.Constant(str())), *rest]:
                node.body = rest or [ast.Pass()]  # type: ignore[attr-defined]
    return tree


def partly_rewritten(source: str) -> str:
    """Replace functions by others until a third of the text is new."""
    tree, others = ast.parse(source), iter(random.Random(source).sample(STRANGE, 100))
    todo = len(source) / 3
    holders = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    for holder in holders:
        for place, node in enumerate(holder.body):
            if isinstance(node, ast.FunctionDef) and node.name != ENTRY and todo > 0:
                todo -= len(ast.unparse(node))
                holder.body[place] = next(others)
    return ast.unparse(tree)


def thirds_rewritten(source: str) -> str:
    """Replace every third statement, everywhere."""
    tree, number = ast.parse(source), 0
    functions = random.Random(source).sample(STRANGE, 100)
    others = (node for made in functions for node in made.body if not isinstance(node, ast.Expr))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list) or isinstance(node, ast.ClassDef):
            continue
        for place, each in enumerate(body):
            if not isinstance(each, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
                number += 1
                if number % 3 == 0:
                    body[place] = next(others)
    return ast.unparse(tree)


def deeper(source: str) -> str:
    """Change every number above 3: depths, budgets, weights."""
    words = tokenize.generate_tokens(io.StringIO(source).readline)

    def other(word: tokenize.TokenInfo) -> str:
        is_large = word.type == tokenize.NUMBER and word.string.isdigit() and int(word.string) > 3
        return str(int(word.string) + 1) if is_large else word.string

    return tokenize.untokenize((word.type, other(word)) for word in words)


def disguised(source: str) -> str:
    return deeper(renamed(commented(reordered(source))))


DISGUISES: dict[str, Callable[[str], str]] = {
    "renamed": renamed,
    "reordered": reordered,
    "comments changed": commented,
    "a third rewritten": partly_rewritten,
    "every third statement rewritten": thirds_rewritten,
    "other depth and weights": deeper,
    "all but rewritten": disguised,
}
FILED = ("notebook", "split into files", "merged into one file")


def notebook(source: str) -> str:
    """Return a notebook whose cells are the source's top-level statements."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# My homework"},
        *(
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "execution_count": 1,
                "source": ast.unparse(node),
            }
            for node in ast.parse(source).body
        ),
    ]
    metadata = {"language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4})


def write_class(folder: Path, origins: Collection[str] = ()) -> dict[str, tuple[str, str]]:
    """Write a class of submissions; return (origin, disguise) of each, "" for an original.

    `origins` are the originals to use, all if empty.

    Each original has a copy in every disguise. One more copy is a notebook, one has two files, and
    one puts the files of the last together.
    """
    known: dict[str, tuple[str, str]] = {}

    def hand_in(origin: str, disguise: str, files: dict[str, str]) -> None:
        name = f"s{len(known):03}"
        known[name] = origin, disguise
        (folder / name).mkdir(parents=True)
        for file, text in files.items():
            (folder / name / file).write_text(text, "utf-8")

    for path in sorted(ORIGINALS.glob("*.py")):
        if origins and path.stem not in origins:
            continue
        source = path.read_text("utf-8")
        hand_in(path.stem, "", {"bot.py": source})
        for disguise, change in DISGUISES.items():
            hand_in(path.stem, disguise, {"bot.py": change(source)})
        hand_in(path.stem, "notebook", {"homework.ipynb": notebook(renamed(source))})
        body = ast.parse(source).body
        half = len(body) // 2
        parts = [ast.unparse(ast.Module(each, [])) for each in (body[:half], body[half:])]
        files = {"rules.py": parts[0], "bot.py": f"from rules import *\n{parts[1]}"}
        hand_in(path.stem, "split into files", files)
        hand_in(path.stem, "merged into one file", {"all.py": "\n".join(reversed(parts))})
    return known


Shares = dict[frozenset[str], float]


def found_by_arena(folder: Path) -> Shares:
    """Return the shares of all pairs that `arena similar` lists, however small."""
    command = [sys.executable, "-m", "arena", "similar", "class", "--least", "0.05", "--json"]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=True)
    return {
        frozenset((row["one"], row["other"])): max(row["share_of_one"], row["share_of_other"])
        for row in json.loads(done.stdout)
    }


def found_by_copydetect(folder: Path) -> Shares:
    """Return the shares that copydetect finds with its defaults, the best of any two files."""
    from copydetect import CopyDetector

    kinds = ["py", "ipynb"]
    found = CopyDetector(test_dirs=[str(folder)], extensions=kinds, silent=True, autoopen=False)
    found.run()
    names = [Path(file).parent.name for file in found.test_files]
    shares: Shares = {}
    for place, one in enumerate(names):
        for other_place, other in enumerate(names):
            share = found.similarity_matrix[place, other_place].max()
            pair = frozenset((one, other))
            shares[pair] = max(shares.get(pair, 0), share)
    return {pair: share for pair, share in shares.items() if len(pair) == 2}


def measure() -> None:
    """Print precision and recall of both, and which disguises each sees through."""
    with TemporaryDirectory() as here:
        folder = Path(here) / "class"
        known = write_class(folder)
        both = {
            "arena similar": (0.3, found_by_arena(folder)),
            "copydetect": (0.33, found_by_copydetect(folder)),
        }
    copied = {
        frozenset(pair) for pair in combinations(known, 2) if known[pair[0]][0] == known[pair[1]][0]
    }
    originals = {origin: name for name, (origin, disguise) in known.items() if not disguise}
    print(f"{len(known)} submissions, {len(copied)} pairs of one origin")
    for tool, (usual, shares) in both.items():
        for least in sorted({usual, 0.2, 0.3, 0.4, 0.5, 0.6}):
            found = {pair for pair, share in shares.items() if share >= least}
            right = len(found & copied)
            print(
                f"{tool}, {least:.0%}{' (usual)' * (least == usual)}: {len(found)} pairs, "
                f"precision {right / max(1, len(found)):.3f}, recall {right / len(copied):.3f}"
            )
        other = max((share for pair, share in shares.items() if pair not in copied), default=0.0)
        print(f"{tool}: most alike of independent origins {other:.0%}")
        for disguise in (*DISGUISES, *FILED):
            own = [
                shares.get(frozenset((originals[origin], name)), 0.0)
                for name, (origin, how) in known.items()
                if how == disguise
            ]
            seen = sum(share >= usual for share in own)
            print(f"  {disguise}: {seen} of {len(own)}, shares {min(own):.0%} to {max(own):.0%}")


if __name__ == "__main__":
    measure()
