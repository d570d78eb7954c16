"""Code that a bot makes while it runs: its recursions are counted as those in its files are.

`compile` and `exec` are replaced in a bot's process, as a bot could compile its own source again
without the statement that counts. Code that a bot makes in another way (out of code objects, or
with ctypes) is not counted; neither is a lambda that calls itself.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from types import FrameType
from typing import Any

from arena.host.meter import Meter

COMPILE, EXEC = compile, exec
"""As they were before a bot was there."""

FUTURE = 0x1FF0000
"""The flags of code objects that stand for `from __future__ import …`."""

IMPORTER = "importlib._bootstrap_external"


def count_made_code(meter: Meter, is_own: Callable[[str], bool]) -> None:
    """Have the recursions of all code that is compiled from now on be counted by `meter`.

    Modules that are imported are left alone, unless `is_own` is true of their file.
    """

    def counted_compile(
        source: Any,
        filename: Any,
        mode: str,
        flags: int = 0,
        dont_inherit: bool = False,
        optimize: int = -1,
        **options: Any,
    ) -> Any:
        caller = sys._getframe(1)
        flags = flags if dont_inherit else flags | _inherited(caller)
        is_imported = caller.f_globals.get("__name__") == IMPORTER and not is_own(str(filename))
        if not is_imported and not flags & ast.PyCF_ONLY_AST:
            source = _counted(meter, source, filename, mode, flags)
        return COMPILE(source, filename, mode, flags, True, optimize, **options)

    def counted_exec(
        source: Any,
        globals: Any = None,
        locals: Any = None,
        /,
        **options: Any,
    ) -> None:
        caller = sys._getframe(1)
        if globals is None:
            globals = caller.f_globals
            locals = caller.f_locals if locals is None else locals
        if isinstance(source, (str, bytes, bytearray, memoryview)):
            flags = _inherited(caller)
            source = _counted(meter, source, "<string>", "exec", flags)
            source = COMPILE(source, "<string>", "exec", flags, True)
        EXEC(source, globals, locals, **options)

    builtins.compile, builtins.exec = counted_compile, counted_exec


def _inherited(caller: FrameType) -> int:
    return caller.f_code.co_flags & FUTURE


def _counted(meter: Meter, source: Any, filename: Any, mode: str, flags: int) -> Any:
    """Return a source with the recursions in it counted; as it is if that cannot be done."""
    if isinstance(source, str):
        has_function = "def" in source
    elif isinstance(source, ast.AST):
        has_function = True
    else:
        has_function = b"def" in bytes(source)
    if not has_function:
        return source
    with suppress(Exception):  # Python says itself what is wrong with the source
        tree = COMPILE(source, filename, mode, flags | ast.PyCF_ONLY_AST, True)
        tree = deepcopy(tree) if tree is source else tree  # the bot may compile it once more
        if isinstance(tree, ast.Module):
            return meter.count_made(tree)
    return source
