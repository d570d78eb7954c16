"""`report.html` of a contest, and the files beside it that hold the games of a large one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from arena.contest import GameAnalysis
from arena.report.facts import Facts
from arena.report.html.chunks import Chunk, packed
from arena.report.html.games import bot_chunks, game_chunks
from arena.report.html.overview import contest_games, contest_overview
from arena.report.html.shell import page
from arena.writing import write_file

REPORT = "report.html"
"""Name of the page in a contest's folder."""

PAGES = "report"
"""Name of the folder beside it, of a large contest."""

MOST_INSIDE = 8_000
"""Games that the page itself carries; the games of a larger contest lie beside it."""


def contest_report(facts: Facts, name: str, analyses: Mapping[str, GameAnalysis]) -> str:
    """Return the report of a contest as one page that carries all its games."""
    games = list(contest_games(facts, analyses))
    overview = contest_overview(facts, name, paged=False)
    chunks = [
        Chunk("overview", overview),
        *bot_chunks(games, len(overview["bots"])),
        *game_chunks(games),
    ]
    return page(name, chunks, table=overview["bots"])


def write_report(folder: Path, facts: Facts, analyses: Mapping[str, GameAnalysis]) -> Path:
    """Write the report of a contest into its folder; returns the page. Raises OSError."""
    name, path = folder.resolve().name, folder / REPORT
    if len(facts.settled.games) <= MOST_INSIDE:
        write_file(path, contest_report(facts, name, analyses))
        return path
    games = list(contest_games(facts, analyses))
    overview = contest_overview(facts, name, paged=True)
    (folder / PAGES).mkdir(exist_ok=True)
    for chunks in (bot_chunks(games, len(overview["bots"])), game_chunks(games)):
        for chunk in chunks:
            text = f'Arena.receive("{chunk.name}", "{packed(chunk.data)}");\n'
            write_file(folder / PAGES / f"{chunk.name}.js", text)
    write_file(path, page(name, [Chunk("overview", overview)], table=overview["bots"]))
    return path
