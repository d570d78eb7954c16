"""A first description of an interface, drafted from the source of one of its bots."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence

from arena.common.errors import InputError
from arena.common.text import one_line, quote
from arena.intake.confined import text
from arena.intake.facts import call_on_trees
from arena.intake.likely import BOARDS, likely_moves
from arena.intake.submission import Submission
from arena.interfaces.description import BoardKind

MAX_DRAFT = 10_000  # Characters.

# Likely arguments, by patterns of the parameters' names.
ROLES = (
    (BOARDS, '"board"'),
    (re.compile("saved_?state|memory"), '"state"'),
    (re.compile("opponent|enemy|other"), '"opponent"'),
    (re.compile("player|piece|mark|side|color|colour|turn|token|me|symbol|disc|id"), '"side"'),
    (re.compile("last|prev|move|col|column|action"), '"column"'),
    (re.compile("rows|height|h|n?_?rows"), '"rows"'),
    (re.compile("cols|columns|width|w|n?_?cols"), '"columns"'),
    (re.compile("connect|k|in_?a_?row|n"), '"connect"'),
    (re.compile("time|timeout|seconds|limit|max_?time"), '"seconds"'),
    (re.compile("depth|level|difficulty|plies"), "4"),
    (re.compile("name"), '{ text = "bot" }'),
)


def draft(submission: Submission, name: str) -> str:
    """Return a description as TOML, with a `?` at what was guessed. Raises InputError."""
    keys = text(call_on_trees(submission, drafted_keys), MAX_DRAFT)
    if not keys:
        why = "no function or method that could choose a move"
        if submission.reason and not submission.reason.startswith("no bot in"):
            why = submission.reason
        raise InputError(f"{submission.source}: {why}")
    return f"""\
# Drafted from {one_line(submission.source.name)}; a ? marks what its source does not show.
# Try it: arena check {one_line(quote(str(submission.source)))} --interface {quote(name)}
# The keys: the documentation's page The description of an interface
{keys}"""


def drafted_keys(trees: Mapping[str, ast.Module]) -> str:
    callables = (each for tree in trees.values() for each in likely_moves(tree))
    moves = [each for each in callables if each.needed or each.likeliness > 0]
    if not moves:
        return ""
    found = max(moves, key=lambda each: each.likeliness)
    takes = found.takes[: found.needed]
    about = f"{found.name}({', '.join(takes)})" + (f" of {found.owner}" * bool(found.owner))
    entry = f'class = "{found.owner}"\nmethod = "{found.name}"'
    made = f"[make]\n{_arguments(found.made_with)}\n\n" if found.made_with else ""
    return f"""\
about = {json.dumps(about)}

[entry]
{entry if found.owner else f'function = "{found.name}"'}

{made}[board]  # ? how the position is shown
form = "array"  # ? or {", ".join(kind for kind in BoardKind if kind is not BoardKind.ARRAY)}
top = true  # ? row 0 is the top row
empty = 0  # ?
first = 1  # ? a disc of the player who moves first; or own = …
second = 2  # ? or other = …

[side]  # what the role side is
first = 1  # ?
second = 2  # ?

[move]
{_arguments(takes)}
base = 0  # ? 1 if columns are counted from 1
# answer = [0]  # if the column is the first item of what is returned
"""


def _arguments(parameters: Sequence[str]) -> str:
    words = [_role(name) for name in parameters]
    marked = f"  # ? guessed for {', '.join(parameters)}" if parameters else ""
    return f"arguments = [{', '.join(word or '0' for word in words)}]{marked}"


def _role(parameter: str) -> str | None:
    plain = parameter.strip("_").lower()
    whole = next((word for form, word in ROLES if form.fullmatch(plain)), None)
    parts = [part for part in plain.split("_") if len(part) > 1]
    inside = (word for part in parts for form, word in ROLES if form.fullmatch(part))
    return whole or next(inside, None)
