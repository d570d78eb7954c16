"""Where the engine's machine code is kept, and which of it is there. Imports no numba: that takes
half a second, which a command that only wants to know this does not have."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from arena.engine.pieces import Piece


def is_compiled(*pieces: Piece) -> bool:
    """Return whether these pieces' machine code is on disk, by default all: nothing to compile."""
    folder = cache_folder()
    return folder is not None and _has(folder, pieces or tuple(Piece))


def marker(piece: Piece) -> str:
    """Return the file in a cache folder that says: all of this piece has been compiled."""
    return f"{piece}.complete"


def _has(folder: Path, pieces: Iterable[Piece]) -> bool:
    """Return whether a folder has these pieces."""
    return all((folder / marker(piece)).exists() for piece in pieces)


@cache
def cache_folder() -> Path | None:
    """Return the folder that machine code is read from, and written to if possible; None for none.

    It has a name that changes with all that machine code depends on. If it is complete it may be
    read-only.
    """
    candidates = [Path(__file__).parent / "__pycache__"]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        candidates.insert(0, Path(chosen))
    if home := os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"):
        candidates.append(Path(home))
    name = f"arena-engine-{_fingerprint()}"
    folders = [folder / name for folder in candidates]
    for folder in folders:
        if _has(folder, Piece):
            return folder
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return next((folder for folder in folders if folder.is_dir()), None)


def _fingerprint() -> str:
    """16 hexadecimal digits over all that machine code depends on."""
    from importlib.metadata import version  # takes as long as a process of Python to start

    parts = (_sources_digest(), version("numba"), version("llvmlite"), _processor())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _processor() -> str:
    """Return the kind of processor that machine code is made for, and its features."""
    if (chosen := os.environ.get("NUMBA_CPU_NAME")) is not None:
        return f"{chosen}\n{os.environ.get('NUMBA_CPU_FEATURES', '')}\n{os.uname().machine}"
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return os.uname().machine
    return "\n".join(re.findall(r"^(?:model name|flags|Features)\s*:.*", text, re.M)[:2])


def _sources_digest() -> str:
    """Return 16 hexadecimal digits over the engine's sources."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        data = source.read_bytes()
        digest.update(f"{source.name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16]
