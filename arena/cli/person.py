"""A person as a player: asks for a column, and carries out commands typed instead of one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from typing import NoReturn

from arena.cli.files import read_text, write_text
from arena.cli.screen import ready_engine, screen
from arena.cli.terminal import Terminal
from arena.engine.pieces import Piece
from arena.errors import InputError, LeftError, LoadedError, StorageError, TakenBackError
from arena.host.protocol import UNMETERED
from arena.quoting import one_line
from arena.referee import Answer
from arena.referee.game import NOTHING_SEEN
from arena.rules import MARKS, Position, Ruleset, format_game, parse_game

HELP = """\
3           drop your disc in column 3
hint        what Arena's engine would play
undo        take your last move back, and the answer to it
save FILE   write the game to a file; if its name ends in .html, as a page with the replay
load FILE   go on with a game from a file, in place of this one
quit        leave the game; so does the end of the input"""

HINT_NODES = 100_000
"""Nodes that the engine may search for a hint: some ten milliseconds."""

Spent = dict[int, tuple[int, int]]
"""Time in nanoseconds and nodes of each answer at a table, by the discs on the board before it."""

Save = Callable[[Position, str], None]
"""Writes a game to the file that somebody named. Raises InputError, StorageError."""

COLUMN = re.compile(r"-?[0-9]{1,9}")


class Person:
    """A player who is asked on a terminal. Raises an InterruptedGameError in place of an answer."""

    def __init__(self, terminal: Terminal, begins: int, save: Save, spent: Spent) -> None:
        """`begins` is how many discs are down before the first move of any person."""
        self._terminal = terminal
        self._begins = begins
        self._save = save
        self._spent = spent
        self._position: Position

    def sit(self, player: int, rules: Ruleset, opening: tuple[int, ...], seed: int) -> None:
        """Get ready for a game."""
        self._position = Position(rules, opening)

    def ask(self, seen: int) -> Answer:
        """Return the column that the person types; the time is measured but never limited."""
        position = self._position
        if seen != NOTHING_SEEN:
            position.play(seen)
        started = perf_counter_ns()
        self._terminal.show(position)
        column = ask_column(self._terminal, position, self._begins, self._save)
        spent_ns = perf_counter_ns() - started
        self._spent[position.ply] = spent_ns, UNMETERED
        position.play(column)
        self._terminal.show(position)
        return column, spent_ns, UNMETERED

    def dismiss(self) -> str:
        """Return nothing: persons commit no faults."""
        return ""


def ask_column(terminal: Terminal, position: Position, begins: int, save: Save) -> int:
    """Ask until a column is typed that can be played. Raises an InterruptedGameError.

    Moves of persons are there to be taken back if there are more than `begins` discs.
    """
    while True:
        typed = terminal.ask(f"{MARKS[position.to_move]}'s move: ")
        try:
            if not _obeyed(typed, terminal, position, begins, save):
                return _column(typed or "", position)
        except (InputError, StorageError) as error:
            terminal.say(str(error))


def ask_afterwards(terminal: Terminal, position: Position, begins: int, save: Save) -> NoReturn:
    """Ask what is wanted once a game is over. Raises an InterruptedGameError; see `ask_column`."""
    while True:
        typed = terminal.ask("undo, save FILE, or Enter to leave: ")
        try:
            if not typed:
                raise LeftError
            if not _obeyed(typed, terminal, position, begins, save):
                raise InputError("the game is over")
        except (InputError, StorageError) as error:
            terminal.say(str(error))


def _obeyed(
    typed: str | None, terminal: Terminal, position: Position, begins: int, save: Save
) -> bool:
    """Carry out what was typed if it is a command; False if it is none.

    Raises an InterruptedGameError, InputError, StorageError.
    """
    if typed is None:
        raise LeftError
    word, _, rest = typed.partition(" ")
    match word.lower(), rest.strip():
        case (("?" | "h" | "help"), ""):
            terminal.say(HELP)
        case "hint", "":
            terminal.say(_hint(position))
        case "undo", "":
            if position.ply <= begins:
                raise InputError("there is no move of yours to take back")
            raise TakenBackError
        case "save", file:
            if not file:
                raise InputError("save to which file? type save FILE")
            save(position, file)
            terminal.say(f"saved in {file}")
        case "load", file:
            read_game(file)
            raise LoadedError(file)
        case (("quit" | "q" | "exit"), ""):
            raise LeftError
        case _:
            return False
    return True


def read_game(file: str) -> Position:
    """Return the game in a file that `save` wrote. Raises InputError."""
    if not file:
        raise InputError("load which file? type load FILE")
    text = read_text(Path(file))
    try:
        return parse_game(text)
    except ValueError as error:
        raise InputError(f"{file}: no saved game: {error}") from None


def save_game(position: Position, file: str) -> None:
    """Write the game to a file; of files that exist only saved games are replaced.

    Raises InputError, StorageError.
    """
    if os.path.exists(file):
        try:
            read_game(file)
        except InputError:
            raise InputError(f"{file}: is there, and is no saved game; not overwritten") from None
    write_text(Path(file), format_game(position))


def _column(typed: str, position: Position) -> int:
    """Return the column that was typed. Raises InputError if it cannot be played."""
    if not COLUMN.fullmatch(typed):
        if not typed:
            raise InputError("type a column, or ? for help")
        raise InputError(f"{one_line(typed, 40)!r} is no column, nor a command; ? for help")
    column, columns = int(typed), position.rules.columns
    if not 0 <= column < columns:
        there = f"columns are 0 to {columns - 1}" if columns > 1 else "there is only column 0"
        raise InputError(f"column {column} does not exist: {there}")
    if not position.can_play(column):
        raise InputError(f"column {column} is full")
    return column


def _hint(position: Position) -> str:
    """Return the engine's move, and how the game ends if that is certain. Raises InputError."""
    if position.is_over:
        raise InputError("the game is over")
    ready_engine(screen(stderr=True), Piece.SEARCH)
    # numba takes half a second to import, and most games are played without a hint
    from arena.engine import Engine
    from arena.engine.values import MAX_STATIC

    found = Engine(position.rules).search(position, nodes=HINT_NODES)
    if abs(found.score) <= MAX_STATIC:
        return f"hint: column {found.column}"
    return f"hint: column {found.column}, which {'wins' if found.score > 0 else 'loses'}"
