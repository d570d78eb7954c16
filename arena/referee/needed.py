"""What a bot's zygote is to have in memory, so that the bot need not import it itself.

The bot is to see no difference but the time, so whoever could see one starts without: a bot with a
module that is called like one that numba imports, or that sets numba up by its environment.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from arena.host.protocol import Loaded
from arena.interfaces import InterfaceName, is_program, support
from arena.referee.record import Bot

NUMBA = re.compile(
    rb"(?:^|[:;])[ \t]*(?:from|import)[ \t][^#\n]{0,200}\b(?:compiled_by_)?numba\b", re.MULTILINE
)
"""An import of it, or of the course module that has it compile."""

SETTING = re.compile(rb"NUMBA_|numba_config")
"""A word in the sources of who may set it up before."""


def needed(bot: Bot) -> Loaded:
    """Return what the zygote of this bot is to have loaded."""
    point = bot.entry_point
    if point.engine is not None:
        return Loaded.ENGINE
    if is_program(point.interface) or bot.problem is not None:
        return Loaded.NUMPY
    return (
        Loaded.NUMBA if _uses_numba(bot.root, bot.content_hash, point.interface) else Loaded.NUMPY
    )


@cache
def _uses_numba(root: str, content_hash: str, interface: InterfaceName) -> bool:
    """Return True if a bot with these files does best with a numba that has been imported.

    They are searched for words, not parsed: only a confined process may do that. What is not found
    so, `__import__`, is imported by the bot itself.
    """
    own = dict(_sources(Path(root)))
    names = {part for path in own for part in path.relative_to(root).with_suffix("").parts}
    if any(map(SETTING.search, own.values())) or any(map(_taken, names)):
        return False
    return any(map(NUMBA.search, (*own.values(), *_lent(interface, names))))


def _lent(interface: InterfaceName, own: Collection[str]) -> Iterator[bytes]:
    """Yield the sources of course modules that bots import by name, but for those of their own."""
    if (folder := support.folder(interface)) is not None:
        for path, text in _sources(folder):
            if path.stem not in own and path != support.compiler(interface):
                yield text


def _sources(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the path and the text of every source file below a folder that can be read."""
    for top, _, names in os.walk(folder):
        for path in (Path(top, name) for name in names if name.endswith(".py")):
            if path.is_file():
                with suppress(PermissionError), open(path, "rb", opener=_unnoticed) as file:
                    yield path, file.read()


def _unnoticed(path: str, flags: int) -> int:
    """Open a file; when it was read last is nobody's to see. Raises OSError."""
    try:
        return os.open(path, flags | os.O_NOATIME)
    except PermissionError:  # it belongs to somebody else
        return os.open(path, flags)


def _taken(name: str) -> bool:
    """Return True if Python or an installed package has a module of that name."""
    return name in sys.stdlib_module_names or PathFinder.find_spec(name) is not None
