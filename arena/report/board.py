"""A position as a coloured board, for a terminal."""

from __future__ import annotations

from rich.text import Text

from arena.rules import DISCS, Position

STYLES = ("grey66 on dodger_blue3", "bold bright_white on red3", "bold black on gold1")
"""Styles of an empty cell and of the discs of player 1 and 2."""

LINE = "bold black on bright_white"
"""Style of a disc on a complete line."""

LAST = "underline"
"""Added to the style of the disc that fell last."""

EMPTY = "·"

WIDEST = 3
"""Characters of a cell, where there is room for them and nobody asks for others."""


def board_text(position: Position, width: int, widest: int = WIDEST) -> Text:
    """Draw the board under the numbers of its columns, as wide as fits in `width` characters.

    A cell takes `widest` characters at most. The discs of complete lines stand out, and so does the
    last one.
    """
    rows, columns = position.rules.rows, position.rules.columns
    cell = min(max(width // columns, 1), widest)
    made = {each for player in (0, 1) for line in position.lines_of(player) for each in line}
    rack = position.rack()
    last = position.moves[-1:]
    text = Text(no_wrap=True)
    for column in range(columns):
        text.append(str(column)[-cell:].center(cell), "bold")
    for row in reversed(range(rows)):
        text.append("\n")
        for column in range(columns):
            disc = rack[column][row]
            style = LINE if column * rows + row in made else STYLES[disc]
            if (column,) == last and disc and not any(rack[column][row + 1 :]):
                style = f"{style} {LAST}"
            text.append((DISCS[disc] if disc else EMPTY).center(cell), style)
    return text
