"""Functions that probably choose a move, and the interfaces nearest to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from itertools import product

from arena.interfaces import Interfaces
from arena.interfaces.contract import course_modules
from arena.interfaces.described import Described
from arena.interfaces.description import Entry, Move
from arena.source.classes import (
    FUNCTIONS,
    Function,
    asks_a_person,
    is_unfinished,
    last_name,
    own_classes,
    own_methods,
)
from arena.source.trees import imported_names

MAX_PARAMETERS = 20
UNWRITTEN = "not written yet"
SHOWN_NAME = 40  # Characters of a name that are shown.
MOVES = re.compile("move|action|act|play|decide|choose|pick|best|agent|turn|column|think|go|call")
BOARDS = re.compile("board|brd|state|grid|rack|game|env|position|observation|pos|field|matrix|s")
# Beginnings of names of functions beside the one that moves.
OTHER = re.compile(
    "_|test|is_|get_valid|get_next|draw|print|human|main|win|drop|eval|check|score|illegal|no[A-Z_]"
    "|can_|has_|count|reset|update|undo|apply|place|possible|create|init"
)
MIN_SIMILARITY = 0.88  # Least similarity of a misspelt name, from 0 to 1.
IDLE = 4  # Points that a function loses if it chooses no move.
MIN_NEARNESS = 5  # Least points of a near interface, see `_compared`.


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyMove:
    owner: str
    """Its class; empty for a function."""
    name: str
    takes: tuple[str, ...]
    """Its parameters, after `self`."""
    needed: int
    """How many of them have no default."""
    made_with: tuple[str, ...] = ()
    """The parameters of the class's constructor without a default."""
    bases: tuple[str, ...] = ()
    likeliness: int = 0
    lack: str = ""
    """Why it chooses no move: "not written yet" or "asks a person"."""

    @property
    def meant(self) -> int:
        """Points for being meant to choose the move, even if it chooses none."""
        return self.likeliness + IDLE * bool(self.lack)

    @property
    def shape(self) -> str:
        return f"{short(self.name)}({', '.join(map(short, self.takes[: self.needed]))})"

    def __str__(self) -> str:
        of = f" of {short(self.owner)}" if self.owner else ""
        return f"{self.shape}{of}" + (f" ({self.lack})" if self.lack else "")


def short(name: str) -> str:
    return name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}…"


def likely_moves(tree: ast.Module) -> list[LikelyMove]:
    return sorted(_callables(tree), key=lambda each: -each.likeliness)


def _callables(tree: ast.Module) -> Iterator[LikelyMove]:
    functions = {node.name: node for node in tree.body if isinstance(node, FUNCTIONS)}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Lambda(takes, body)):
                functions[name] = ast.FunctionDef(name, takes, [ast.Return(body)], [])
    for node in functions.values():
        yield _likely(node, functions)
    classes = own_classes(tree)
    for owner, kind in classes.items():
        methods = own_methods(classes, owner)
        made = methods["__init__"].args if "__init__" in methods else None
        for name, method in methods.items():
            if not name.startswith("_") or name == "__call__":
                yield _likely(method, methods, kind, made)


def _likely(
    node: Function,
    beside: Mapping[str, Function],
    kind: ast.ClassDef | None = None,
    made: ast.arguments | None = None,
) -> LikelyMove:
    names, needed = _parameters(node.args, kind is not None)
    owner = kind.name if kind else ""
    lack = "asks a person" if asks_a_person(node, beside) else ""
    lack = UNWRITTEN if is_unfinished(node, nothing=[None]) else lack
    made_with, required = _parameters(made, True) if made else ((), 0)
    words = [*node.name.lower().split("_"), *re.findall("[A-Z]?[a-z]+", node.name)]
    score = 2 * any(MOVES.fullmatch(word.lower()) for word in words)
    score += 2 * any(BOARDS.fullmatch(name.lower()) for name in names)
    score += bool(re.search("AI|Agent|Player|Bot|Policy", owner))
    score += bool(re.search("agent|player|bot|policy", node.name.lower()))
    score -= 5 * bool(OTHER.match(node.name))
    score -= 2 * bool(re.search("Human|Random|Interactive|Game|Board", owner))
    return LikelyMove(
        owner=owner,
        name=node.name,
        takes=names,
        needed=needed,
        made_with=made_with[:required],
        bases=tuple(last_name(base) for base in kind.bases) if kind else (),
        likeliness=score - IDLE * bool(lack),
        lack=lack,
    )


