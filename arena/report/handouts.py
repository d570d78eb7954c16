"""What is handed out to the authors of bots: a report, a page, and the games that this names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arena.contest import Contest
from arena.errors import InputError
from arena.intake.collected import read_marker
from arena.naming import games_name, page_name, report_name
from arena.report.exports import Handout
from arena.report.facts import Facts
from arena.report.feedback import feedback_pages
from arena.report.html import StudentReports


def handouts(facts: Facts, contest: str) -> Iterator[Handout]:
    """Yield what is handed out for each student's bot of the contest called so."""
    reports, places = StudentReports(facts, contest), _places(facts.contest)
    for bot, page, games in feedback_pages(facts, contest):
        if facts.contest.bots[bot].house:
            continue
        report = reports(bot)
        files = {report_name(bot): report, page_name(bot): page}
        if games:
            files[games_name(bot)] = games
        yield Handout(bot=bot, report=report, files=files, where=places.get(bot, ""))


def _places(contest: Contest) -> dict[str, str]:
    """Return where each bot lay in the export that it was collected from, as far as is known.

    Of several files it is the first.
    """
    found: dict[str, str] = {}
    sources = {name: Path(bot.source or "") for name, bot in contest.bots.items() if not bot.house}
    for folder in {source.parent for source in sources.values()}:
        try:
            _, entries = read_marker(folder)
        except (InputError, OSError):
            continue  # was changed by hand, or may not be read
        where = {entry.path: entry.where.partition(" … (")[0] for entry in entries}
        found |= {
            name: where[source.name]
            for name, source in sources.items()
            if source.parent == folder and source.name in where
        }
    return found
