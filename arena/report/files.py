"""The files in a contest's folder that are made from its games.

To add a file, add its name to FILES, with a function from the facts to the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from arena.analysis.analysis import GameAnalysis
from arena.common.errors import StorageError
from arena.common.files import write_file
from arena.common.names import games_name, page_name
from arena.common.text import quote
from arena.contest.folder import ContestFolder
from arena.contest.retirement import Settled
from arena.ranking.accuracy import accuracy_frame
from arena.ranking.games import games_table
from arena.ranking.leaderboard import LEADERBOARD_CSV
from arena.report.facts import Facts, facts_of
from arena.report.feedback import feedback_pages
from arena.report.html.report import REPORT, write_report
from arena.report.pseudonyms import FEEDBACK, contest_pseudonyms
from arena.report.screen.leaderboard import crosstable_of, tallies_of
from arena.settings.contest import Contest


def _csv(frame: pd.DataFrame, *, index: bool = False, columns: Any = None) -> str:
    return frame.to_csv(index=index, columns=columns, lineterminator="\n")


# Functions that return each file's text, or None if there is no such file; for FEEDBACK see below.
FILES: Mapping[str, Callable[[Facts], str | None]] = MappingProxyType(
    {
        "leaderboard.csv": lambda facts: _csv(facts.listed, columns=LEADERBOARD_CSV),
        "crosstable.csv": lambda facts: _csv(crosstable_of(facts), index=True),
        "games.csv": lambda facts: _csv(games_table(facts.settled.games, facts.games)),
        "tallies.csv": lambda facts: _csv(tallies_of(facts)),
        "openings.csv": lambda facts: _csv(facts.openings),
        "analysis.csv": lambda facts: (
            None if facts.accuracies is None else _csv(accuracy_frame(facts.accuracies.values()))
        ),
    }
)


@dataclass(frozen=True)
class ResultFiles:
    facts: Facts

    files: Mapping[str, str]
    """Texts by path in the contest's folder: FILES, and the pages and game files in FEEDBACK."""

    name: str

    def write(self, folder: Path, *, report: bool = True) -> None:
        """Write each file atomically, and with `report` the report. Raises StorageError.

        Removes outdated feedback files.
        """
        pages = folder / FEEDBACK
        try:
            pages.mkdir(exist_ok=True)
            for name, text in self.files.items():
                write_file(folder / name, text)
            for name_of in (page_name, games_name):
                for path in pages.glob(name_of("*")):
                    if f"{FEEDBACK}/{path.name}" not in self.files:
                        path.unlink()  # the bot has left, or its page names no game
            if report:
                write_report(folder / REPORT, self.facts, self.name)
        except OSError as error:
            raise StorageError(
                f"{error.filename or folder}: cannot be written to ({error.strerror}); correct "
                f"that, then write the tables again: arena rank {quote(str(folder))}"
            ) from None


def make_results(folder: Path, facts: Facts, called: str = "") -> ResultFiles:
    if facts.contest.publish.pseudonyms:
        names = contest_pseudonyms(ContestFolder(folder), facts.contest)
        facts = replace(facts, pseudonyms=names)
    made = ((name, make(facts)) for name, make in FILES.items())
    files = {name: text for name, text in made if text is not None}
    name = called or folder.resolve().name
    for bot, page, games in feedback_pages(facts, name):
        files[f"{FEEDBACK}/{page_name(bot)}"] = page
        if games:
            files[f"{FEEDBACK}/{games_name(bot)}"] = games
    return ResultFiles(facts, files, name)


def write_results(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> pd.DataFrame:
    """Write a contest's tables, pages and report; return `Facts.listed`."""
    results = make_results(folder, facts_of(folder, contest, settled, analyses))
    results.write(folder)
    return results.facts.listed
