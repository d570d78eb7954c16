"""The scopes of a bot's source: what is written in which, and what gives names their meaning."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from arena.interfaces.source_search import FUNCTIONS

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, *COMPREHENSIONS)

Key = tuple[str, str]
"""(file, qualified name) of a function or class."""


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """A module, class, function, lambda or comprehension of the bot: what has names of its own."""

    file: str
    qualname: str
    """As Python has it, but empty for a module."""

    node: ast.AST
    around: Scope | None
    """The scope it is written in; None for a module."""

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def key(self) -> Key:
        return self.file, self.qualname

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, FUNCTIONS)

    @property
    def owner(self) -> Scope | None:
        """The class that a method is defined in."""
        return self.around if self.around is not None and self.around.is_class else None


ADDING = frozenset(("append", "add", "insert", "appendleft"))
"""Methods by which something gets into a container."""


def scopes_of(file: str, tree: ast.Module) -> list[Scope]:
    """Every scope of a file, the module first and others from the outside in."""
    found = [Scope(file, "", tree, None)]
    for scope in found:  # it grows
        inside = f"{scope.qualname}.<locals>." if isinstance(scope.node, FUNCTIONS) else ""
        inside = f"{scope.qualname}." if scope.is_class else inside
        for node in own_nodes(scope.node):
            if isinstance(node, SCOPES):
                name = getattr(node, "name", f"<{type(node).__name__.lower()}>")
                found.append(Scope(file, inside + name, node, scope))
    return found


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope in source order; of the scopes in it only they themselves."""
    body = getattr(scope, "body", None)
    children = body if isinstance(body, list) else ast.iter_child_nodes(scope)
    pending = list(children)[::-1]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, SCOPES):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def parameters_of(takes: ast.arguments) -> list[ast.arg]:
    """Every parameter of a function, those that take all others last."""
    stars = [star for star in (takes.vararg, takes.kwarg) if star is not None]
    return [*takes.posonlyargs, *takes.args, *takes.kwonlyargs, *stars]


def assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, str]]:
    """(target, value, how) of what a statement or a call assigns or adds; see `names._Store`."""
    match node:
        case ast.Assign(targets, value):
            for target in targets:
                if isinstance(target, ast.Subscript):
                    yield target.value, value, "element"
                else:
                    yield target, value, "value"
        case ast.AnnAssign(target, annotation):
            yield target, annotation, "annotation"
        case ast.Call(ast.Attribute(target, name), [*_, value]) if name in ADDING:
            yield target, value, "element"


def names_bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement or expression gives a meaning, without what lies in it."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name.split(".")[0] for alias in names)
        case ast.Global(names):
            yield from names
        case ast.Assign(targets=targets):
            for target in targets:
                yield from names_in(target)
        case ast.AnnAssign(target) | ast.AugAssign(target) | ast.For(target):
            yield from names_in(target)
        case ast.NamedExpr(target):
            yield target.id
        case ast.withitem(optional_vars=target) if target is not None:
            yield from names_in(target)


def names_in(target: ast.AST) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def is_empty(node: ast.AST) -> bool:
    """Return True if an expression is None or an empty container."""
    match node:
        case ast.Constant(None) | ast.List([]) | ast.Tuple([]) | ast.Dict([]):
            return True
        case ast.Call(ast.Name("list" | "set" | "dict" | "deque"), []):
            return True
    return False


Node = TypeVar("Node", bound=Hashable)


def closure(start: Iterable[Node], step: Callable[[Node], Iterable[Node]]) -> list[Node]:
    """Return all that is reached from a start by steps, itself too, nearer ones before others."""
    found = dict.fromkeys(start)
    pending = deque(found)
    while pending:
        for node in step(pending.popleft()):
            if node not in found:
                found[node] = None
                pending.append(node)
    return list(found)
