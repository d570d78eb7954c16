"""Text for people: numbers as they read them, lists of words, strangers' text made printable.

Numbers are like `10,000`, `1.3 s`, `40 MB`, `12 moves`; strangers' text is on one line, or line by
line, and not too long.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

SECOND = 1_000_000_000


def duration(ns: float) -> str:
    """Write a measured time in nanoseconds: `8.2 s`, `15 ms`, `0.2 ms` or `under 0.1 ms`."""
    seconds = ns / SECOND
    if seconds >= 1:
        return f"{seconds:,.1f} s"
    if seconds >= 0.01:
        return f"{seconds * 1e3:.0f} ms"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 0.000_1 else "under 0.1 ms"


def rough_duration(seconds: float) -> str:
    """Write a time that somebody waits for: `8 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def about(seconds: float) -> str:
    """Write a time that is only estimated, to two digits at most: `8 s`, `25 s`, `4 min`, `2 h`."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    steps = ((60, 5), (600, 30), (1800, 60), (7200, 300), (36_000, 1800))
    step = next((step for bound, step in steps if seconds < bound), 3600)
    return rough_duration(round(seconds / step) * step).removesuffix(" 0 s").removesuffix(" 0 min")


def counted(number: int, thing: str) -> str:
    """Write a number of things: `1 move`, `12 moves`, `1,000 moves`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def whole(rating: float) -> str:
    """Write a rating without decimals, from a table's one decimal: everywhere the same."""
    return f"{round(rating * 10, 0) / 10:.0f}"


def mean(values: Collection[float]) -> float:
    """Return the mean of numbers, of which there is at least one."""
    return sum(values) / len(values)


def listed(words: Sequence[str]) -> str:
    """Write words as a list in a sentence: `a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def some(words: Sequence[str], most: int, joint: str = ", ") -> str:
    """Write the first of many words, and how many more there are: `a, b and 1,000 more`."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return joint.join(words[:most]) + more


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
