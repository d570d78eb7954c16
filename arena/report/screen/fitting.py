"""Text in a fixed number of terminal cells; a character like 漢 takes two."""

from __future__ import annotations

from unicodedata import bidirectional

from rich.cells import cell_len, set_cell_size

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
