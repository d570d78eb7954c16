"""The scopes of a bot's source and the names bound in them, resolved as in Python."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from arena.source.classes import FUNCTIONS

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, *COMPREHENSIONS)
FunctionKey = tuple[str, str]  # (file, qualified name) of a function or class.


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    file: str
    qualname: str
    """The qualified name, as in Python; empty for a module."""

    node: ast.AST
    around: Scope | None

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]

    @property
    def key(self) -> FunctionKey:
        return self.file, self.qualname

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, FUNCTIONS)

    @property
    def owner(self) -> Scope | None:
        return self.around if self.around is not None and self.around.is_class else None


def scopes_of(file: str, tree: ast.Module) -> list[Scope]:
    """Return every scope of a file: the module first, outer scopes before inner ones."""
    found = [Scope(file, "", tree, None)]
    for scope in found:  # the list grows
        inside = f"{scope.qualname}.<locals>." if isinstance(scope.node, FUNCTIONS) else ""
        inside = f"{scope.qualname}." if scope.is_class else inside
        for node in own_nodes(scope.node):
            if isinstance(node, SCOPES):
                name = getattr(node, "name", f"<{type(node).__name__.lower()}>")
                found.append(Scope(file, inside + name, node, scope))
    return found


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield a scope's nodes in source order, without those inside inner scopes."""
    body = getattr(scope, "body", None)
    children = body if isinstance(body, list) else ast.iter_child_nodes(scope)
    pending = list(children)[::-1]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, SCOPES):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def parameters_of(takes: ast.arguments) -> list[ast.arg]:
    stars = [star for star in (takes.vararg, takes.kwarg) if star is not None]
    return [*takes.posonlyargs, *takes.args, *takes.kwonlyargs, *stars]


def names_bound(node: ast.AST) -> Iterator[str]:
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


Node = TypeVar("Node", bound=Hashable)


def closure(start: Iterable[Node], step: Callable[[Node], Iterable[Node]]) -> list[Node]:
    """Return everything that repeated `step`s reach from `start`, `start` first."""
    found = dict.fromkeys(start)
    pending = deque(found)
    while pending:
        for node in step(pending.popleft()):
            if node not in found:
                found[node] = None
                pending.append(node)
    return list(found)


def binds(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds, if any; `*` for a star import."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.alias(name=name, asname=alias):
            yield alias or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
