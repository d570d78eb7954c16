"""A digest that two bots share if they differ in nothing but names, comments and layout.

Bots that share it share a rank, so it must not be the same for two that can play differently. Names
are resolved as Python resolves them, and every name keeps its text that something may look up by
it: another file, Arena, a base class, or a program that looks at itself.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from arena.host.scopes import FUNCTIONS, own_nodes
from arena.intake.files import Files
from arena.intake.source import imported_names
from arena.interfaces import INTERFACES

WRITTEN = 200_000
"""Bytes of the longest source that somebody may have written, and not a program."""

ENTRY = b"@entry"
"""Stands for the name of the class or function that is entered."""

REFLECTIVE = frozenset(
    ("getattr", "setattr", "hasattr", "delattr", "globals", "locals", "vars", "dir")
    + ("eval", "exec", "compile", "__import__")
)
"""Functions by which a program looks at its own names: if one is called, all names count."""

INTROSPECTIVE = frozenset(
    ("inspect", "importlib", "__dict__", "__name__", "__qualname__", "__doc__", "__annotations__")
    + ("__slots__", "__code__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__")
)
"""Modules, attributes and methods that do the same."""


def likeness(file: str, trees: Mapping[str, ast.Module], files: Files, entry: str = "") -> str:
    """Return 16 hexadecimal digits, the same for bots that differ only in comments, docstrings,
    layout, annotations of parameters, and the names of what they define themselves.

    `entry` names the class or function that is entered. Counted are the file that is entered, those
    that it imports, and those whose names these mention. Of a program that is not in Python, and of
    what nobody wrote by hand, its bytes; empty if nothing is there to compare.
    """
    if file not in trees:
        return _hash([files.read(file)]) if file in files.names else ""
    reached: set[str] = set()
    pending = [file]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            wanted = imported_names(trees[name])
            pending += [other for other in trees if PurePosixPath(other).stem in wanted]
    shared = Counter(word for name in reached for word in _words(trees[name]))
    kept = {word for word, count in shared.items() if count > 1}
    kept |= {move for interface in INTERFACES.values() for move in interface.MOVES}
    parts = []
    for name in reached:
        data = files.read(name) if name in files.names else b""
        called = b"" if name == file else PurePosixPath(name).stem.encode()
        plain = [data] if len(data) > WRITTEN else _Plain(trees[name], kept, entry).parts()
        parts.append(_hash([called, *plain]).encode())
    texts = [text for name in reached for text in _texts(trees[name])]
    for name in sorted(set(files.names) - reached):
        if any(PurePosixPath(name).name in text for text in texts):
            parts.append(_hash([PurePosixPath(name).name.encode(), files.read(name)]).encode())
    return _hash(sorted(parts))


def _hash(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part + b"\0")
    return digest.hexdigest()[:16]


def _words(tree: ast.Module) -> set[str]:
    """Return all names in a source: of variables, attributes, parameters, keywords, imports."""
    words: set[str] = set()
    for node in ast.walk(tree):
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, str) and not isinstance(node, ast.Constant):
                words.update(value.split("."))
    return words


def _texts(tree: ast.Module) -> Iterator[str]:
    """Yield all texts in a source."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _is_remark(part: object) -> bool:
    """Return True for a text that nothing reads: a docstring, or a comment in quotes."""
    return (
        isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Constant)
        and isinstance(part.value.value, str)
    )


