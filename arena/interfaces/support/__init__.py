"""Course modules that bots import, a folder for the bots of each interface.

They are on a bot's import path after its own folders, so a submission's own module of the same
name is the one that counts, and are loaded afresh for every game as its own are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def folder(interface: str) -> Path | None:
    """The folder with the modules for bots of this interface, if there are any."""
    found = Path(__file__).parent / interface
    return found if found.is_dir() else None


def sources() -> Iterator[Path]:
    """Yield the files of the modules of all interfaces."""
    return Path(__file__).parent.glob("*/*.py")


def compiler(interface: str) -> Path | None:
    """The program that compiles what these modules have compiled by numba, if they have."""
    found = Path(__file__).parent / interface / "compiled_by_numba.py"
    return found if found.is_file() else None


def holds(path: str) -> bool:
    """Whether a file is one of the modules, for bots of whatever interface."""
    return Path(path).is_relative_to(Path(__file__).parent)


def modules(interface: str) -> frozenset[str]:
    """Names of the modules for bots of this interface."""
    found = folder(interface)
    return frozenset(path.stem for path in found.glob("*.py")) if found else frozenset()
