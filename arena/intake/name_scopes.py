"""The names of a source as Python resolves them: which is bound in which scope."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from arena.host.scopes import COMPREHENSIONS, SCOPES, own_nodes, parameters_of


@dataclass(frozen=True, slots=True)
class NameScope:
    """A scope, with what is written for the names that are bound in it."""

    names: Mapping[str, bytes] = field(default_factory=dict)
    """Those that scopes within see, too: none of a class, whose names are its attributes."""

    around: NameScope | None = None
    """The scope that it is in."""

    depth: int = 0
    """How many scopes are around it."""

    of_class: frozenset[str] = frozenset()
    """Names bound in the body of a class, if it is one: they are looked up by their text."""

    def within(self, node: ast.AST) -> NameScope:
        """Return the scope of a node in this one."""
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
        """Return what is written for a name as it is known here: itself, if it is not bound."""
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.around
        return name.encode()


def bound_names(scope: ast.AST) -> list[str]:
    """Return the names that are bound in a scope, each once, in the order of the source."""
    bound: dict[str, None] = {}
    elsewhere: set[str] = set()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        bound |= {each.arg: None for each in parameters_of(scope.args)}
    nodes = list(own_nodes(scope))
    if isinstance(scope, COMPREHENSIONS):  # what `:=` binds in it, it binds outside
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
    """Return the targets of `:=` that stand in scopes among these nodes, but are bound outside.

    Those are in comprehensions, and in what Python runs of a definition when it comes to it.
    """
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
    """Yield the names that a node may bind in whatever scope; `*` for a star import."""
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
