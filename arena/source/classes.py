"""Finding classes, methods and functions of a source that an interface can use."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Most parameters of a constructor, and longest name; beyond these no person wrote it.
MAX_PARAMETERS, MAX_NAME = 200, 200


def own_classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def classes_with(tree: ast.Module, method: str) -> list[str]:
    classes = own_classes(tree)
    return [name for name in classes if own_methods(classes, name).get(method)]


def own_methods(classes: Mapping[str, ast.ClassDef], name: str) -> dict[str, Function]:
    methods: dict[str, Function] = {}
    pending, seen = [name], set()
    while pending:
        node = classes.get(pending.pop())
        if node is not None and node.name not in seen:
            seen.add(node.name)
            for item in node.body:
                if isinstance(item, FUNCTIONS):
                    methods.setdefault(item.name, item)
            pending += [base.id for base in reversed(node.bases) if isinstance(base, ast.Name)]
    return methods


def note_words(annotation: ast.expr) -> set[str]:
    words = set()
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant):
            words.update(re.findall(r"\w+", str(node.value)))
        words.add(last_name(node))
    return words - {""}


def is_unfinished(function: ast.AST, *, nothing: Sequence[object] = (None, 0)) -> bool:
    """Return whether a function is abstract, or only raises or returns `nothing`."""
    if not isinstance(function, FUNCTIONS):
        return False
    if any(last_name(mark).startswith("abstract") for mark in function.decorator_list):
        return True
    return all(_is_idle(node, nothing) for node in function.body)


def _is_idle(node: ast.stmt, nothing: Sequence[object]) -> bool:
    match node:
        case ast.Pass() | ast.Raise() | ast.Expr(ast.Constant()) | ast.Return(None):
            return True
        case ast.Return(ast.Constant(value)):
            return value in nothing
    return False


def asks_a_person(function: Function, methods: Mapping[str, Function]) -> bool:
    called, pending = {function.name}, [function]
    while pending:
        for node in ast.walk(pending.pop()):
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Name) and node.func.id == "input":
                    return True
                name = last_name(node.func)
                if name in methods and name not in called:
                    called.add(name)
                    pending.append(methods[name])
    return False


def last_name(node: ast.AST) -> str:
    """Return the `c` of `a.b.c` or of `c`; empty for other expressions."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def own_functions(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, FUNCTIONS)]


def assigned_value(node: ast.stmt, name: str) -> ast.expr | None:
    match node:
        case ast.Assign([ast.Name(target)], value) | ast.AnnAssign(ast.Name(target), _, value):
            return value if target == name else None
    return None


def parameters(tree: ast.Module, entry: str) -> tuple[str, ...] | None:
    """Return a constructor's parameters, () for a function; None if only a run shows."""
    classes = own_classes(tree)
    node = classes.get(entry)
    if node is None:
        return () if entry in own_functions(tree) else None
    seen: set[str] = set()
    while node is not None and node.name not in seen:
        seen.add(node.name)
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                return _after_self(item.args)
        if node.decorator_list or node.keywords or len(node.bases) > 1:
            return None
        if not node.bases:
            return ()
        base = node.bases[0]
        node = classes.get(base.id) if isinstance(base, ast.Name) else None
    return None


def _after_self(args: ast.arguments) -> tuple[str, ...] | None:
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)][1:]
    strange = len(names) > MAX_PARAMETERS or any(len(name) > MAX_NAME for name in names)
    return None if args.vararg or args.kwarg or strange else tuple(names)