def _parameters(takes: ast.arguments, is_method: bool) -> tuple[tuple[str, ...], int]:
    """Return the names of parameters after `self`, and how many have no default."""
    names = [arg.arg for arg in (*takes.posonlyargs, *takes.args)]
    needed = max(0, len(names) - len(takes.defaults) - is_method)
    return tuple(names[is_method:][:MAX_PARAMETERS]), min(needed, MAX_PARAMETERS)


def nearest(trees: Mapping[str, ast.Module], interfaces: Interfaces) -> list[str]:
    """Return at most two interfaces that a source nearly fits, each with what differs."""
    found: dict[str, tuple[int, int, str]] = {}
    for tree in trees.values():
        imported = imported_names(tree)
        for each, kind in product(likely_moves(tree), playable(interfaces)):
            entry = kind.description.entry
            names = [entry.function] if entry.function else [entry.method, entry.class_]
            about = kind.description.about or " of ".join(map(" or ".join, filter(None, names)))
            points, differences = _compared(each, entry, kind.description.move, about)
            points += 3 * (not imported.isdisjoint(course_modules(kind.NAME)))
            said = f"{kind.NAME}, {about}, but {' and '.join(differences)}"
            rank = points, each.likeliness, said
            if differences and not each.lack and points >= MIN_NEARNESS:
                best = found.get(kind.NAME, rank)
                found[kind.NAME] = max(best, rank, key=lambda rank: rank[:2])
    most = max((points for points, _, _ in found.values()), default=0)
    return [said for points, _, said in found.values() if points == most][:2]


def playable(interfaces: Interfaces) -> list[Described]:
    described = [kind for kind in interfaces.values() if isinstance(kind, Described)]
    return [kind for kind in described if not kind.description.refuses]


def _compared(each: LikelyMove, entry: Entry, move: Move, about: str) -> tuple[int, list[str]]:
    """Return points for what a function has of an interface, and what differs."""
    names = entry.method if each.owner else [name for name in entry.function if name != "*"]
    if not names:
        return 0, []
    classes = entry.class_ or ("*",)
    of_course = re.search(r"\((.*?)\)", about)
    wanted = re.findall(r"\w+", of_course[1] if of_course else "")
    points, differences = 0, []
    if each.owner and not any(fnmatchcase(each.owner, name) for name in classes):
        points -= 1
        differences.append(f"its class is {short(each.owner)}")
    elif each.owner in classes:
        points += 1 if "*" in classes else 4
    if each.owner and entry.base:
        is_one = not set(entry.base).isdisjoint(each.bases)
        points += 3 if is_one else -1
        if not is_one:
            differences.append(f"{short(each.owner)} is no subclass of {entry.base[0]}")
    takes = each.takes[: each.needed]
    same = sum(one == other for one, other in zip(each.takes, wanted, strict=False))
    is_named_so = same == len(wanted) and (same > 2 or (same > 1 and each.likeliness > 2))
    points += min(same, 3) + 2 * is_named_so + (not each.needed and not wanted)
    given, most = len(move.arguments), len(move.arguments) + len(move.optional)
    is_fit = given <= len(each.takes) and each.needed <= most
    points += is_fit
    if each.name in names:
        points += 4
    elif not any(fnmatchcase(each.name, name) for name in names):
        points += 4 * any(_is_like(each.name, name) for name in names)
        where = f"its {short(each.owner)}" if each.owner else "it"
        differences.append(f"{where} has {each.shape}")
    elif is_fit:  # the name is one of many
        points += 1
    if not is_fit and f"has {each.shape}" not in " ".join(differences):
        differences.append(f"its {short(each.name)} takes ({', '.join(map(short, takes))})")
    return points, differences


def _is_like(name: str, other: str) -> bool:
    one, two = (each.replace("_", "").lower()[:SHOWN_NAME] for each in (name, other))
    return SequenceMatcher(None, one, two).ratio() >= MIN_SIMILARITY
