"""Text in lines of a fixed width: in cells of a terminal, of which 漢 takes two."""

from __future__ import annotations

from unicodedata import bidirectional

from rich.cells import cell_len, set_cell_size

from arena.common.text import one_line

LEFT_TO_RIGHT = "\u200e"
"""Ends a text that runs from right to left, so that what follows it stays where it is."""


def fitted(text: str, width: int) -> str:
    """Return a stranger's text as one printable line of at most `width` cells."""
    plain = cut(one_line(text), width)
    is_backwards = any(bidirectional(letter) in ("R", "AL") for letter in plain)
    return plain + LEFT_TO_RIGHT * is_backwards


def cut(text: str, width: int) -> str:
    """Return a printable text, shortened to `width` cells."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return a printable text in exactly `width` cells; at their `right` end, or at their left."""
    shown = cut(text, width)
    space = " " * (width - cell_len(shown))
    return space + shown if right else shown + space
