"""Files that a user names, and options that accept only certain words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.common.errors import InputError, unwritable
from arena.common.files import write_file
from arena.common.names import hint_for

ANY_PATH = click.Path(path_type=Path)
EXISTING_PATH = click.Path(path_type=Path, exists=True)
FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
FOLDER = click.Path(path_type=Path, file_okay=False)
T = TypeVar("T")
MOST_BYTES = 1 << 20  # Longest file that is read; far longer than a game or a board.


class OneOf(click.Choice[str]):
    """A choice of words; the error for another word suggests the most similar choice."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        # click would write choices without upper case if case does not matter
        said = f"{value!r} is not one of {', '.join(map(repr, self.choices))}"
        hint = hint_for(str(value), self.choices, "")
        return f"{said}; {hint}" if hint else f"{said}."


def read_text(path: Path) -> str:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            why = "not a file"  # reading a device might never end
        else:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
            if len(data) <= MOST_BYTES:
                return data.decode("utf-8-sig")
            why = "longer than such a file can be"
    except OSError as error:
        why = error.strerror or "cannot be read"
    except ValueError:  # also raised for a name with a null byte
        why = "not a text file"
    raise InputError(f"{path}: {why}")


def parsed(text: str, parse: Callable[[str], T], place: object) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise InputError(f"{place}: {error}") from None


def write_text(path: Path, text: str) -> None:
    """Write a file completely or not at all; a device as far as possible."""
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            write_file(path.resolve(), text)
    except OSError as error:
        raise unwritable(path, error) from None
    except ValueError:
        raise InputError(f"{path}: cannot be written to (that is no name of a file)") from None
