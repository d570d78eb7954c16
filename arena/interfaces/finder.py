"""Finds the bots of an interface that is a description."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from arena.interfaces.binding import plain
from arena.interfaces.contract import Profile
from arena.interfaces.description import IN_PLAY, Argument, Description, Move, Role, roles_in
from arena.interfaces.description_reader import description
from arena.rules import Ruleset
from arena.source.classes import (
    asks_a_person,
    is_unfinished,
    last_name,
    note_words,
    own_classes,
    own_methods,
)

UNFIT = "does not fit the keys parameters and arguments"
OWN = 100  # The fit of an instructor's own interface.
UNWRITTEN, ASKS = "is not written yet", "asks a person"  # Why a class does not play by itself.
# Roles whose values come from the discs in their order.
OF_DISCS = frozenset(
    (Role.COLUMN, Role.ROW, Role.OWN_COLUMN, Role.OWN_ROW, Role.MOVES, Role.OBJECT)
)


class Finder:
    PROFILE = Profile.MODULE

    def __init__(self, name: str, source: Path | str, fit: int = 0) -> None:
        """`source` is a shipped TOML file or JSON text; with `fit` 0, the method computes it."""
        self.NAME = name
        self._source, self._fit = source, fit

    def load(self) -> None:
        """Read the description, and compute the properties that every game needs."""
        _ = self.description, self.text, self.follows, self.is_plain, self.is_told, self.named

    @cached_property
    def text(self) -> str:
        if isinstance(self._source, str):
            return self._source
        return json.dumps(tomllib.loads(self._source.read_text("utf-8")), sort_keys=True)

    @cached_property
    def description(self) -> Description:
        return description(json.loads(self.text))

    @property
    def HAS_BUDGET(self) -> bool:  # named like the constant of interfaces that are modules
        return self.description.node_budget

    @property
    def MOVES(self) -> tuple[str, ...]:  # the same
        return self.description.entry.method

    @cached_property
    def follows(self) -> bool:
        """Whether its adapters must remember the discs of a game."""
        move, made = self.description.move, (self.description.make, self.description.object)
        is_told = move.tell or move.tell_own or self.description.explain
        return bool(is_told) or not OF_DISCS.isdisjoint(roles_in(move, *made))

    @cached_property
    def is_plain(self) -> bool:
        """Whether the answer is the column itself, which needs no conversion."""
        move = self.description.move
        is_plain = move == Move(arguments=move.arguments, optional=move.optional)
        is_special = self.description.explain or self.description.make.anew
        return is_plain and not is_special and not self.is_told and Role.LIST not in roles_in(move)

    @cached_property
    def is_told(self) -> bool:
        move = self.description.move
        return move.answer_in == IN_PLAY or Role.CALLBACK in roles_in(move)

    def find(self, tree: ast.Module) -> str | None:
        """Return the best class or instance, else function; among equals the last one."""
        entry, defined = self.description.entry, defined_names(tree)
        if not defined.issuperset(entry.needs):
            return None
        if entry.without and defined.issuperset(entry.without):
            return None
        classes = own_classes(tree)
        return (
            _best(entry.class_, (n for n in classes if self._unfit(classes, n) is None))
            or _best(entry.instance, self._instances(tree, classes))
            or _best(entry.function, self._functions(tree))
        )

    def misfit(self, tree: ast.Module) -> str | None:
        """Return the first reason why a source has no bot; None if it has one."""
        entry, defined, classes = self.description.entry, defined_names(tree), own_classes(tree)
        if self.find(tree):
            return None
        if lacking := set(entry.needs) - defined:
            return f"it has no {', '.join(sorted(lacking))}, which the key needs names"
        if entry.without and defined.issuperset(entry.without):
            return f"it has {', '.join(entry.without)}, which the key without names"
        patterns = entry.class_ + entry.instance + entry.function
        named = [name for name in defined if any(_named_as(name, each) for each in patterns)]
        made = {name: kind for name, kind in _made_of(tree, classes) if name in named}
        for name in sorted(named):
            kind = made.get(name, name)
            if kind in classes and (reason := self._unfit(classes, kind)) is not None:
                return reason
        if named:
            return f"its {min(named)} {UNFIT}"
        return f"it has no {' or '.join(patterns)}"

    def idle(self, tree: ast.Module) -> str | None:
        """Return why the last class that fits otherwise does not play; None if none."""
        classes = own_classes(tree)
        reasons = [self._unfit(classes, name) or "" for name in classes]
        return next((why for why in reversed(reasons) if why.endswith((UNWRITTEN, ASKS))), None)

    def fit(self, tree: ast.Module, name: str) -> int:
        """Return how exactly the description names an entry: more is more exact."""
        entry = self.description.entry
        if self._fit or entry.fallback:
            return self._fit
        fit = OWN if isinstance(self._source, str) else 1
        fit += 3 * (name in (*entry.function, *entry.class_, *entry.instance))
        return fit + bool(entry.base) + bool(entry.method) + 2 * bool(entry.parameters)

    def with_synonyms(self, names: Iterable[str]) -> set[str]:
        """Return plain names of parameters, and those of the same meaning."""
        known = set(map(plain, names))
        return known.union(*(alike for alike, _ in self.named if known.intersection(alike)))

    def fixed_values(self, parameters: Sequence[str]) -> dict[str, object]:
        by_place = dict(zip(parameters, self.description.make.arguments, strict=False))
        by_name = {name: value for names, value in self.named for name in names}
        found = {name: by_place.get(name, by_name.get(plain(name))) for name in parameters}
        kinds = (bool, int, float, str)
        return {name: value for name, value in found.items() if type(value) in kinds}

    @cached_property
    def named(self) -> list[tuple[tuple[str, ...], Argument]]:
        """Arguments of the constructor, each with its names, as `plain` has them."""
        named = self.description.make.named
        return [(tuple(map(plain, names.split("|"))), each) for names, each in named.items()]

    def refuses(self, rules: Ruleset) -> str | None:
        sizes = self.description.sizes
        if sizes and f"{rules.rows}x{rules.columns}" not in sizes:
            return f"bots of {self.NAME} know boards of {', '.join(sizes)} only"
        return None

    def _functions(self, tree: ast.Module) -> Iterator[str]:
        known: dict[str, ast.arguments] = {}
        for node in tree.body:
            match node:
                case ast.FunctionDef(name, takes) | ast.AsyncFunctionDef(name, takes):
                    known[name] = takes
                    if self._takes(takes, 0):
                        yield name
                case ast.Assign([ast.Name(name)], value):
                    if self._is_callable(value, known):
                        yield name

    def _is_callable(self, value: ast.expr, functions: Mapping[str, ast.arguments]) -> bool:
        is_open = not self.description.entry.parameters  # nobody can see those of some values
        match value:
            case ast.Lambda(takes):
                return self._takes(takes, 0)
            case ast.Name(name):
                return name in functions and self._takes(functions[name], 0)
            case ast.Attribute():
                return is_open
            case ast.Call(args=given):
                names = [part.id for part in given if isinstance(part, ast.Name)]
                return is_open and any(name in functions for name in names)
        return False

    def _unfit(self, classes: Mapping[str, ast.ClassDef], name: str) -> str | None:
        entry, methods = self.description.entry, own_methods(classes, name)
        move = next((methods[method] for method in entry.method if method in methods), None)
        bases = {last_name(base) for base in classes[name].bases}
        if move is None:
            return f"its {name} has no method {' or '.join(entry.method)}"
        if entry.base and not any(_named_as(b, p) for b in bases for p in entry.base):
            return f"its {name} is no subclass of {' or '.join(entry.base)}"
        is_static = entry.static or "staticmethod" in map(last_name, move.decorator_list)
        if not self._takes(move.args, 0 if is_static else 1):
            return f"its {name}.{move.name}({ast.unparse(move.args)}) {UNFIT}"
        if entry.finished and is_unfinished(move):
            return f"its {name}.{move.name} {UNWRITTEN}"
        if entry.finished and asks_a_person(move, methods):
            return f"its {name}.{move.name} {ASKS}"
        return None

    def _instances(self, tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
        made = _made_of(tree, classes)
        return (name for name, kind in made if self._unfit(classes, kind) is None)

    def _takes(self, takes: ast.arguments, skipped: int) -> bool:
        """Return whether the move can be called, after `skipped` leading parameters."""
        by_place = [*takes.posonlyargs, *takes.args][skipped:]
        move, wanted = self.description.move, self.description.entry.parameters
        given = len(move.arguments)
        most = given if skipped else given + len(move.optional)
        required = [arg.arg for arg in by_place[: len(by_place) - len(takes.defaults)]][most:]
        required += [
            arg.arg
            for arg, value in zip(takes.kwonlyargs, takes.kw_defaults, strict=True)
            if not value
        ]
        return (
            (len(by_place) >= given or takes.vararg is not None)
            and set(required) <= {name for names in move.named for name in names.split("|")}
            and len(by_place) >= len(wanted)
            and all(map(_parameter_as, by_place, wanted))
        )


def _made_of(tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """Yield the instances of a source's classes at its top level, each with its class."""
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(kind))) if kind in classes:
                yield name, kind


def _best(patterns: Sequence[str], names: Iterator[str]) -> str | None:
    found = list(names) if patterns else []
    for pattern in patterns:
        if fits := [name for name in found if _named_as(name, pattern)]:
            return fits[-1]
    return None


def _named_as(name: str, pattern: str) -> bool:
    return any(fnmatchcase(name, each) for each in pattern.split("|"))


def _parameter_as(parameter: ast.arg, pattern: str) -> bool:
    note = parameter.annotation
    words = {parameter.arg, *(note_words(note) if note is not None else ())}
    return any(_named_as(word, pattern) or _named_as(word.lower(), pattern) for word in words)


def defined_names(tree: ast.Module) -> set[str]:
    named = {getattr(node, "name", "") for node in tree.body}
    assigned = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    assigned += [n.target for n in tree.body if isinstance(n, ast.AnnAssign) and n.value]
    return named | {target.id for target in assigned if isinstance(target, ast.Name)}
