"""Strangers' text made printable: on one line, or line by line, and not too much of it."""

from __future__ import annotations

MAX_SENTENCE = 300
"""Characters of a stranger's text inside a sentence of ours."""

MAX_IN_CODE = 800
"""Characters of a stranger's text inside the code marks of a page."""

FORMULA = ("=", "+", "-", "@")
"""What a cell begins with that a spreadsheet program would compute."""


def one_line(text: str, limit: int = MAX_SENTENCE) -> str:
    """Return the text as one line of at most `limit` printable characters."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * limit])
    joined = " ".join(plain.split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def in_code(text: str) -> str:
    """Return the text as one line that stays within the code marks of Markdown around it."""
    return one_line(text, MAX_IN_CODE).replace("`", "'")


def plain_lines(text: str, width: int) -> list[str]:
    """Return the lines of a text, each printable and at most `width` characters long."""
    plain = ("".join(c if c.isprintable() else " " for c in line) for line in text.splitlines())
    return [line[:width].rstrip() for line in plain]


def harmless_cell(text: str) -> str:
    """Return the text for a cell of a CSV file that no spreadsheet program computes.

    An apostrophe goes before it where needed; `plain_cell` takes that away again.
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text


def plain_cell(cell: str) -> str:
    """Return the text that `harmless_cell` made a cell of, or Canvas, which writes `="=x"`."""
    if cell.startswith('="') and cell.endswith('"') and len(cell) > 3:
        return cell[2:-1]
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA) else cell
