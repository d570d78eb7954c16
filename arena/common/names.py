"""The names of bots, of their files, and of the pages about them: each rule in one place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

PYTHON, NOTEBOOK = ".py", ".ipynb"

SOURCES = (PYTHON, NOTEBOOK)
"""How the names of files with Python code end."""

ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")
"""How the names of archives that are opened end."""

UNOPENED_ARCHIVES = (".rar", ".7z", ".tar.xz", ".tar.bz2")
"""How the names of archives that are not opened end."""

FLOOR = "random"
"""The house player below which a bot gets no points for its grade; `arena check` plays it, too."""

YARDSTICK = "reference"
"""The house player above which a bot gets all points."""

HOUSE = (FLOOR, YARDSTICK)
"""The house players that enter every contest. Others can be added: a bot in `bots/`, or one of
LEVELS."""

LEVELS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "greedy": {"depth": 1},
        "novice": {"nodes": 200},
        "master": {"nodes": 100_000},
        "perfect": {"nodes": 10_000_000, "solve": True},
    }
)
"""The reference at other strengths, by name: what it is built with. They play where named."""

PLAYERS = (*HOUSE, *LEVELS)
"""Names of all house players."""

MAX_PROPOSED = 200
"""Characters of a mistyped name that are compared with the known ones."""

MAX_NAME = 60
"""Characters of the longest name of a bot."""


def plain_name(text: str) -> str:
    """Return the text as a name that is harmless in a table, a file name and a CSV cell.

    Empty if nothing of it is.
    """
    return re.sub(r"[^\w .()+-]", "_", text).strip(" .")[:MAX_NAME].lstrip("+-")


def numbered(name: str) -> Iterator[str]:
    """Yield `name`, `name-2`, `name-3` and so on, for the first that is free to be taken."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def default_name(source: Path) -> str:
    """Return the name of the bot in a file, folder or archive, unless somebody sets another."""
    if not source.is_file():
        return source.name
    return archive_stem(source.name) if is_archive(source.name) else source.stem


def page_name(bot: str) -> str:
    """Return the name of the file with the page about a bot."""
    return f"{bot}.md"


def games_name(bot: str) -> str:
    """Return the name of the file with the games that the page about a bot names."""
    return f"{bot}.json"


def report_name(bot: str) -> str:
    """Return the name of the file with the report for a bot's author."""
    return f"{bot}.html"


def is_source(name: str) -> bool:
    """Return True for the name of a Python file or a notebook."""
    return name.endswith(SOURCES)


def is_archive(name: str) -> bool:
    """Return True for the name of an archive of a kind that is opened."""
    return name.lower().endswith(ARCHIVES)


def is_unopened_archive(name: str) -> bool:
    """Return True for the name of an archive of a kind that is not opened."""
    return name.lower().endswith(UNOPENED_ARCHIVES)


def is_any_archive(name: str) -> bool:
    """Return True for the name of an archive of whatever kind."""
    return is_archive(name) or is_unopened_archive(name)


def archive_stem(name: str) -> str:
    """Return an archive's name without the ending that says that it is one."""
    ending = next((each for each in ARCHIVES if name.lower().endswith(each)), "")
    return name.removesuffix(name[len(name) - len(ending) :])


def module_of(notebook: str) -> str:
    """Return the name of the module that is made of a notebook: `X.ipynb.py` of `X.ipynb`."""
    return f"{notebook}{PYTHON}"


def is_notebook_module(file: str) -> bool:
    """Return True for the name of a module that was made of a notebook."""
    return file.endswith(module_of(NOTEBOOK))


def notebook_of(file: str) -> str:
    """Return the notebook that a module was made of; any other name as it is."""
    return file.removesuffix(PYTHON) if is_notebook_module(file) else file


def handed_in(source: str, file: str) -> tuple[str, ...]:
    """Return how its author knows a submission: the file that plays, then what it came in.

    `source` is the name of the file, folder or archive, `file` the file to enter, or empty.
    """
    known = notebook_of(file)
    return (known, source) if known and known != source else (source,)


def hint_for(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return `did you mean …?` with the known name that is most like this one, case aside.

    If none is much like it, returns `otherwise`.
    """
    close = _closest(name, known)
    return f"did you mean {close}?" if close else otherwise


def one_of(word: str, known: Iterable[str]) -> str:
    """Return `expected one of …`, with a hint at the end if a word is much like one of them."""
    known = list(known)
    return "; ".join(
        filter(None, [f"expected one of {', '.join(known)}", hint_for(word, known, "")])
    )


def hint_for_path(path: Path, otherwise: str = "") -> str:
    """Return `did you mean …?` with the path that is there and most like one that is not."""
    close = _near(path)
    return f"did you mean {close}?" if close not in (None, path) else otherwise


def _near(path: Path) -> Path | None:
    """Return a path itself if it is there, else the one that is most like it; None if none is."""
    if path.exists() or path.parent == path:
        return path
    parent = _near(path.parent)
    try:
        names = os.listdir(parent) if parent is not None else []
    except OSError:
        return None
    name = path.name if path.name in names else _closest(path.name, names)
    return parent / name if parent is not None and name else None


def _closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like this one, case aside; None if none is much like it.

    Long names are cut: the search takes time that grows with the square of their length.
    """
    folded = {each.casefold(): each for each in known}
    close = get_close_matches(name.casefold()[:MAX_PROPOSED], folded, 1)
    return folded[close[0]] if close else None
