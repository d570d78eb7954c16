"""The report: one HTML page that needs no network, made from a contest's games."""

from arena.report.html.games import PlayedGame, bot_chunks, game_chunks
from arena.report.html.overview import contest_games, contest_overview
from arena.report.html.report import (
    REPORT,
    Written,
    contest_chunks,
    contest_report,
    is_paged,
    replays_page,
    write_report,
)
from arena.report.html.shell import Chunk, page
from arena.report.html.student import StudentReports

__all__ = [
    "REPORT",
    "Chunk",
    "PlayedGame",
    "StudentReports",
    "Written",
    "bot_chunks",
    "contest_chunks",
    "contest_games",
    "contest_overview",
    "contest_report",
    "game_chunks",
    "is_paged",
    "page",
    "replays_page",
    "write_report",
]
