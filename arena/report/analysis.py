"""An analysis for people: the table of a contest, and a section of every bot's page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from arena.contest import GameAnalysis, MoveAnalysis, Settled
from arena.numbers import counted, mean
from arena.ranking import Accuracy, Analysed, Lost, analysed_games, missing_games
from arena.report.moves import any_of
from arena.report.tables import fitted_table
from arena.rules import MARKS, Position, Ruleset, draw

DROPPED = ("moves", "known", "lost", "first blunder", "at ply", "mattered")
"""Columns of the table that a narrow screen goes without, the least important first."""

BOARDS = 3
"""Lost games of which a bot's page shows the board; all are listed."""


def analysis_table(rows: Iterable[Accuracy], width: int) -> Table:
    """Show accuracy and blunders of each bot, the most accurate first, `width` columns wide."""
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
        "at ply": [f"{mean(each):.1f}" if each else "" for each in plies],
    }
    return fitted_table(cells, width, DROPPED)


def missing_lines(
    settled: Settled, analyses: Mapping[str, GameAnalysis], folder: Path
) -> Iterator[Text]:
    """Yield a line, to be printed below the leaderboard, if only some games were analysed."""
    missing = len(missing_games(settled, analyses))
    if analyses and missing:
        done = len(analysed_games(settled, analyses))
        are = "is" if done == 1 else "are"
        yield Text(
            f"{done:,} of {counted(done + missing, 'game')} {are} analysed: "
            f"arena analyse {shlex.quote(str(folder))}",
            style="yellow",
        )


def coverage_line(games: Sequence[Analysed]) -> str:
    """Say how far back the games are known, one sentence."""
    complete = sum(analysis.is_complete(record) for _, record, analysis in games)
    if complete == len(games):
        return f"every move of the {counted(len(games), 'game')} is known"
    since = sorted(
        analysis.moves[0].ply + 1
        for _, record, analysis in games
        if analysis.moves and not analysis.is_complete(record)
    )
    parts = [f"{complete} of {counted(len(games), 'game')} known from the opening on"]
    if since:
        plies = f"{since[0]} to {since[-1]}" if since[0] < since[-1] else f"{since[0]}"
        parts.append(f"{len(since)} only from a later ply on ({plies})")
    if unknown := len(games) - complete - len(since):
        parts.append(f"nothing known of {unknown}")
    return ", ".join(parts)


def accuracy_section(
    row: Accuracy, rules: Ruleset, replay: str | None, called: Callable[[str], str]
) -> list[str]:
    """Return lines of Markdown for a bot's page: how accurate it was, and where it lost its games.

    `replay` is the command that shows a game, to which the game's number is added; with None games
    have no numbers, and an order that says nothing about them. `called` returns what the page calls
    a bot.
    """
    lines = ["## Its moves against perfect play", "", _summary(row)]
    if not row.known:
        return lines
    if row.lost:
        lines += ["", "### Where its lost games were lost", ""]
    shown = 0
    losses = list(row.lost)
    if replay is None:
        losses.sort(key=lambda lost: _sides(lost.analysed, called))
    for lost in losses:
        if lost.blunder is None:
            continue
        lines.append(_blunder_line(lost, lost.blunder, replay, called))
        if shown < BOARDS:
            shown += 1
            position = Position(rules, lost.analysed.record.columns[: lost.blunder.ply])
            lines += ["", *(f"      {line}" for line in draw(position).splitlines()), ""]
    unknown = [lost.analysed for lost in losses if not lost.blunder]
    lines += _without_blunder(unknown, replay, called)
    return lines


def _summary(row: Accuracy) -> str:
    """Say how many of a bot's games are known and how accurate it was, in a few sentences."""
    if not row.missing:
        return _judged(row)
    if not row.games:
        return "Its games have not been analysed yet."
    are = "is" if row.games == 1 else "are"
    return (
        f"{row.games} of its {row.games + row.missing} games {are} analysed so far. {_judged(row)}"
    )


def _judged(row: Accuracy) -> str:
    """Say how accurate a bot was in the games that were analysed."""
    if not row.moves:
        return "It made no move in the games that were analysed."
    if not row.known:
        none = f"None of its {row.moves:,} moves could be judged"
        return f"{none}: they are too far from the games' ends."
    known = f"{len(row.known):,} of its {row.moves:,} moves could be judged"
    if row.accuracy is None:
        return f"{known}; no other moves there would have changed how a game ends."
    return (
        f"{known}. At {row.mattered} of them it could choose between moves that end differently. "
        f"Blunders, which gave away a win or a draw: {row.blunders}. "
        f"Accuracy: {row.accuracy:.1%}."
    )


def _blunder_line(
    lost: Lost, blunder: MoveAnalysis, replay: str | None, called: Callable[[str], str]
) -> str:
    """Say where a game was lost, as an item of a list."""
    game, record, analysis = lost.analysed
    since = ""
    if not analysis.is_complete(record):
        since = f"; its moves are known from ply {analysis.moves[0].ply + 1} on"
    which = _sides(lost.analysed, called)
    if replay:
        which = f"game {game.number}, {which}; `{replay} {game.number}`"
    was, prize = ("won", "win") if blunder.before > 0 else ("drawn", "draw")
    return (
        f"- Ply {blunder.ply + 1}, as {MARKS[blunder.ply % 2]}: the game was {was}, and column "
        f"{record.columns[blunder.ply]} lost it; column {any_of(blunder.held_by)} would have kept "
        f"the {prize}{since} ({which})"
    )


def _without_blunder(
    games: Sequence[Analysed], replay: str | None, called: Callable[[str], str]
) -> Iterator[str]:
    """Yield an item of a list for each reason why the losing move of games is not known."""
    whole = [each for each in games if each.analysis.is_complete(each.record)]
    unknown = [each for each in games if not each.analysis.moves]
    part = [
        each for each in games if each.analysis.moves and not each.analysis.is_complete(each.record)
    ]
    if whole:
        yield f"- Lost from the opening on: {_named(whole, replay, called)}"
    if part:
        plies = sorted(each.analysis.moves[0].ply + 1 for each in part)
        since = f"{plies[0]} to {plies[-1]}" if plies[0] < plies[-1] else f"{plies[0]}"
        yield (
            f"- In {counted(len(part), 'lost game')} the first losing move is not known: "
            f"{'it was' if len(part) == 1 else 'they were'} lost already where the solver could "
            f"begin (from ply {since} on): {_named(part, replay, called)}"
        )
    if unknown:
        yield (
            f"- In {counted(len(unknown), 'lost game')} none of the moves could be judged: "
            f"{_named(unknown, replay, called)}"
        )


def _sides(analysed: Analysed, called: Callable[[str], str]) -> str:
    """Name a game by its players: `amber otter 417 against calm newt 500`."""
    return f"{called(analysed.game.first)} against {called(analysed.game.second)}"


def _named(games: Sequence[Analysed], replay: str | None, called: Callable[[str], str]) -> str:
    """Name games and the command that shows one: `games 2, 5; as in …`, or else their players."""
    if replay is None:
        return ", ".join(dict.fromkeys(_sides(each, called) for each in games))
    numbers = ", ".join(str(each.game.number) for each in games)
    shown = f"`{replay} {games[0].game.number}`"
    return f"game {numbers}; {shown}" if len(games) == 1 else f"games {numbers}; as in {shown}"
