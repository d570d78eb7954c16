"""Text and tables that fit a terminal; a character like 漢 takes two cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from unicodedata import bidirectional

from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from arena.common.text import one_line

LEFT_TO_RIGHT = "\u200e"  # ends right-to-left text, so that the text after it stays in place


def fitted(text: str, width: int) -> str:
    """Return an untrusted text as one printable line of at most `width` cells."""
    plain = cut(one_line(text), width)
    is_backwards = any(bidirectional(letter) in ("R", "AL") for letter in plain)
    return plain + LEFT_TO_RIGHT * is_backwards


def cut(text: str, width: int) -> str:
    """Return a printable text, cut to at most `width` cells."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return a printable text in exactly `width` cells, aligned left or `right`."""
    shown = cut(text, width)
    space = " " * (width - cell_len(shown))
    return space + shown if right else shown + space


NAME_WIDTH = 16  # longer bot names are folded
LEFT = ("bot", "verdict")  # columns aligned to the left and folded
BETWEEN = 3  # characters between two columns


def fitted_table(
    cells: Mapping[str, Sequence[str]], width: int, dropped: Iterable[str] = ()
) -> Table:
    """Return a table for a screen `width` columns wide; `cells` are columns by title.

    Columns of `dropped` are left out, in this order, until the table fits.
    """
    need = {title: max(map(cell_len, [title, *column])) for title, column in cells.items()}
    if "bot" in need:
        need["bot"] = min(need["bot"], NAME_WIDTH)
    for title in dropped:
        if title in need and sum(each + BETWEEN for each in need.values()) + 1 > width:
            del need[title]
    table = Table(header_style="bold")
    for title in need:
        if title in LEFT:
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in zip(*(cells[title] for title in need), strict=True):
        named = zip(need, row, strict=True)
        table.add_row(
            *(
                Text(cell, "red" if title == "by fault" and cell != "0" else "")
                for title, cell in named
            )
        )
    return table
