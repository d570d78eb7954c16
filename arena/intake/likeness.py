"""A hash that two bots share if they differ only in names, comments and layout.

Bots with equal hashes share a rank, so bots that can play differently need different hashes. Each
name is replaced by a number, the same wherever it stands. A name stays if something may look it up:
another file, Arena, a base class, or a program that inspects itself.
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
from arena.source.scopes import binds, own_nodes

MAX_WRITTEN = 200_000  # Bytes of the longest source that a person may have written.
ENTRY = b"@entry"  # Replaces the name of the entry class or function.

# Suffixes of files that an import may run.
IMPORTED = frozenset((".py", ".pyc", ".pyd", ".so", ".pth"))

BUILTINS = frozenset(vars(builtins))

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
        kept = kept | {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
        kept |= _read_in_classes(nodes)
        is_plain = not is_reflective
        self._attributes = _own_attributes(nodes) - kept if is_plain else set()
        self._names = bound - BUILTINS - kept if is_plain and "*" not in bound else set()
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        # what a class binds is an attribute
        self._members = {id(node) for kind in classes for node in own_nodes(kind)}
        self._numbers: dict[str, bytes] = {}
        functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
        # Python runs annotations, and decorators read them
        notes = (note for each in functions if not each.decorator_list for note in _notes(each))
        unread = (note for note in notes if not is_reflective and self._is_type(note))
        self._unread = set(map(id, unread))

    def parts(self) -> Iterator[bytes]:
        pending: list[object] = [self._tree.body]
        while pending:
            item = pending.pop()
            if isinstance(item, list):
                kept = [part for part in item if self._is_reflective or not _is_remark(part)]
                yield b"[%d" % len(kept)
                pending.extend(reversed(kept))
            elif isinstance(item, ast.AST):
                yield type(item).__name__.encode()
                pending.extend(reversed([self._part(item, name) for name in item._fields]))
            elif isinstance(item, bytes):
                yield item
            else:
                yield repr(item).encode("utf-8", "backslashreplace")

    def _part(self, node: ast.AST, field: str) -> object:
        value: Any = getattr(node, field, None)
        if id(value) in self._unread:
            return None
        match node, field:
            case (ast.Constant(), _) | (ast.keyword() | ast.ImportFrom(), "arg" | "module"):
                return repr(value).encode("utf-8", "backslashreplace")
            case ast.alias(name=name), "name":
                return name.encode()
            case ast.alias(name=name, asname=alias), _:
                value = alias or name.partition(".")[0]
            case ast.Attribute(), "attr":
                return self._name(value, is_attribute=True)
            case ast.MatchClass(), "kwd_attrs":
                return repr(value).encode()
        is_member = id(node) in self._members and value in binds(node)
        if isinstance(value, list):
            return [self._name(each) if isinstance(each, str) else each for each in value]
        return self._name(value, is_attribute=is_member) if isinstance(value, str) else value

    def _name(self, name: str, *, is_attribute: bool = False) -> bytes:
        if name == self._entry and not is_attribute:
            return ENTRY
        if name in (self._attributes if is_attribute else self._names):
            kind = "@" if is_attribute else "#"
            return self._numbers.setdefault(kind + name, f"{kind}{len(self._numbers)}".encode())
        return name.encode()

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


def _notes(function: Function) -> Iterator[ast.expr]:
    notes = [each.annotation for each in ast.walk(function.args) if isinstance(each, ast.arg)]
    yield from (note for note in (*notes, function.returns) if note is not None)


def _read_in_classes(nodes: Iterable[ast.AST]) -> set[str]:
    read: set[str] = set()
    for kind in nodes:
        if isinstance(kind, ast.ClassDef):
            inside = list(own_nodes(kind))
            for each in inside:  # the list grows
                if isinstance(each, FUNCTIONS):
                    heads = [*each.decorator_list, *each.args.defaults, *each.args.kw_defaults]
                    inside += [node for head in heads if head for node in ast.walk(head)]
            names = (each for each in inside if isinstance(each, ast.Name))
            loaded = {each.id for each in names if isinstance(each.ctx, ast.Load)}
            read |= loaded & _bound_in([kind])
    return read


def _bound_in(classes: Iterable[ast.ClassDef]) -> set[str]:
    return {name for kind in classes for node in own_nodes(kind) for name in binds(node)}


def _own_attributes(nodes: Iterable[ast.AST]) -> set[str]:
    """Return attributes used only as `self.name`, but not of classes with bases or decorators."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = [part for kind in classes for part in kind.body if isinstance(part, FUNCTIONS)]
    selves = {method.args.args[0].arg for method in methods if method.args.args}
    own: set[str] = set()
    others: set[str] = set()
    for kind in classes:
        own |= _bound_in([kind])
        bases = [base for base in kind.bases if getattr(base, "id", "") != "object"]
        if bases or kind.keywords or kind.decorator_list:
            others |= _bound_in([kind])
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
