"""Possible values of the names in a bot's source, found without running it.

Names are looked up as Python does. Attributes are looked up in an object's class, its bases and
subclasses, and in all assignments to the attribute.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import TypeGuard

from arena.source.classes import FUNCTIONS
from arena.source.scopes import (
    COMPREHENSIONS,
    SCOPES,
    Scope,
    assigned,
    closure,
    is_empty,
    names_bound,
    names_in,
    own_nodes,
    parameters_of,
    scopes_of,
)


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of one of the bot's classes or of a subclass."""

    kind: Scope
    above: bool = False
    """True if the class itself is skipped and its bases are searched, as for `super()`."""


class Other(Enum):
    """A value that does not come from the bot's source."""

    FOREIGN = "a value, function, class or module of somebody else's"
    UNKNOWN = "cannot be known"


Value = Scope | Instance | Other  # A scope stands for itself: a function, a class, a module.
Values = frozenset[Value]
_SourcePlace = tuple[int, int]
UNKNOWN: Values = frozenset((Other.UNKNOWN,))
FOREIGN: Values = frozenset((Other.FOREIGN,))
# Functions that return their argument, one of its elements, or all of them.
SAME = frozenset(("copy", "deepcopy"))
ONE_OF = frozenset(("max", "min", "choice"))
AS_MANY = frozenset(("sorted", "reversed", "list", "tuple", "set", "iter", "filter"))

# Lookups nested in each other before a value counts as unknown. Each takes up to eight of Python's
# thousand nested calls.
MAX_DEPTH = 60

LITERALS = (
    *(ast.Constant, ast.JoinedStr, ast.List, ast.Dict, ast.Set, ast.Tuple, ast.Compare),
    *COMPREHENSIONS,
)


