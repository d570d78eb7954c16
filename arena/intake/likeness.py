"""A hash that two bots share if they differ only in names, comments and layout.

Bots with equal hashes share a rank, so bots that can play differently need different hashes. A name
stays in the hashed text if something may look it up: another file, Arena, a base class, or a
program that inspects itself.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from posixpath import dirname, relpath
from typing import Any

from arena.intake.files import Files
from arena.interfaces import BY_NAME
from arena.source.classes import FUNCTIONS, Function
from arena.source.scopes import NameScope, binds, bound_names

MAX_WRITTEN = 200_000  # Bytes of the longest source that a person may have written.
ENTRY = b"@entry"  # Replaces the name of the entry class or function.

# Suffixes of files that an import may run.
IMPORTED = frozenset((".py", ".pyc", ".pyd", ".so", ".pth"))

# Annotations with built-in types have no effect.
TYPES = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type))

# Built-in types with type parameters.
GENERIC = frozenset(("list", "tuple", "dict", "set", "frozenset", "type"))

# Functions that look up a program's names: if a source mentions one, all names count.
REFLECTIVE = frozenset(
    ("getattr", "setattr", "hasattr", "delattr", "globals", "locals", "vars", "dir")
    + ("eval", "exec", "compile", "__import__")
)

# Modules, attributes and methods that look up names too.
INTROSPECTIVE = frozenset(
    ("inspect", "importlib", "__dict__", "__name__", "__qualname__", "__doc__", "__annotations__")
    + ("__slots__", "__code__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__")
    + ("__set_name__", "__globals__", "__builtins__", "_getframe", "modules", "builtins", "gc")
    + ("attrgetter", "methodcaller", "get_type_hints", "get_annotations", "pickle", "ast")
)


def likeness(file: str, trees: Mapping[str, ast.Module], files: Files, entry: str = "") -> str:
    """Return 16 hexadecimal digits, equal for bots whose differences have no effect.

    Ignores comments, docstrings, layout, annotations with built-in types, and the names that the
    bot defines. Includes all Python files, as an import may take any, and other files that they
    mention. Programs in other languages and generated sources count by their bytes. Empty if there
    is nothing to compare.
    """
    if file not in trees:
        return _hash([files.read(file)]) if file in files.names else ""
    walked = {name: list(ast.walk(tree)) for name, tree in trees.items()}
    shared = Counter(word for nodes in walked.values() for word in _words(nodes))
    kept = {word for word, count in shared.items() if count > 1}
    kept |= {move for interface in BY_NAME.values() for move in interface.MOVES}
    is_reflective = any(_looks_at_itself(node) for nodes in walked.values() for node in nodes)
    parts = []
    for name, tree in trees.items():
        data = files.read(name) if name in files.names else b""
        plain = [data]
        if len(data) <= MAX_WRITTEN:
            plain = list(_PlainSource(tree, walked[name], kept, entry, is_reflective).parts())
        called = "" if name == file else relpath(name, dirname(file) or ".")
        parts.append(_hash([called.encode(), *plain]).encode())
    every = (node for nodes in walked.values() for node in nodes)
    values = [node.value for node in every if isinstance(node, ast.Constant)]
    texts = [value for value in values if isinstance(value, str)]
    for name in set(files.names) - set(trees):
        if is_reflective or _may_be_used(PurePosixPath(name), texts):
            called = relpath(name, dirname(file) or ".")
            parts.append(_hash([called.encode(), files.read(name)]).encode())
    return _hash(sorted(parts))


def _may_be_used(path: PurePosixPath, texts: Iterable[str]) -> bool:
    if path.suffix in IMPORTED:
        return True
    parts = [part for part in (path.name.partition(".")[0], path.suffix) if part]
    return any(part in text for text in texts for part in parts)


def _hash(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part + b"\0")
    return digest.hexdigest()[:16]


def _words(nodes: Iterable[ast.AST]) -> set[str]:
    words: set[str] = set()
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, str) and not isinstance(node, ast.Constant):
                words.update(value.split("."))
    return words


def _is_remark(part: object) -> bool:
    match part:
        case ast.Expr(ast.Constant(str())):
            return True
    return False


def _type_parameter(node: ast.AST) -> Iterator[str]:
    if type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):
        yield str(getattr(node, "name", ""))


class _PlainSource:
    """A source as text, with numbers for the names that it defines."""

    def __init__(
        self,
        tree: ast.Module,
        nodes: Sequence[ast.AST],
        kept: set[str],
        entry: str,
        is_reflective: bool,
    ) -> None:
        self._tree = tree
        self._entry = entry
        self._is_reflective = is_reflective
        bound = {name for node in nodes for name in (*binds(node), *_type_parameter(node))}
        self._types = TYPES - (TYPES if "*" in bound else bound)
        keywords = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
        self._kept = kept | keywords
        self._attributes = _own_attributes(nodes) - self._kept
        self._numbers: dict[str, bytes] = {}

    def parts(self) -> Iterator[bytes]:
        module = NameScope().within(self._tree)
        pending: list[tuple[object, NameScope]] = [(self._tree.body, module)]
        while pending:
            item, scope = pending.pop()
            if isinstance(item, list):
                kept = [part for part in item if self._is_reflective or not _is_remark(part)]
                yield b"[%d" % len(kept)
                pending.extend((part, scope) for part in reversed(kept))
            elif isinstance(item, ast.AST):
                yield type(item).__name__.encode()
                yield from self._names(item, scope)
                pending.extend(reversed(list(self._inside(item, scope))))
            else:
                yield repr(item).encode("utf-8", "backslashreplace")

    def _names(self, node: ast.AST, scope: NameScope) -> Iterator[bytes]:
        match node:
            case ast.Attribute(attr=name):
                yield self._attribute(name)
            case ast.alias(name=name, asname=alias):
                yield name.encode()
                yield self._name(alias or name.partition(".")[0], scope)
            case ast.keyword(arg=name):
                yield repr(name).encode()
            case ast.ImportFrom(module=name):
                yield repr(name).encode()
            case ast.MatchClass(kwd_attrs=names):
                yield repr(names).encode()
            case ast.Constant():
                return
            case _:
                for part in node._fields:
                    value = getattr(node, part, None)
                    for name in value if isinstance(value, list) else [value]:
                        if isinstance(name, str):
                            yield self._name(name, scope)

    def _name(self, name: str, scope: NameScope) -> bytes:
        if name == self._entry:
            return ENTRY
        if name in scope.of_class and name in self._attributes:
            return self._attribute(name)
        if self._is_reflective or name in self._kept or name in scope.of_class:
            return name.encode()
        return scope.written(name)

    def _attribute(self, name: str) -> bytes:
        if self._is_reflective or name not in self._attributes:
            return name.encode()
        return self._numbers.setdefault(name, b"@%d" % len(self._numbers))

    def _inside(self, node: ast.AST, scope: NameScope) -> Iterator[tuple[object, NameScope]]:
        """Yield the children of a node, each with its scope.

        Python runs annotations, and decorators read them: only those of built-in types are left
        out.
        """
        match node:
            case ast.alias():
                return
            case ast.Constant(value=value):
                yield value, scope
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                inner = scope.within(node)
                arguments = node.args
                if not isinstance(node, ast.Lambda):
                    yield node.decorator_list, scope
                    yield getattr(node, "type_params", []), scope
                    yield [*self._annotations(node)], scope
                yield [*arguments.defaults, *arguments.kw_defaults], scope
                for part in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs):
                    yield [ast.Name(arg.arg, ast.Store()) for arg in part], inner
                for each in (arguments.vararg, arguments.kwarg):
                    yield each and ast.Name(each.arg, ast.Store()), inner
                yield node.body, inner
            case ast.ClassDef():
                yield [node.decorator_list, node.bases, node.keywords], scope
                yield getattr(node, "type_params", []), scope
                yield node.body, scope.within(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                inner = scope.within(node)
                yield node.generators[0].iter, scope
                for generator in node.generators:
                    yield [generator.target, generator.ifs, generator.is_async], inner
                yield [each.iter for each in node.generators[1:]], inner
                pair = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                yield pair, inner
            case _:
                for name in node._fields:
                    held: Any = getattr(node, name, None)
                    words = held if isinstance(held, list) else [held]
                    if not any(isinstance(word, str) for word in words):
                        yield held, scope

    def _annotations(self, function: Function) -> Iterator[ast.AST]:
        given = function.args
        # `*args` and `**kwargs` have a position even if absent
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        counts_all = self._is_reflective or bool(function.decorator_list)
        for place, each in enumerate([*arguments, function]):
            note = getattr(each, "returns" if each is function else "annotation", None)
            if note is not None and (counts_all or not self._is_type(note)):
                yield ast.Constant(place)
                yield note

    def _is_type(self, note: ast.expr) -> bool:
        match note:
            case ast.Name(id=name):
                return name in self._types
            case ast.Constant(value=value):
                return value is None or isinstance(value, str)
            case ast.Tuple(elts=parts):
                return all(map(self._is_type, parts))
            case ast.Subscript(value=ast.Name(id=name), slice=inner):
                return name in GENERIC & self._types and self._is_type(inner)
            case ast.BinOp(left=ast.Name() | ast.Subscript() | ast.BinOp() as left, op=ast.BitOr()):
                first: ast.expr = left
                parts = [note.right]
                while isinstance(first, ast.BinOp) and isinstance(first.op, ast.BitOr):
                    parts.append(first.right)
                    first = first.left
                texts = [p for p in parts if isinstance(p, ast.Constant) and p.value is not None]
                return not texts and all(map(self._is_type, [*parts, first]))
        return False


def _looks_at_itself(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            mentioned = REFLECTIVE | INTROSPECTIVE - {"__name__"}  # a bare __name__ is the module's
            return name in mentioned
        case ast.Attribute(attr=name) | ast.FunctionDef(name=name):
            return name in INTROSPECTIVE
        case ast.ImportFrom(module=str(module), names=aliases):
            names = {module.partition(".")[0], *(alias.name for alias in aliases)}
            return not names.isdisjoint(REFLECTIVE | INTROSPECTIVE)
        case ast.Import(names=aliases):
            return any(alias.name.partition(".")[0] in INTROSPECTIVE for alias in aliases)
    return False


def _own_attributes(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the attributes that are used only as `self.name` in a source's methods.

    Leaves out those of classes with bases or decorators, which may look attributes up.
    """
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = [part for kind in classes for part in kind.body if isinstance(part, FUNCTIONS)]
    selves = {method.args.args[0].arg for method in methods if method.args.args}
    own: set[str] = set()
    others: set[str] = set()
    for kind in classes:
        own.update(bound_names(kind))
        bases = [base for base in kind.bases if getattr(base, "id", "") != "object"]
        if bases or kind.keywords or kind.decorator_list:
            others.update(bound_names(kind))
            others |= {node.attr for node in ast.walk(kind) if isinstance(node, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Attribute):
            is_self = isinstance(node.value, ast.Name) and node.value.id in selves
            if not is_self:
                others.add(node.attr)
            elif isinstance(node.ctx, ast.Store):
                own.add(node.attr)
        elif isinstance(node, ast.MatchClass):
            others.update(node.kwd_attrs)
    return {name for name in own - others if not (name.startswith("__") and name.endswith("__"))}
