"""The files of a contest's folder that are made from its games."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from arena.contest import Contest, ScheduledGame
from arena.ranking import GAMES_CSV, crosstable, games_frame, leaderboard
from arena.referee import GameRecord
from arena.report.feedback import feedback


def write_results(
    folder: Path,
    contest: Contest,
    games: Sequence[ScheduledGame],
    records: Mapping[str, GameRecord],
) -> pd.DataFrame:
    """Write leaderboard.csv, crosstable.csv, games.csv and feedback/; returns the leaderboard."""
    board = leaderboard(games, records, contest.bots)
    played = games_frame(games, records)
    cross = crosstable(played, list(board["bot"]))
    _write(folder / "leaderboard.csv", board.to_csv(index=False))
    _write(folder / "crosstable.csv", cross.to_csv())
    _write(folder / "games.csv", played.to_csv(index=False, columns=GAMES_CSV))
    pages = folder / "feedback"
    pages.mkdir(exist_ok=True)
    replay = f"arena replay {shlex.quote(str(folder))}"
    for row in board.to_dict("records"):
        bot = str(row["bot"])
        named = {str(key): value for key, value in row.items()}
        source = contest.bots[bot].source or ""
        _write(pages / f"{bot}.md", feedback(bot, source, named, played, records, replay))
    for page in pages.glob("*.md"):
        if page.stem not in contest.bots:
            page.unlink()  # of a bot that no longer takes part
    return board


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