class Names:
    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.scopes = [scope for file, tree in trees.items() for scope in scopes_of(file, tree)]
        self._modules = {scope.file: scope for scope in self.scopes if scope.around is None}
        self._by_node = {id(scope.node): scope for scope in self.scopes}
        self._cache: dict[object, Values] = {}
        self._open_lookups: list[object] = []
        self._bindings: dict[Scope, dict[str, list[ast.AST]]] = {}
        self._stores: dict[Scope, dict[str, list[_Stored]]] = {}
        self._annotations: dict[str, ast.expr] = {}
        self._rings: dict[Scope, bool] = {}
        self._imports: dict[Scope, list[Scope]] = {}
        self._subclasses: dict[Scope, list[Scope]] = {}
        for kind in self.scopes:
            for base in self.bases(kind):
                self._subclasses.setdefault(base, []).append(kind)

    def values(self, node: ast.AST, scope: Scope) -> Values:
        """Return the values that an expression in a scope may have."""
        return self._once(("is", id(node), scope), lambda: self._values(node, scope))

    def elements(self, node: ast.AST, scope: Scope) -> Values:
        """Return the values that the elements of an expression's container may have."""
        return self._once(("in", id(node), scope), lambda: self._elements(node, scope))

    def bases(self, kind: Scope) -> list[Scope]:
        """Return the bot's own classes among a class's direct bases."""
        found = kind.node.bases if isinstance(kind.node, ast.ClassDef) else []
        values = [value for base in found for value in self.values(base, kind.around or kind)]
        return [value for value in values if isinstance(value, Scope) and value.is_class]

    def methods(self, instance: Instance, name: str) -> list[Scope]:
        """Return the methods that a call of `name` may reach, also in subclasses."""
        found: list[Scope] = []
        kinds = closure([instance.kind], self.bases)
        for kind in kinds[instance.above :]:
            if method := self._member(kind, name):
                found.append(method)
                break
        if not instance.above:
            below = closure([instance.kind], lambda kind: self._subclasses.get(kind, []))
            found += [method for kind in below[1:] if (method := self._member(kind, name))]
        return found

    def bound(self, name: str, scope: Scope) -> tuple[Scope, list[ast.AST]] | None:
        """Return the scope that binds a name, and the nodes that do; None without any."""
        at: Scope | None = scope
        while at is not None:
            if (at is scope or not at.is_class) and name in self._bound_in(at):
                return at, self._bound_in(at)[name]
            at = at.around
        return None

    def _once(self, key: object, find: Callable[[], Values]) -> Values:
        if key not in self._cache:
            if len(self._open_lookups) == MAX_DEPTH:
                return UNKNOWN
            self._cache[key] = frozenset()  # a cyclic dependency adds no values
            self._open_lookups.append(key)
            self._cache[key] = find()
            self._open_lookups.pop()
        return self._cache[key]

    def _values(self, node: ast.AST, scope: Scope) -> Values:
        match node:
            case ast.Name(name):
                at_load = scope.around is None or scope.is_class
                return self._named(name, scope, _place(node) if at_load else None)
            case ast.Attribute(value, name):
                return _union(self._attribute(v, name) for v in self.values(value, scope))
            case ast.Call():
                return self._called(node, scope)
            case ast.IfExp(_, one, other):
                return self.values(one, scope) | self.values(other, scope)
            case ast.BoolOp(_, parts):
                return _union(self.values(part, scope) for part in parts)
            case ast.NamedExpr(_, value) | ast.Await(value):
                return self.values(value, scope)
            case ast.Subscript(value):
                return self.elements(value, scope)
        return FOREIGN if isinstance(node, LITERALS) else UNKNOWN

    def _named(self, name: str, scope: Scope, before: _SourcePlace | None) -> Values:
        found = self.bound(name, scope)
        if found is None or found[0].around is None:
            return self._global(name, self._modules[scope.file], before)
        at, nodes = found
        if defined := self._defined(nodes):
            return defined
        key = "named", name, at
        return self._once(key, lambda: _union(self._binding(node, name, at) for node in nodes))

    def _global(self, name: str, module: Scope, before: _SourcePlace | None = None) -> Values:
        """Return a global's values: those at the place `before`, else once the module is loaded."""

        def found() -> Values:
            own = [at for at in self._starred(module, name, before) if name in self._bound_in(at)]
            if own:
                return _union(
                    self._bound_globally(name, at, before if at is module else None) for at in own
                )
            return FOREIGN if hasattr(builtins, name) else UNKNOWN

        return self._once(("global", name, module, before), found)

    def _bound_globally(self, name: str, module: Scope, before: _SourcePlace | None) -> Values:
        key = "bound", name, module, before
        if key in self._open_lookups:
            return UNKNOWN  # in a ring of imports: the first module is unknown

        def found() -> Values:
            nodes = self._live(name, module, before)
            defined = self._defined(nodes)
            # `f = njit(f)` keeps f, `f = g` does not
            kept = [node for node in nodes if not defined or _renames(node)]
            return defined | _union(self._binding(node, name, module) for node in kept)

        return self._once(key, found)

    def _defined(self, nodes: Iterable[ast.AST]) -> Values:
        return frozenset(self._by_node[id(node)] for node in nodes if isinstance(node, SCOPES))

    def _live(self, name: str, module: Scope, before: _SourcePlace | None) -> list[ast.AST]:
        """Return the nodes whose binding of a global still holds, star imports included.

        `before` as in `_global`. A later definition replaces earlier ones, except in a ring of
        imports: there another module may have imported the earlier value.
        """
        bound = self._bound_in(module)
        nodes = sorted([*bound.get(name, ()), *bound.get("*", ())], key=_place)
        if before is not None:
            nodes = [node for node in nodes if _place(node) < before]
        elif self._is_in_ring(module):
            return nodes
        body = set(map(id, getattr(module.node, "body", ())))
        sure = [i for i, node in enumerate(nodes) if id(node) in body and _replaces(node)]
        return nodes[sure[-1] :] if sure else nodes

    def _imported(self, name: str, module: Scope) -> Values:
        if ("global", name, module, None) in self._open_lookups:
            return UNKNOWN  # in a ring of imports, as in `_bound_globally`
        return self._global(name, module)

    def _from(self, node: ast.ImportFrom, wanted: str, home: Scope) -> Values:
        sources = self._files(node.module or "", home, node.level)
        found = [self._imported(wanted, source) for source in sources]
        known = [values for values in found if values not in (UNKNOWN, FOREIGN)]
        if known:
            return _union(known)
        inner = f"{node.module}.{wanted}" if node.module else wanted
        modules = self._files(inner, home, node.level)
        return frozenset(modules) or (UNKNOWN if UNKNOWN in found else FOREIGN)

    def _whole(self, alias: ast.alias, home: Scope) -> Values:
        name = alias.name if alias.asname else alias.name.split(".")[0]
        if modules := self._files(name, home):
            return frozenset(modules)
        folders = {part for file in self._modules for part in PurePath(file).parts[:-1]}
        return UNKNOWN if name.split(".")[0] in folders else FOREIGN

    def _binding(self, node: ast.AST, name: str, scope: Scope) -> Values:
        match node:
            case ast.arg():
                return self._parameter(node, scope)
            case ast.Import(names):
                bound = (a for a in names if name == (a.asname or a.name.split(".")[0]))
                return _union(self._whole(alias, self._modules[scope.file]) for alias in bound)
            case ast.ImportFrom(names=names):
                bound = (a for a in names if name == (a.asname or a.name))
                home = self._modules[scope.file]
                return _union(self._from(node, alias.name, home) for alias in bound)
            case ast.Global():
                return self._global(name, self._modules[scope.file])
            case ast.Assign([ast.Name()], value) | ast.NamedExpr(_, value):
                return frozenset() if is_empty(value) else self.values(value, scope)
            case ast.AnnAssign(annotation=annotation):
                return self._annotated(annotation, scope)
            case ast.For(target, inside) | ast.comprehension(target, inside):
                is_own = isinstance(node, ast.comprehension) and scope.around is not None
                return self._looped(target, inside, name, scope.around if is_own else scope)
        return UNKNOWN

    def _looped(self, target: ast.AST, inside: ast.expr, name: str, scope: Scope | None) -> Values:
        assert scope is not None
        match target, inside:
            case ast.Name(), _:
                return self.elements(inside, scope)
            case (ast.Tuple([_, ast.Name(last)]), ast.Call(ast.Name("enumerate"), [many, *_])) | (
                ast.Tuple([_, ast.Name(last)]),
                ast.Call(ast.Attribute(many, "items"), []),
            ) if last == name:
                return self.elements(many, scope)
        return UNKNOWN

    def _parameter(self, parameter: ast.arg, scope: Scope) -> Values:
        takes = scope.node.args if isinstance(scope.node, (*FUNCTIONS, ast.Lambda)) else None
        assert takes is not None and scope.around is not None
        plain = [*takes.posonlyargs, *takes.args]
        marks = {getattr(mark, "id", "") for mark in getattr(scope.node, "decorator_list", ())}
        if scope.owner and plain and parameter is plain[0] and "staticmethod" not in marks:
            return frozenset((scope.owner if "classmethod" in marks else Instance(scope.owner),))
        if parameter.annotation is not None:
            return self._annotated(parameter.annotation, scope.around)
        values = dict(zip(plain[len(plain) - len(takes.defaults) :], takes.defaults, strict=True))
        values |= {p: d for p, d in zip(takes.kwonlyargs, takes.kw_defaults, strict=True) if d}
        default = values.get(parameter)
        if default is None or isinstance(default, LITERALS):
            return UNKNOWN
        return self.values(default, scope.around)

    def _annotated(self, annotation: ast.expr, scope: Scope) -> Values:
        found: set[Value] = set()
        pending = [annotation]
        for part in pending:  # the list grows
            match part:
                case ast.Constant(str(text)):
                    try:
                        parsed = ast.parse(text, mode="eval").body
                        # nodes are kept, as values are cached by their identity
                        pending.append(self._annotations.setdefault(text, parsed))
                    except (SyntaxError, ValueError, RecursionError, MemoryError):
                        found.add(Other.UNKNOWN)
                case ast.Constant(None):
                    pass
                case ast.BinOp(one, ast.BitOr(), other):
                    pending += (one, other)
                case ast.Subscript(ast.Name("Optional") | ast.Attribute(_, "Optional"), inner):
                    pending.append(inner)
                case _:
                    kinds = [k for k in self.values(part, scope) if isinstance(k, Scope)]
                    found |= {Instance(kind) for kind in kinds if kind.is_class} or UNKNOWN
        return frozenset(found)

    def _called(self, call: ast.Call, scope: Scope) -> Values:
        match call:
            case ast.Call(ast.Name("super")):
                at: Scope | None = scope
                while at is not None and not at.is_class:
                    at = at.around
                return frozenset((Instance(at, above=True),)) if at else UNKNOWN
            case ast.Call(ast.Name(name) | ast.Attribute(_, name), [first, *_]) if name in SAME:
                return self.values(first, scope)
            case ast.Call(ast.Attribute(own, name), []) if name in SAME:
                return self.values(call.func, scope) and self.values(own, scope)
            case ast.Call(ast.Name(name) | ast.Attribute(_, name), [first]) if name in ONE_OF:
                return self.elements(first, scope)
        return _union(map(self._result, self.values(call.func, scope)))

    def _result(self, value: Value) -> Values:
        if not isinstance(value, Scope):
            return UNKNOWN
        if value.is_class:
            return frozenset((Instance(value),))
        annotation = getattr(value.node, "returns", None)
        values = self._annotated(annotation, value) if annotation is not None else UNKNOWN
        if values != UNKNOWN:
            return values
        returned = [n.value for n in own_nodes(value.node) if isinstance(n, ast.Return)]
        return _union(self.values(each, value) for each in returned if each is not None)

    def _attribute(self, value: Value, name: str) -> Values:
        if isinstance(value, Instance):
            found: Values = frozenset(self.methods(value, name))
            return found or self._kept(value.kind, name, False)
        if isinstance(value, Scope):
            if value.is_class:
                return frozenset(self.methods(Instance(value), name)) or UNKNOWN
            if value.around is not None:
                return UNKNOWN
            values = self._imported(name, value)
            inner = self._files(name, value, 1) if _is_package(value.file) else []
            return values if values not in (UNKNOWN, FOREIGN) else frozenset(inner) or values
        return frozenset((value,))

    def _elements(self, node: ast.AST, scope: Scope) -> Values:
        match node:
            case ast.List(parts) | ast.Tuple(parts) | ast.Set(parts):
                return _union(self.values(part, scope) for part in parts[:10])
            case ast.ListComp(part) | ast.SetComp(part) | ast.GeneratorExp(part):
                return self.values(part, self._by_node[id(node)])
            case ast.Call(ast.Name(name), [*_, last]) if name in AS_MANY:
                return self.elements(last, scope)
            case ast.Call(ast.Attribute(many, "values"), []):
                return self.elements(many, scope)
            case ast.Attribute(value, name):
                kinds = self.values(value, scope)
                return _union(
                    self._kept(v.kind, name, True) if isinstance(v, Instance) else UNKNOWN
                    for v in kinds
                )
            case ast.Name(name) if found := self.bound(name, scope):
                stores = [
                    _Stored(scope, value, how)
                    for node in own_nodes(found[0].node)
                    for target, value, how in assigned(node)
                    if isinstance(target, ast.Name) and target.id == name
                ]
                return self._inside(stores) or UNKNOWN
        return UNKNOWN

    def _kept(self, kind: Scope, name: str, inside: bool) -> Values:
        kinds = closure([kind], lambda k: [*self.bases(k), *self._subclasses.get(k, [])])
        stores = [store for k in kinds for store in self._stored(k).get(name, ())]
        stores = [store for store in stores if not is_empty(store.node)]
        if inside and stores:
            return self._inside(stores)
        found = [
            self._annotated(store.node, store.scope)
            if store.how == "annotation"
            else self.values(store.node, store.scope)
            for store in stores
            if store.how != "element"
        ]
        return _union(found) if stores else FOREIGN

    def _inside(self, stores: Iterable[_Stored]) -> Values:
        return _union(
            self.values(store.node, store.scope)
            if store.how == "element"
            else self.elements(store.node, store.scope)
            for store in stores
            if not is_empty(store.node)
        )

    def _stored(self, kind: Scope) -> dict[str, list[_Stored]]:
        if kind in self._stores:
            return self._stores[kind]
        found = self._stores.setdefault(kind, {})
        methods = [scope for scope in self.scopes if scope.owner is kind]
        for scope in (kind, *methods):
            for node in own_nodes(scope.node):
                for target, value, how in assigned(node):
                    if isinstance(target, ast.Attribute):
                        found.setdefault(target.attr, []).append(_Stored(scope, value, how))
                    elif isinstance(target, ast.Name) and scope is kind:
                        found.setdefault(target.id, []).append(_Stored(scope, value, how))
        return found

    def _member(self, kind: Scope, name: str) -> Scope | None:
        for node in self._bound_in(kind).get(name, ())[::-1]:
            if isinstance(node, FUNCTIONS):
                return self._by_node[id(node)]
        return None

    def _bound_in(self, scope: Scope) -> dict[str, list[ast.AST]]:
        if scope in self._bindings:
            return self._bindings[scope]
        found = self._bindings.setdefault(scope, {})
        takes = getattr(scope.node, "args", None)
        if isinstance(takes, ast.arguments):
            for parameter in parameters_of(takes):
                found.setdefault(parameter.arg, []).append(parameter)
        for loop in getattr(scope.node, "generators", ()):
            for name in names_in(loop.target):
                found.setdefault(name, []).append(loop)
        for node in own_nodes(scope.node):
            for name in names_bound(node):
                found.setdefault(name, []).append(node)
        return found

    def _files(self, name: str, home: Scope, level: int = 0) -> list[Scope]:
        """Return the bot's modules that an import in `home` may mean.

        A relative import starts `level` folders up. An absolute import is looked up in each folder
        above `home`; if that finds nothing, any module with its last part as name is taken.
        """
        folders = [*PurePath(home.file).parents]
        if level:
            folders = folders[level - 1 : level]
        path = name.replace(".", "/")
        ends = [f"{path}.py", f"{path}/__init__.py"] if path else ["__init__.py"] * bool(level)
        places = (str(folder / end) for folder in folders for end in ends)
        found = [self._modules[place] for place in places if place in self._modules]
        last = name.rpartition(".")[2]
        if found or level or not last:
            return found
        return [
            module
            for file, module in self._modules.items()
            if last == (PurePath(file).parent.name if _is_package(file) else PurePath(file).stem)
        ]

    def _starred(self, module: Scope, name: str, before: _SourcePlace | None) -> list[Scope]:
        def imported(at: Scope) -> list[Scope]:
            live = self._live(name, at, before if at is module else None)
            stars = [node for node in live if _is_star(node)]
            return [m for n in stars for m in self._files(n.module or "", at, n.level)]

        return closure([module], imported)

    def _is_in_ring(self, module: Scope) -> bool:
        if module not in self._rings:
            self._rings[module] = module in closure(self._loads(module), self._loads)
        return self._rings[module]

    def _loads(self, module: Scope) -> list[Scope]:
        if module not in self._imports:
            wanted: dict[tuple[str, int], None] = {}
            for node in own_nodes(module.node):
                if isinstance(node, ast.Import):
                    wanted |= {(alias.name, 0): None for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    for name in ("", *(alias.name for alias in node.names)):
                        wanted[f"{node.module or ''}.{name}".strip("."), node.level] = None
            self._imports[module] = [
                f for name, up in wanted for f in self._files(name, module, up)
            ]
        return self._imports[module]


@dataclass(frozen=True, slots=True)
class _Stored:
    scope: Scope
    node: ast.expr
    how: str  # `value`; `element` of the attribute; or `annotation`, which names its class.


def _union(found: Iterable[Values]) -> Values:
    return frozenset().union(*found)


def _is_package(file: str) -> bool:
    return PurePath(file).name == "__init__.py"


def _is_star(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _replaces(node: ast.AST) -> bool:
    is_import = isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_star(node)
    return is_import or isinstance(node, (*FUNCTIONS, ast.ClassDef))


def _renames(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom():
            return not _is_star(node)
        case ast.Assign([ast.Name()], ast.Name() | ast.Attribute()):
            return True
    return False


def _place(node: ast.AST) -> _SourcePlace:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
