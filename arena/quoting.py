"""Showing text that strangers wrote: printable, on one line, and not too much of it."""

from __future__ import annotations

import re
import sysconfig

MAX_SENTENCE = 300
"""Characters of a stranger's text inside a sentence of ours."""

SCRATCH = re.compile(r"/(?:[^\s/'\":]+/)*arena-\w{8}/[0-9a-f]{16,}(?:/|(?=[\s'\":]|$))")
"""The folder that a bot plays in."""


def one_line(text: str, limit: int = MAX_SENTENCE) -> str:
    """The text as one line of printable characters, at most `limit` of them."""
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * limit])
    joined = " ".join(plain.split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def plain_lines(text: str, width: int) -> list[str]:
    """The lines of a text, each printable and at most `width` characters long."""
    plain = ("".join(c if c.isprintable() else " " for c in line) for line in text.splitlines())
    return [line[:width].rstrip() for line in plain]


def without_machine(text: str) -> str:
    """The text without folders of this machine that a bot's author knows nothing of.

    Those are the one a bot plays in, of which its own files' names are left, and those where Python
    and the installed packages lie.
    """
    text = SCRATCH.sub("", text)
    for name in ("purelib", "platlib", "stdlib"):  # packages may lie below the standard library
        text = text.replace(f"{sysconfig.get_paths()[name]}/", "")
    return text
