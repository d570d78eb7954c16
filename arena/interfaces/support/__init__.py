"""Course modules that bots import, one folder for each interface.

A bot's import path has them after its own folders, so a module of the submission with the same name
is imported instead. They are loaded again for every game, as the bot's own modules are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def folder(interface: str) -> Path | None:
    found = Path(__file__).parent / interface
    return found if found.is_dir() else None


def sources() -> Iterator[Path]:
    return Path(__file__).parent.glob("*/*.py")


def compiler(interface: str) -> Path | None:
    """Return the program that compiles a course's numba functions; None without any."""
    found = Path(__file__).parent / interface / "compiled_by_numba.py"
    return found if found.is_file() else None


def holds(path: str) -> bool:
    return Path(path).is_relative_to(Path(__file__).parent)


def modules(interface: str) -> frozenset[str]:
    found = folder(interface)
    return frozenset(path.stem for path in found.glob("*.py")) if found else frozenset()
