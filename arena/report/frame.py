"""A game after some of its discs, drawn into the rows and columns that a terminal has."""

from __future__ import annotations

from textwrap import wrap

from rich.text import Text

from arena.report.board import WIDEST, board_text
from arena.report.replayed import EVEN, LOST, WON, Replay
from arena.rules import MARKS

WORTH = 5
"""Characters of a cell of the board above what columns are worth."""

LEAST_WORTH = 3
"""Characters without which that is left out."""

QUIET = "bright_black"
"""Style of what is less important."""

WORTH_STYLES = {WON: "bold green", LOST: "red", EVEN: "bold"}
"""Styles of what a column is worth, where that is known; an estimate has none."""


def frame(replay: Replay, ply: int, width: int, height: int, keys: str) -> Text:
    """Draw a game after so many discs, in at most `height` lines of at most `width` cells.

    `keys` says which keys there are. A low terminal goes without the legend, then without the
    title, the keys, what is below the board, and the board's upper rows.
    """
    worths = replay.worths(ply)
    position = replay.position(ply)
    board = list(board_text(position, width, WORTH if replay.legend() else WIDEST).split("\n"))
    cell = board[0].cell_len // position.rules.columns
    if worths and cell >= LEAST_WORTH:
        board.append(_worth_row(worths, cell))
    if len(board) > height - 1:  # discs lie at the bottom
        board = [board[0], *board[len(board) - max(height - 2, 0) :]]
    below = _below(replay, ply, width)
    title = [Text(replay.title(), "bold"), Text(str(position.rules), QUIET), Text()]
    legend = [Text(line, QUIET) for line in wrap(replay.legend(), width)] if worths else []
    foot = [Text(keys, "reverse")]
    room = height - len(board) - len(below) - len(foot)
    lines = [*title[: max(room, 0)], *board, *below]
    if room >= len(title) + len(legend):
        lines += legend
    lines = [*lines, *foot][:height]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return Text("\n", no_wrap=True, overflow="crop").join(lines)


def _worth_row(worths: list[str], cell: int) -> Text:
    """Draw what columns are worth, each as wide as a cell of the board."""
    row = Text()
    for worth in worths:
        row.append(worth.center(cell), WORTH_STYLES.get(worth, ""))
    return row


def _below(replay: Replay, ply: int, width: int) -> list[Text]:
    """Return lines about the last move and whose turn it is, or about the end."""
    said = [Text(line) for line in wrap(replay.move(ply), width)]
    if ply in replay.blunders:
        for line in said:
            line.stylize("red")
    if ply < replay.plies:
        return [*said, Text(f"after {ply} of {replay.plies} plies, {MARKS[ply % 2]} to move")]
    fault = [replay.move(ply + 1)] if replay.ends_without_move else []
    ending = [Text(line) for text in replay.ending() for line in wrap(text, width)]
    ending[0].stylize("bold")
    lines = [*ending[:1], *said, *map(Text, fault), *ending[1:]]
    if output := replay.output():
        lines += [Text("The last the loser printed:", QUIET), *map(Text, output)]
    return lines
