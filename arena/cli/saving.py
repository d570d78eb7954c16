"""Games saved as a page with their replays: `--save` of a match, and `save FILE.html` in a game."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.files import write_text
from arena.cli.screen import ready_engine, screen
from arena.contest import Appraiser, analyse
from arena.errors import InputError
from arena.referee import Limits
from arena.rules import Ruleset

if TYPE_CHECKING:
    from arena.report.html import PlayedGame

SUFFIX = ".html"

NODES = 300_000
"""Positions that the solver may search to know one exactly: somebody waits for the page."""

OURS = b'id="chunk-overview"'
"""Stands in every page of Arena's, after its styles."""


def is_page(file: str) -> bool:
    """Return whether a file with this name is to be a page."""
    return file.lower().endswith(SUFFIX)


def check_page(path: Path) -> None:
    """Raise InputError if no page can be written there, or something else would be replaced."""
    if not is_page(path.name):
        raise InputError(f"{path}: a page has a name that ends in {SUFFIX}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.exists() and not (path.is_file() and _is_ours(path)):
        raise InputError(f"{path}: is there, and is no page of Arena's; not overwritten")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written to")


def save_page(
    path: Path,
    rules: Ruleset,
    limits: Limits,
    players: Sequence[tuple[str, int | None]],
    games: Sequence[PlayedGame],
) -> None:
    """Write the page of these games, with the worth of every move; see `replays_page`.

    Raises InputError, StorageError.
    """
    from arena.report.html import replays_page  # jinja2 takes a while

    check_page(path)
    ready_engine(screen(stderr=True))
    write_text(path, replays_page(rules, limits, players, list(_analysed(rules, games))))


def _analysed(rules: Ruleset, games: Sequence[PlayedGame]) -> Iterator[PlayedGame]:
    """Yield the games with the worth of their moves, and show on a terminal how many are done."""
    appraiser = Appraiser(rules, NODES)
    with screen(stderr=True).status("") as status:
        for done, game in enumerate(games):
            status.update(f"what moves are worth: {done} of {len(games)} …")
            yield game._replace(analysis=analyse(rules, game.record, appraiser=appraiser))


def _is_ours(path: Path) -> bool:
    try:
        return OURS in path.read_bytes()
    except OSError:
        return False
