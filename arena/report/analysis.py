"""What an analysis says to people: the table of a contest, and a section of every bot's page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table

from arena.ranking import Accuracy, Analysed, Lost
from arena.report.moves import any_of
from arena.report.tables import fitted_table
from arena.rules import Position, Ruleset, draw

DROPPED = ("moves", "known", "lost", "first blunder", "at ply", "mattered")
"""Columns of the table that a narrow screen goes without, the least important first."""

BOARDS = 3
"""Lost games of which a bot's page shows the board; all are listed."""


def analysis_table(rows: Iterable[Accuracy], width: int) -> Table:
    """Accuracy and blunders of each bot, the most accurate first, on a screen `width` wide."""
    best_first = sorted(rows, key=lambda row: row.accuracy or 0.0, reverse=True)
    plies = [row.first_blunders for row in best_first]
    cells = {
        "bot": [row.bot for row in best_first],
        "moves": [f"{row.moves:,}" for row in best_first],
        "known": [f"{len(row.known):,}" for row in best_first],
        "mattered": [f"{row.mattered:,}" for row in best_first],
        "accuracy": ["" if row.accuracy is None else f"{row.accuracy:.1%}" for row in best_first],
        "blunders": [f"{row.blunders:,}" for row in best_first],
        "lost": [f"{len(row.lost):,}" for row in best_first],
        "first blunder": [f"{len(each):,}" for each in plies],
        "at ply": [f"{sum(each) / len(each):.1f}" if each else "" for each in plies],
    }
    return fitted_table(cells, width, DROPPED)


def coverage_line(games: Sequence[Analysed]) -> str:
    """How far back the games are known, one sentence."""
    complete = sum(analysis.is_complete(record) for _, record, analysis in games)
    if complete == len(games):
        return f"every move of the {_games(len(games))} is known"
    since = sorted(
        analysis.moves[0].ply + 1
        for _, record, analysis in games
        if analysis.moves and not analysis.is_complete(record)
    )
    parts = [f"{complete} of {_games(len(games))} known from the opening on"]
    if since:
        plies = f"{since[0]} to {since[-1]}" if since[0] < since[-1] else f"{since[0]}"
        parts.append(f"{len(since)} only from a later ply on ({plies})")
    if unknown := len(games) - complete - len(since):
        parts.append(f"nothing known of {unknown}")
    return ", ".join(parts)


def accuracy_section(row: Accuracy, rules: Ruleset, replay: str) -> list[str]:
    """Lines of Markdown for a bot's page: how accurate it was, and where it lost its games.

    `replay` is the command that shows a game, to which the game's number is added.
    """
    lines = ["## Its moves against perfect play", "", _summary(row)]
    if not row.known:
        return lines
    if row.lost:
        lines += ["", "### Where its lost games were lost", ""]
    shown = 0
    for lost in row.lost:
        lines.append(_lost_line(lost, rules, replay))
        if lost.blunder and shown < BOARDS:
            shown += 1
            position = Position(rules, lost.analysed.record.columns[: lost.blunder.ply])
            lines += ["", *(f"      {line}" for line in draw(position).splitlines()), ""]
    return lines


def _summary(row: Accuracy) -> str:
    """How accurate a bot was, in a few sentences."""
    if not row.moves:
        return "It made no move in the games that were analysed."
    if not row.known:
        return (
            f"None of its {row.moves} moves could be judged: they are too far from the games' ends."
        )
    known = f"{len(row.known)} of its {row.moves} moves could be judged"
    if row.accuracy is None:
        return f"{known}; no other moves there would have changed how a game ends."
    return (
        f"{known}. At {row.mattered} of them it could choose between moves that end differently. "
        f"Blunders, which gave away a win or a draw: {row.blunders}. "
        f"Accuracy: {row.accuracy:.1%}."
    )


def _lost_line(lost: Lost, rules: Ruleset, replay: str) -> str:
    """Where a game was lost, as an item of a list."""
    game, record, analysis = lost.analysed
    where = f"game {game.number}, {game.first} against {game.second}; `{replay} {game.number}`"
    if not analysis.moves:
        return f"- None of its moves could be judged ({where})"
    since = ""
    if not analysis.is_complete(record):
        since = f", as far as is known, which is from ply {analysis.moves[0].ply + 1} on"
    blunder = lost.blunder
    if blunder is None:
        return (
            f"- It was lost {'all the time' if since else 'from its opening on'}{since} ({where})"
        )
    was, prize = ("won", "win") if blunder.before > 0 else ("drawn", "draw")
    return (
        f"- Ply {blunder.ply + 1}: the game was {was}, and column {record.columns[blunder.ply]} "
        f"lost it; {any_of(blunder.held_by)} would have kept the {prize}{since} ({where})"
    )


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count:,} games"
