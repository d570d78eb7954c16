"""The parameters that a bot's class is built with, as far as its source tells."""

from __future__ import annotations

import ast

from arena.interfaces.source_search import own_classes, own_functions

MOST, LONGEST = 200, 200
"""Parameters of a class, and characters of a name, that a person writes."""


def parameters(tree: ast.Module, entry: str) -> tuple[str, ...] | None:
    """Names of what a class is built with, none for a function; None if the source does not tell:
    its class may be made in ways that only running it shows."""
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
    """Names of the parameters after `self`; None if there are any that have none."""
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)][1:]
    strange = len(names) > MOST or any(len(name) > LONGEST for name in names)
    return None if args.vararg or args.kwarg or strange else tuple(names)