@dataclass(frozen=True, slots=True)
class _Scope:
    """A scope, with what is written for the names that are bound in it."""

    names: Mapping[str, bytes] = field(default_factory=dict)
    """Those that scopes within see, too: none of a class, whose names are its attributes."""

    around: _Scope | None = None
    """The scope that it is in."""

    depth: int = 0
    """How many scopes are around it."""

    is_class: bool = False
    """Whether it is the body of a class."""

    def within(self, node: ast.AST) -> _Scope:
        """Return the scope of a node in this one."""
        is_class = isinstance(node, ast.ClassDef)
        bound = [] if is_class else _bound(node)
        names = {name: b"#%d.%d" % (self.depth, number) for number, name in enumerate(bound)}
        return _Scope(names, self, self.depth + 1, is_class)

    def written(self, name: str) -> bytes:
        """Return what is written for a name as it is known here: itself, if it is not bound."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.around
        return name.encode()


class _Plain:
    """A source as text in which its own names are numbers."""

    def __init__(self, tree: ast.Module, kept: set[str], entry: str) -> None:
        """`kept` names keep their text."""
        self._tree = tree
        self._entry = entry
        nodes = list(ast.walk(tree))
        self._is_reflective = any(map(_looks_at_itself, nodes))
        keywords = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
        self._kept = kept | keywords
        self._attributes = _own_attributes(nodes) - self._kept
        self._numbers: dict[str, bytes] = {}

    def parts(self) -> Iterator[bytes]:
        """Yield the text in parts."""
        module = _Scope().within(self._tree)
        pending: list[tuple[object, _Scope]] = [(self._tree.body, module)]
        while pending:
            item, scope = pending.pop()
            if isinstance(item, list):
                kept = [part for part in item if self._is_reflective or not _is_remark(part)]
                yield b"[%d" % len(kept)
                pending.extend((part, scope) for part in reversed(kept))
            elif isinstance(item, ast.AST):
                yield type(item).__name__.encode()
                yield from self._names(item, scope)
                pending.extend(reversed(list(_inside(item, scope))))
            else:
                yield repr(item).encode("utf-8", "backslashreplace")

    def _names(self, node: ast.AST, scope: _Scope) -> Iterator[bytes]:
        """Yield the names that a node itself holds."""
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

    def _name(self, name: str, scope: _Scope) -> bytes:
        """Return what is written for a name."""
        if name == self._entry:
            return ENTRY
        if scope.is_class and name in self._attributes:
            return self._attribute(name)
        if self._is_reflective or name in self._kept or scope.is_class:
            return name.encode()
        return scope.written(name)

    def _attribute(self, name: str) -> bytes:
        if self._is_reflective or name not in self._attributes:
            return name.encode()
        return self._numbers.setdefault(name, b"@%d" % len(self._numbers))


def _inside(node: ast.AST, scope: _Scope) -> Iterator[tuple[object, _Scope]]:
    """Yield what is in a node, each with the scope that it belongs to.

    Annotations of parameters are left out: nothing happens by them.
    """
    match node:
        case ast.alias():
            return
        case ast.Constant(value=value):
            yield value, scope
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            inner = scope.within(node)
            if not isinstance(node, ast.Lambda):
                yield node.decorator_list, scope
            arguments = node.args
            yield [*arguments.defaults, *arguments.kw_defaults], scope
            for part in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs):
                yield [ast.Name(arg.arg, ast.Store()) for arg in part], inner
            for each in (arguments.vararg, arguments.kwarg):
                yield each and ast.Name(each.arg, ast.Store()), inner
            yield node.body, inner
        case ast.ClassDef():
            yield [node.decorator_list, node.bases, node.keywords], scope
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


def _bound(scope: ast.AST) -> list[str]:
    """Return the names that are bound in a scope, each once, in the order of the source."""
    bound: dict[str, None] = {}
    elsewhere: set[str] = set()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        given = scope.args
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        bound |= {each.arg: None for each in arguments if each is not None}
    for node in own_nodes(scope):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound[name] = None
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound[name] = None
            case ast.ClassDef(name=name) | ast.MatchMapping(rest=str(name)):
                bound[name] = None
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound[name] = None
            case ast.MatchStar(name=str(name)):
                bound[name] = None
            case ast.alias(name=name, asname=alias):
                bound[alias or name.partition(".")[0]] = None
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                elsewhere.update(names)
    return [name for name in bound if name not in elsewhere]


def _looks_at_itself(node: ast.AST) -> bool:
    """Return True for what may look up the program's own names."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in REFLECTIVE
        case ast.Name(id=name):
            return name in INTROSPECTIVE and name != "__name__"  # that is the module's
        case ast.Attribute(attr=name) | ast.FunctionDef(name=name):
            return name in INTROSPECTIVE
        case ast.alias(name=name):
            return name.partition(".")[0] in INTROSPECTIVE
    return False


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _own_attributes(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the attributes that only methods of a source's own classes know, as `self.name`.

    Not those of classes with bases or decorators, which may look them up.
    """
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = [part for kind in classes for part in kind.body if isinstance(part, FUNCTIONS)]
    selves = {method.args.args[0].arg for method in methods if method.args.args}
    own: set[str] = set()
    others: set[str] = set()
    for kind in classes:
        own.update(_bound(kind))
        bases = [base for base in kind.bases if getattr(base, "id", "") != "object"]
        if bases or kind.keywords or kind.decorator_list:
            others.update(_bound(kind))
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
    return {name for name in own - others if not _is_special(name)}
