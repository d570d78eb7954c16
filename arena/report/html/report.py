"""Writing `report.html`, with files beside it for the games of a large contest.

Also makes the page of games that were played without a contest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from arena.common.files import write_file
from arena.contest.folder import no_gc
from arena.contest.retirement import Settled
from arena.game.limits import Limits
from arena.report.facts import Facts
from arena.report.html.games import CHUNK_GAMES, ChunkGames, bot_chunks, game_chunks
from arena.report.html.overview import contest_overview, terms_of
from arena.report.html.shell import QUICK, Chunk, as_json, packed, page
from arena.report.replay import ShownGame
from arena.rules import Ruleset

REPORT = "report.html"
PAGES = "report"  # folder beside that page, for a large contest's games
PAGE_FILE = re.compile(r"(bot|games)-\d+\.js")  # files in that folder
MAX_INSIDE = 8_000  # games inside the page; a larger contest has them in PAGES


class Written(NamedTuple):
    path: Path

    size: int
    """Bytes."""

    pages: int
    """Number of files beside the page; 0 if the page has all games."""


def is_paged(settled: Settled) -> bool:
    """Return True if the games are too many for one page, and lie in files beside it."""
    return len(settled.games) > MAX_INSIDE


def contest_report(facts: Facts, name: str) -> str:
    overview = contest_overview(facts, name)
    chunks = [Chunk("overview", overview), *contest_chunks(facts, overview)]
    return page(name, chunks, table=overview["bots"])


@no_gc()
def write_report(path: Path, facts: Facts, name: str) -> Written:
    """Write a contest's report to `path`. Raises OSError.

    A large contest's games are written first, to a folder named after the page, so that the page
    always finds them. Page and files bear the same edition, as bots may have other numbers in
    another edition. Outdated files are removed.
    """
    written: set[str] = set()
    folder = path.parent / (path.stem if path.suffix else PAGES)
    if is_paged(facts.settled):
        overview = contest_overview(facts, name)
        overview["edition"] = edition = token_hex(8)
        folder.mkdir(exist_ok=True)
        written = _write_beside(folder, contest_chunks(facts, overview), edition)
        text = page(name, [Chunk("overview", overview)], table=overview["bots"], beside=folder.name)
    else:
        text = contest_report(facts, name)
    write_file(path, text)
    _remove_stale(folder, written)
    return Written(path, path.stat().st_size, len(written))


def contest_chunks(facts: Facts, overview: dict[str, Any]) -> Iterator[Chunk]:
    games = ChunkGames.of_contest(facts)
    places = {bot["name"]: place for place, bot in enumerate(overview["bots"])}
    yield from bot_chunks(games, places)
    yield from game_chunks(games, places)


def _write_beside(folder: Path, chunks: Iterable[Chunk], edition: str) -> set[str]:
    """Write chunks as files of a folder; return the files' names. Raises OSError.

    While a chunk is being made, a thread compresses the one before, without the interpreter's lock.
    """
    names: set[str] = set()
    with ThreadPoolExecutor(1) as executor:
        before = executor.submit(lambda: None)
        for chunk in chunks:
            json = as_json(chunk.data)
            before.result()
            before = executor.submit(_write_file, folder, chunk.name, json, edition)
            names.add(f"{chunk.name}.js")
        before.result()
    return names


def _write_file(folder: Path, name: str, json: bytes, edition: str) -> None:
    text = f'Arena.receive("{name}", "{edition}", "{packed(json, QUICK)}");\n'
    write_file(folder / f"{name}.js", text)


def _remove_stale(folder: Path, written: set[str]) -> None:
    if not folder.is_dir() or folder.is_symlink():
        return
    for file in folder.iterdir():
        is_page = PAGE_FILE.fullmatch(file.name) and not file.is_dir()
        if is_page and file.name not in written:
            file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def replays_page(
    rules: Ruleset,
    limits: Limits,
    players: Sequence[tuple[str, int | None]],
    games: Sequence[ShownGame],
) -> str:
    """Return a page of games played without a contest.

    `players` are (name, node budget or None).
    """
    places = {name: place for place, (name, _) in enumerate(players)}
    title = " – ".join(name for name, _ in players)
    overview: dict[str, Any] = {
        "view": "games",
        "me": None,
        "contest": terms_of(title, rules, limits) | {"games": len(games)},
        "bots": [{"name": name, "budget": budget, "house": False} for name, budget in players],
        "crosstable": None,
        "openings": [],
        "convergence": None,
        "analysed": None,
        "chunk_games": CHUNK_GAMES,
        "last_game": max((game.number for game in games), default=0),
    }
    return page(title, [Chunk("overview", overview), *game_chunks(games, places)])
