"""Text and tables that fit a terminal; a character like 漢 takes two cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from unicodedata import bidirectional

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import OverflowMethod
from rich.table import Table
from rich.text import Text

from arena.common.text import one_line
from arena.rules import MARKS

LEFT_TO_RIGHT = "\u200e"  # ends right-to-left text, so that the text after it stays in place


def fitted(text: str, width: int) -> str:
    """Return an untrusted text as one printable line of at most `width` cells."""
    plain = cut(one_line(text), width)
    is_backwards = any(bidirectional(letter) in ("R", "AL") for letter in plain)
    return plain + LEFT_TO_RIGHT * is_backwards


def cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""


NAME_WIDTH = 16  # longer bot names are folded
MOST = {"bot": NAME_WIDTH, "reason": 20}  # cells for which a table leaves out other columns
LEFT = ("bot", *MARKS, "winner", "verdict", "reason")  # columns on the left that may be shortened


def fitted_table(
    cells: Mapping[str, Sequence[str]],
    width: int,
    dropped: Iterable[str] = (),
    *,
    styles: Sequence[str] | None = None,
) -> Table:
    """Return a table for a screen `width` columns wide; `cells` are columns by title.

    Columns of `dropped` are left out, in this order, until the table fits. With `styles`, one for
    each row, the table has no borders, and each row is one line.
    """
    is_list = styles is not None
    gap, ends = (2, -2) if is_list else (3, 1)  # cells that a column adds, and the whole table
    need = {title: max(map(cell_len, [title, *column])) for title, column in cells.items()}
    need |= {title: min(need[title], most) for title, most in MOST.items() if title in need}
    for title in dropped:
        if title in need and sum(each + gap for each in need.values()) + ends > width:
            del need[title]
    table = Table(
        header_style="bold",
        box=None if is_list else box.HEAVY_HEAD,
        padding=(0, gap, 0, 0) if is_list else (0, 1),
        pad_edge=not is_list,
        row_styles=styles,
    )
    overflow: OverflowMethod = "ellipsis" if is_list else "fold"
    for title in need:
        if title in LEFT:
            table.add_column(title, overflow=overflow)
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in zip(*(cells[title] for title in need), strict=True):
        named = zip(need, row, strict=True)
        table.add_row(
            *(
                Text(
                    cell,
                    "red" if title == "by fault" and cell != "0" else "",
                    no_wrap=is_list,
                    overflow=overflow,
                )
                for title, cell in named
            )
        )
    return table
