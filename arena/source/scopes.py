"""The scopes of a bot's source and the names bound in them, resolved as in Python."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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


ADDING = frozenset(("append", "add", "insert", "appendleft"))  # Methods that add to a container.


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


def assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, str]]:
    """Yield (target, value, how) for assignments and additions, see `values._Stored`."""
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
    match node:
        case ast.Constant(None) | ast.List([]) | ast.Tuple([]) | ast.Dict([]):
            return True
        case ast.Call(ast.Name("list" | "set" | "dict" | "deque"), []):
            return True
    return False


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


@dataclass(frozen=True, slots=True)
class NameScope:
    """A scope with a replacement text for each name bound in it."""

    names: Mapping[str, bytes] = field(default_factory=dict)
    """The texts by name. Empty for a class, whose names inner scopes do not see."""

    around: NameScope | None = None
    depth: int = 0

    of_class: frozenset[str] = frozenset()
    """Names bound in a class body; they keep their own text."""

    def within(self, node: ast.AST) -> NameScope:
        is_class = isinstance(node, ast.ClassDef)
        bound, of_class = ([], bound_names(node)) if is_class else (bound_names(node), [])
        names = {name: b"#%d.%d" % (self.depth, number) for number, name in enumerate(bound)}
        own = () if isinstance(node, COMPREHENSIONS) else own_nodes(node)
        module = self
        while module.depth > 1 and module.around is not None:
            module = module.around
        for each in own:
            if isinstance(each, ast.Global):
                names |= {name: module.names.get(name, name.encode()) for name in each.names}
        return NameScope(names, self, self.depth + 1, frozenset(of_class))

    def written(self, name: str) -> bytes:
        """Return the replacement of a name; the name itself if no scope binds it."""
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.around
        return name.encode()


def bound_names(scope: ast.AST) -> list[str]:
    """Return the names bound in a scope, each once, in source order."""
    bound: dict[str, None] = {}
    elsewhere: set[str] = set()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        bound |= {each.arg: None for each in parameters_of(scope.args)}
    nodes = list(own_nodes(scope))
    if isinstance(scope, COMPREHENSIONS):  # `:=` in it binds outside
        walrus = {node.target for node in ast.walk(scope) if isinstance(node, ast.NamedExpr)}
        nodes = [node for node in nodes if node not in walrus]
    else:
        nodes += _bound_within(nodes)
    for node in nodes:
        bound |= dict.fromkeys(binds(node))
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
    return [name for name in bound if name not in elsewhere]


def _bound_within(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Return the targets of `:=` that stand in inner scopes but bind in the outer one."""
    found: list[ast.AST] = []
    pending = [node for node in nodes if isinstance(node, SCOPES)]
    while pending:
        node = pending.pop(0)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                inside = [*node.decorator_list, node.args, *filter(None, [node.returns])]
            case ast.Lambda():
                inside = [node.args]
            case ast.ClassDef():
                inside = [*node.decorator_list, *node.bases, *node.keywords]
            case _:
                inside = list(ast.iter_child_nodes(node))
        for part in inside:
            own = [part, *own_nodes(part)] if not isinstance(part, SCOPES) else [part]
            found += [each.target for each in own if isinstance(each, ast.NamedExpr)]
            pending += [each for each in own if isinstance(each, SCOPES)]
    return found


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
