"""Text for people: numbers, lists of words, strangers' text made printable."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
from collections.abc import Iterable, Sequence

SECOND = 1_000_000_000


def duration(ns: float) -> str:
    """Return a measured time: `8.2 s`, `15 ms`, `0.2 ms` or `under 0.1 ms`."""
    seconds = ns / SECOND
    if seconds >= 1:
        return f"{seconds:,.1f} s"
    if seconds >= 0.01:
        return f"{seconds * 1e3:.0f} ms"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 0.000_1 else "under 0.1 ms"


def rough_duration(seconds: float) -> str:
    """Return a waiting time: `8 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def estimated_duration(seconds: float) -> str:
    """Return an estimated time with at most two digits: `8 s`, `25 s`, `4 min`, `2 h`."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    steps = ((60, 5), (600, 30), (1800, 60), (7200, 300), (36_000, 1800))
    step = next((step for bound, step in steps if seconds < bound), 3600)
    return rough_duration(round(seconds / step) * step).removesuffix(" 0 s").removesuffix(" 0 min")


SPAN = re.compile(r"(?:(\d+(?:\.\d+)?) ?(d|h|min|m|s) ?)+", re.ASCII)
UNITS = {"d": 86_400.0, "h": 3600.0, "min": 60.0, "m": 60.0, "s": 1.0}


def span(text: str) -> float | None:
    """Return the seconds of a time like `8h`, `90min` or `1h 30m`; None for others."""
    if not SPAN.fullmatch(text.strip()):
        return None
    parts = re.findall(r"([\d.]+) ?(d|h|min|m|s)", text)
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def counted(number: int, thing: str) -> str:
    """Return a number and a noun, in the plural if needed: `1 move`, `2 plies`."""
    if number != 1:
        thing = re.sub("(?<=[lr])y$", "ie", thing) + ("es" if thing.endswith("s") else "s")
    return f"{number:,} {thing}"


def evenly(numbers: Sequence[float]) -> list[str]:
    """Return numbers of a column, all with the decimals of the longest, 3 at most."""
    needed = (len(f"{each:.3f}".rstrip("0").partition(".")[2]) for each in numbers)
    decimals = max(needed, default=0)
    return [f"{each:.{decimals}f}" for each in numbers]


def rounded_rating(rating: float) -> str:
    """Return a rating without decimals, rounded so that it agrees with tables."""
    return f"{round(rating * 10, 0) / 10:.0f}"


def quote(word: str) -> str:
    """Return a word as this system's shell reads it. Names on Windows have no quotes."""
    if os.name != "nt":
        return shlex.quote(word)
    return word if re.fullmatch(r"[\w.:\\/+=-]+", word) else f'"{word}"'


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words as a list: `a`, `a and b`, `a, b and c`."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def some_of(words: Sequence[str], most: int, joint: str = ", ") -> str:
    """Return the first `most` words and a count of the others: `a, b and 1,000 more`."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return joint.join(words[:most]) + more


MAX_SENTENCE = 300  # Characters of a stranger's text in a sentence.
MAX_IN_CODE = 800  # Characters of a stranger's text between code marks.
FORMULA = ("=", "+", "-", "@")  # First characters of a cell that a spreadsheet takes for a formula.


def one_line(text: str, limit: int = MAX_SENTENCE) -> str:
    """Return the text as one line of at most `limit` printable characters."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * limit])
    joined = " ".join(plain.split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def in_code(text: str) -> str:
    """Return the text as one line that is safe between Markdown's code marks."""
    return one_line(text, MAX_IN_CODE).replace("`", "'")


def plain_lines(text: str, width: int) -> list[str]:
    plain = ("".join(c if c.isprintable() else " " for c in line) for line in text.splitlines())
    return [line[:width].rstrip() for line in plain]


def harmless_cell(text: str) -> str:
    """Return the text as a CSV cell; a formula gets an apostrophe in front."""
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text


def harmless_csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with harmless texts; a number like -5 is no formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow(harmless_cell(cell) if isinstance(cell, str) else cell for cell in row)
    return text.getvalue()


def plain_cell(cell: str) -> str:
    """Undo `harmless_cell`; also return the `x` of a cell `="x"`, as Canvas writes it."""
    if cell.startswith('="') and cell.endswith('"') and len(cell) > 3:
        return cell[2:-1]
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA) else cell
