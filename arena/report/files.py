"""The files of a contest's folder that are made from its games."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from arena.contest import Contest, GameAnalysis, Settled
from arena.contest.entries import without_budget
from arena.errors import StorageError
from arena.ranking import (
    GAMES_CSV,
    LEADERBOARD_CSV,
    accuracies,
    accuracy_frame,
    analysed_games,
    contest_standings,
    crosstable,
    games_frame,
    leaderboard,
    missing_games,
    separations,
)
from arena.report.analysis import accuracy_section
from arena.report.feedback import feedback, refused_page
from arena.report.retired import retired_sentence

FEEDBACK = "feedback"
"""The folder with a page for each bot's author."""


@dataclass(frozen=True)
class Results:
    """What a contest's games come to."""

    board: pd.DataFrame
    """The leaderboard. Of a contest that was analysed `accuracy` and `blunders` are its last
    columns, unless none of those games counts any more."""

    files: Mapping[str, str]
    """leaderboard.csv, crosstable.csv, games.csv, of a contest that was analysed analysis.csv, and
    the pages in feedback/: their texts by their names in the contest's folder."""

    def write(self, folder: Path) -> None:
        """Write the files, each whole or not at all. Raises StorageError."""
        pages = folder / FEEDBACK
        try:
            pages.mkdir(exist_ok=True)
            for name, text in self.files.items():
                _write(folder / name, text)
            for page in pages.glob("*.md"):
                if f"{FEEDBACK}/{page.name}" not in self.files:
                    page.unlink()  # of a bot that no longer takes part
        except OSError as error:
            raise StorageError(f"{folder}: cannot be written to ({error.strerror})") from None


def results_of(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> Results:
    """Make the tables and pages of the contest in a folder."""
    board = leaderboard(settled, contest)
    analysed = analysed_games(settled, analyses)
    judged = accuracies(analysed, board["bot"], missing_games(settled, analyses))
    games = games_frame(settled.games)
    table = contest_standings(games, contest)
    cross = crosstable(games, list(board["bot"]))
    files = {
        "leaderboard.csv": board.to_csv(index=False, columns=LEADERBOARD_CSV),
        "crosstable.csv": cross.to_csv(),
        "games.csv": games.to_csv(index=False, columns=GAMES_CSV),
    }
    if analyses:
        frame = accuracy_frame(judged.values())
        files["analysis.csv"] = frame.to_csv(index=False)
    if analysed:
        board = board.merge(frame[["bot", "accuracy", "blunders"]], on="bot")
    unlimited = without_budget(contest)
    # students read these: of where things lie on the instructor's machine they see the last name
    replay = f"arena replay {shlex.quote(folder.resolve().name)}"
    for row in board.to_dict("records"):
        bot = str(row["bot"])
        named = {str(key): value for key, value in row.items()}
        source = Path(contest.bots[bot].source or "").name
        retired = retired_sentence(bot, settled, board) if bot in settled.retired else ""
        ties = separations(table, bot)
        moves = accuracy_section(judged[bot], contest.rules, replay) if analyses else ()
        budget = bot not in unlimited
        text = feedback(bot, source, named, games, retired, replay, ties, moves, budget)
        files[f"{FEEDBACK}/{bot}.md"] = text
    for bot, why in contest.refused.items():
        page = refused_page(bot, Path(contest.bots[bot].source or "").name, why)
        files[f"{FEEDBACK}/{bot}.md"] = page
    return Results(board, files)


def write_results(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> pd.DataFrame:
    """Write the tables and pages of a contest into its folder; returns the leaderboard.

    Raises StorageError.
    """
    results = results_of(folder, contest, settled, analyses)
    results.write(folder)
    return results.board


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
