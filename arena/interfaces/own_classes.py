"""The classes that a submission brings along, in whatever modules and packages they lie.

What it brings counts before what Arena lends: first what the bot's own modules know by name, then
what lies in its other files, which are imported for it. A file that cannot be imported is passed
over, as the bot itself did not need it.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from io import StringIO
from types import ModuleType
from typing import Any

from arena.interfaces import support

IsWanted = Callable[[ast.ClassDef], bool]


def home_modules(entry: Any) -> list[ModuleType]:
    """Return the modules that a class and its base classes are defined in, its own first."""
    names = dict.fromkeys(part.__module__ for part in getattr(entry, "__mro__", (entry,)))
    return [sys.modules[name] for name in names if name in sys.modules and name != "builtins"]


def known_classes(entry: Any, name: str) -> Iterator[type]:
    """Classes of that name that the bot's own modules know, its own or the course's.

    It may be a module of the same name that they have imported.
    """
    for module in home_modules(entry):
        found = getattr(module, name, None)
        found = getattr(found, name, found)
        if isinstance(found, type):
            yield found


def brought_classes(
    sources: Mapping[str, ast.Module], wanted: IsWanted, passed_over: Callable[[str], None]
) -> Iterator[type]:
    """Yield the wanted classes of a submission's files, those of imported files first.

    `sources` are its syntax trees by the name that each can be imported by. `passed_over` is told
    of a file that cannot be imported, what and why.
    """
    found = {
        name: [node.name for node in tree.body if isinstance(node, ast.ClassDef) and wanted(node)]
        for name, tree in sources.items()
    }
    for name in sorted(filter(found.get, found), key=lambda name: name not in sys.modules):
        try:
            with redirect_stdout(StringIO()):
                module = importlib.import_module(name)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            passed_over(f"its own {name} cannot be imported ({in_words(error)})")
            continue
        classes = (getattr(module, each, None) for each in found[name])
        yield from (each for each in classes if isinstance(each, type))


def in_words(error: BaseException) -> str:
    """An error's class and message: `ValueError: the width must be odd`."""
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def is_course_class(found: type) -> bool:
    """Return whether a class is one of the course's modules that Arena lends."""
    origin = getattr(sys.modules.get(found.__module__), "__file__", None)
    return support.holds(origin or "")


def where(found: type) -> str:
    """Return the module that a class comes from, in words: `NRow.Board`."""
    return f"{found.__module__}.{found.__name__}"


def course_class(interface: str, module: str, name: str) -> Any:
    """A class of the course's own module, though the submission has a file of that name.

    If not, it is the one that the submission would import.
    """
    folder = support.folder(interface)
    assert folder is not None
    path = str(folder / f"{module}.py")
    spec = find_spec(module)
    if spec is not None and spec.origin == path:
        return getattr(importlib.import_module(module), name)
    alone = f"__arena_{interface}_{module}__"
    if alone not in sys.modules:
        spec = spec_from_file_location(alone, path)
        assert spec is not None and spec.loader is not None
        sys.modules[alone] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[alone])
    return getattr(sys.modules[alone], name)
