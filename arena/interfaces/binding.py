"""Calling a bot's constructor with arguments that match its parameters.

Classes of a submission are preferred to the course's. First come classes that the bot's own modules
define or import, then classes in its other files. These files are imported for this, and skipped if
that fails.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from io import StringIO
from types import ModuleType
from typing import Any

from arena.common.errors import UnsuitableError
from arena.common.names import hint_for
from arena.interfaces.contract import course_folder, is_course_file

# Arguments for constructors, in the order of the course's own constructor. A key lists the
# parameter names (in lower case, no underscores), its value creates the argument.
Supply = Mapping[tuple[str, ...], Callable[[], object]]


def always(value: object) -> Callable[[], Any]:
    return lambda: value


def call_by_name(
    function: Callable[..., Any],
    supply: Supply,
    options: Mapping[str, object] | None = None,
    leading: Sequence[object] = (),
) -> Any:
    """Call a bot's constructor with arguments chosen by its parameters' names.

    The first parameters get `leading`, whatever their names; a constructor with only `*args` gets
    these, else all of `supply`. An option replaces an argument of the same name. Raises
    UnsuitableError for an option that no parameter takes, and for a parameter without a value.
    """
    makers = {name: make for names, make in supply.items() for name in names}
    parameters = named_parameters(function)
    if parameters is None:
        names_of_all = [f"a{n}" for n in range(len(leading))] or [names[0] for names in supply]
        parameters = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names_of_all
        ]
    first = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    for parameter, argument in zip(first, leading, strict=False):
        makers[plain(parameter.name)] = always(argument)
    for option, value in (options or {}).items():
        names = next((names for names in supply if plain(option) in names), (plain(option),))
        if not any(plain(parameter.name) in names for parameter in parameters):
            raise UnsuitableError(no_option(option, [parameter.name for parameter in parameters]))
        makers |= dict.fromkeys(names, always(value))
    positional: list[object] = []
    named: dict[str, object] = {}
    for parameter in parameters:
        if plain(parameter.name) in makers:
            value = makers[plain(parameter.name)]()
        elif parameter.default is not parameter.empty:
            value = parameter.default
        else:
            raise UnsuitableError(f"wants an argument {parameter.name!r} that no contest gives it")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return function(*positional, **named)


def plain(name: str) -> str:
    """Return a parameter's name in the form that is compared: `gamen` for `gameN`."""
    return name.replace("_", "").lower()


def named_parameters(function: Callable[..., object]) -> list[inspect.Parameter] | None:
    """Return a function's named parameters; for a class, its constructor's.

    A constructor without named parameters is skipped for that of a base class. Returns None if
    there are only `*args`, or Python does not know them.
    """
    makers = [function]
    if isinstance(function, type):
        makers = [c.__dict__["__init__"] for c in function.__mro__[:-1] if "__init__" in c.__dict__]
    anything = False
    for maker in makers:
        try:
            parameters = list(inspect.signature(maker).parameters.values())
        except (TypeError, ValueError):  # it is not written in Python
            return None
        own = parameters[1:] if isinstance(function, type) else parameters
        named = [p for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if named or not own:
            return named
        anything = anything or any(p.kind is p.VAR_POSITIONAL for p in own)
    return None if anything else []


def no_option(option: str, takes: Sequence[str]) -> str:
    if not takes:
        return f"takes no option {option!r}, nor any other"
    hint = hint_for(option, takes, "")
    return f"takes no option {option!r}; it takes {', '.join(takes)}{f' ({hint})' if hint else ''}"


IsWanted = Callable[[ast.ClassDef], bool]


def defining_modules(entry: Any) -> list[ModuleType]:
    names = dict.fromkeys(part.__module__ for part in getattr(entry, "__mro__", (entry,)))
    return [sys.modules[name] for name in names if name in sys.modules and name != "builtins"]


def visible_classes(entry: Any, name: str) -> Iterator[type]:
    """Yield classes `name` in the modules that define the bot, or in a module `name`."""
    for module in defining_modules(entry):
        found = getattr(module, name, None)
        found = getattr(found, name, found)
        if isinstance(found, type):
            yield found


def submitted_classes(
    sources: Mapping[str, ast.Module], wanted: IsWanted, on_skipped: Callable[[str], None]
) -> Iterator[type]:
    """Yield the wanted classes of a submission's files, first of imported files.

    `sources` has trees by import name. `on_skipped(reason)` is called for files that fail.
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
            on_skipped(f"its own {name} cannot be imported ({error_text(error)})")
            continue
        classes = (getattr(module, each, None) for each in found[name])
        yield from (each for each in classes if isinstance(each, type))


def error_text(error: BaseException) -> str:
    """Return an error's class and message: `ValueError: the width must be odd`."""
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def is_course_class(found: type) -> bool:
    origin = getattr(sys.modules.get(found.__module__), "__file__", None)
    return is_course_file(origin or "")


def full_name(found: type) -> str:
    return f"{found.__module__}.{found.__name__}"


def course_class(interface: str, module: str, name: str) -> Any:
    """Return a class of a course's module, even if the bot has a file of that name."""
    folder = course_folder(interface)
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
