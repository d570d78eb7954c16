"""Names of bots, of their files and of their pages."""

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
ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")  # Archives that Arena opens.
UNOPENED_ARCHIVES = (".rar", ".7z", ".tar.xz", ".tar.bz2")
# By the grade rules `seed` and `curve`, a bot below FLOOR gets the lowest grade, and one above
# YARDSTICK the highest.
FLOOR, YARDSTICK = "random", "reference"
HOUSE = (FLOOR, YARDSTICK)  # Play in every contest; others are added by name or a grade rule.

SPARRING = "sparring"  # A demo bot; with the options below it is a house player.

# Options of house players that are another bot with these options, from weak to strong: those with
# `looks` are `sparring`, the others `reference`.
LEVELS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "sparring-1": {"looks": 1, "slips": 0.8},
        "sparring-2": {"looks": 1, "slips": 0.5},
        "sparring-3": {"looks": 2, "slips": 0.35},
        "sparring-4": {"looks": 2, "slips": 0.12},
        "sparring-5": {"looks": 3, "slips": 0.22},
        "sparring-6": {"looks": 3, "slips": 0.09},
        "greedy": {"depth": 1},
        "learner": {"nodes": 50},
        "novice": {"nodes": 200},
        "adept": {"nodes": 1_500},
        "master": {"nodes": 100_000},
        "perfect": {"nodes": 10_000_000, "solve": True},
    }
)

PLAYERS = (*HOUSE, *LEVELS)  # All house players.
MAX_PROPOSED = 200  # Compared characters of a mistyped name.
MAX_NAME = 60  # Characters of a bot's name.

# Names that Windows gives no file, with any ending.
DEVICE = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE)


def house_folder() -> Path:
    package = Path(__file__).parents[1]
    shipped = package / "bots"
    return shipped if shipped.is_dir() else package.parent / "bots"


def plain_name(text: str) -> str:
    """Return the text as a name safe in tables, files and CSV cells; may be empty."""
    name = re.sub(r"[^\w .()+-]", "_", text).rstrip(" .").lstrip(" .+-")[:MAX_NAME]
    return re.sub(DEVICE, r"\1_", name)


def numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def default_name(source: Path) -> str:
    """Return a bot's name: that of its file, folder or archive, without a suffix."""
    if not source.is_file():
        return source.name
    return archive_stem(source.name) if is_archive(source.name) else source.stem


def page_name(bot: str) -> str:
    return f"{bot}.md"


def games_name(bot: str) -> str:
    return f"{bot}.json"


def report_name(bot: str) -> str:
    return f"{bot}.html"


def is_source(name: str) -> bool:
    return name.endswith(SOURCES)


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def is_unopened_archive(name: str) -> bool:
    return name.lower().endswith(UNOPENED_ARCHIVES)


def is_any_archive(name: str) -> bool:
    return is_archive(name) or is_unopened_archive(name)


def archive_stem(name: str) -> str:
    ending = next((each for each in ARCHIVES if name.lower().endswith(each)), "")
    return name.removesuffix(name[len(name) - len(ending) :])


def module_of(notebook: str) -> str:
    """Return the name of the module made from a notebook: `X.ipynb.py` for `X.ipynb`."""
    return f"{notebook}{PYTHON}"


def is_notebook_module(file: str) -> bool:
    return file.endswith(module_of(NOTEBOOK))


def notebook_of(file: str) -> str:
    """Return the notebook from which a module was made; any other name unchanged."""
    return file.removesuffix(PYTHON) if is_notebook_module(file) else file


def handed_in(source: str, file: str) -> tuple[str, ...]:
    """Return (file that plays, source), or only the source if they are the same.

    A notebook's module becomes the notebook, which the author knows. `file` may be empty.
    """
    known = notebook_of(file)
    return (known, source) if known and known != source else (source,)


def hint_for(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return `did you mean …?` with the most similar name; without one, `otherwise`."""
    close = _closest(name, known)
    return f"did you mean {close}?" if close else otherwise


def one_of(word: str, known: Iterable[str]) -> str:
    """Return `expected one of …`, with a hint if a known name is similar to the word."""
    known = list(known)
    return "; ".join(
        filter(None, [f"expected one of {', '.join(known)}", hint_for(word, known, "")])
    )


def hint_for_path(path: Path, otherwise: str = "") -> str:
    """Return `did you mean …?` with the most similar path; without one, `otherwise`."""
    close = _near(path)
    return f"did you mean {close}?" if close not in (None, path) else otherwise


def _near(path: Path) -> Path | None:
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
    """Return the most similar name, ignoring case, or None. Long names are cut."""
    folded = {each.casefold(): each for each in known}
    close = get_close_matches(name.casefold()[:MAX_PROPOSED], folded, 1)
    return folded[close[0]] if close else None
