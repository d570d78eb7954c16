"""The files of a contest's folder that are made from its games."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from arena.contest import Contest, GameAnalysis, Settled
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
    tie_breaks,
)
from arena.report.analysis import accuracy_section
from arena.report.feedback import feedback, refused_page
from arena.report.retired import retired_sentence


def write_results(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> pd.DataFrame:
    """Write leaderboard.csv, crosstable.csv, games.csv and feedback/; returns the leaderboard.

    Of a contest that was analysed also analysis.csv; its `accuracy` and `blunders` are then the
    last columns of the leaderboard that is returned, unless none of those games counts any more.
    """
    board = leaderboard(settled, contest)
    analysed = analysed_games(settled, analyses)
    judged = accuracies(analysed, board["bot"], missing_games(settled, analyses))
    games = games_frame(settled.games)
    table = contest_standings(games, contest)
    cross = crosstable(games, list(board["bot"]))
    _write(folder / "leaderboard.csv", board.to_csv(index=False, columns=LEADERBOARD_CSV))
    _write(folder / "crosstable.csv", cross.to_csv())
    _write(folder / "games.csv", games.to_csv(index=False, columns=GAMES_CSV))
    if analyses:
        frame = accuracy_frame(judged.values())
        _write(folder / "analysis.csv", frame.to_csv(index=False))
    if analysed:
        board = board.merge(frame[["bot", "accuracy", "blunders"]], on="bot")
    pages = folder / "feedback"
    pages.mkdir(exist_ok=True)
    replay = f"arena replay {shlex.quote(str(folder))}"
    for row in board.to_dict("records"):
        bot = str(row["bot"])
        named = {str(key): value for key, value in row.items()}
        source = contest.bots[bot].source or ""
        retired = retired_sentence(bot, settled, board) if bot in settled.retired else ""
        ties = tie_breaks(table, bot)
        moves = accuracy_section(judged[bot], contest.rules, replay) if analyses else ()
        text = feedback(bot, source, named, games, retired, replay, ties, moves)
        _write(pages / f"{bot}.md", text)
    for bot, why in contest.refused.items():
        _write(pages / f"{bot}.md", refused_page(bot, contest.bots[bot].source or "", why))
    for page in pages.glob("*.md"):
        if page.stem not in contest.bots:
            page.unlink()  # of a bot that no longer takes part
    return board


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
