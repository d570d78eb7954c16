"""The consoles that commands print to."""

from __future__ import annotations

from rich.console import Console

WIDE = 132
"""Columns that tables may take where there is no terminal to say otherwise."""


def screen(*, stderr: bool = False) -> Console:
    """Standard output for results, standard error for everything said on the way."""
    console = Console(stderr=stderr, highlight=False, soft_wrap=stderr)
    return (
        console
        if console.is_terminal
        else Console(stderr=stderr, highlight=False, soft_wrap=stderr, width=WIDE)
    )
