"""Reading a file that somebody names on a command line or in a game."""

from __future__ import annotations

from pathlib import Path

from arena.errors import InputError

MOST_BYTES = 1 << 20
"""Of a file that is read whole; far more than a game or a board has."""


def read_text(path: Path) -> str:
    """The text of a file. Raises InputError: which file, and what is wrong with it."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # it might never end
        raise InputError(f"{path}: not a file")
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except ValueError:  # a name with a null byte is no name either
        raise InputError(f"{path}: not a text file") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: longer than such a file can be")
    return text
