"""The terminal of a person who plays: a screen redrawn for every move, or plain lines."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext

import click
from rich.text import Text

from arena.cli.screen import screen
from arena.quoting import one_line
from arena.report.board import board_text
from arena.rules import Goal, Position, Ruleset, draw

MOST_TYPED = 10_000
"""Longest line that is read, in characters."""


class Terminal:
    """Shows the board and remarks about it, and asks for a line.

    A real terminal shows only the current board, with the remarks since the last question.
    Otherwise everything is printed as it comes, and so is every line that was read.
    """

    def __init__(self) -> None:
        self._console = screen()
        self._live = self._console.is_terminal and sys.stdin is not None and sys.stdin.isatty()
        self._shown: tuple[Ruleset, tuple[int, ...]] | None = None
        self._caption: tuple[str, ...] = ()
        self._said: list[str] = []

    def show(self, position: Position) -> None:
        """Show a position, unless it is shown already."""
        shown, self._shown = self._shown, (position.rules, position.moves)
        if self._live:
            self._redraw()
        elif shown != self._shown:
            click.echo(f"\n{draw(position)}{_score(position)}\n")

    @property
    def position(self) -> Position:
        """The position that is shown."""
        assert self._shown is not None
        return Position(*self._shown)

    def caption(self, *lines: str) -> None:
        """Show lines that stay below the board until the next caption."""
        for line in lines:
            if not self._live and line not in self._caption:
                click.echo(line)
        self._caption = lines

    def say(self, line: str) -> None:
        """Show a remark until the next question."""
        self._said.append(line)
        if not self._live:
            click.echo(line)

    def ask(self, prompt: str) -> str | None:
        """Return the line that a person types; None at the end of the input."""
        if self._live:
            self._redraw()
        answer = typed_line(prompt)
        self._said.clear()
        if answer is None or not self._live:
            click.echo(one_line(answer or ""))
        return answer

    def busy(self, what: str) -> AbstractContextManager[object]:
        """Show that something is going on, until the block ends."""
        return self._console.status(f"{what} …") if self._live else nullcontext()

    def _redraw(self) -> None:
        position = self.position
        self._console.clear()
        self._console.print(board_text(position, self._console.width))
        self._console.print(Text(_score(position)))
        for line in (*self._caption, *self._said):
            self._console.print(line, markup=False)


def typed_line(prompt: str) -> str | None:
    """Ask for a line on standard input, stripped; None where there is no more."""
    click.echo(prompt, nl=False)
    line = sys.stdin.readline(MOST_TYPED) if sys.stdin is not None else ""
    return line.strip() if line else None


def _score(position: Position) -> str:
    """Return the number of lines of each player, where that decides the game."""
    if position.rules.goal is Goal.FIRST:
        return ""
    one, two = position.lines_made
    return f"\nlines: X {one}, O {two}"
