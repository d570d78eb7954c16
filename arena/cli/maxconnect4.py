"""`arena maxconnect4`: MaxConnect4 from a file, as its course plays it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click

from arena.cli.files import ANY_PATH, OneOf, parsed, read_text, write_text
from arena.cli.screen import ready_engine, screen, typed_line
from arena.common.errors import IllegalMoveError, InputError
from arena.engine.machine_code import Piece
from arena.rules import RULESETS, Grid, draw_rack

COMPUTER, HUMAN = "computer-next", "human-next"

# For each player, the file in the current folder to which moves are written.
SAVED = {COMPUTER: Path("computer.txt"), HUMAN: Path("human.txt")}
ALL_COLUMNS = tuple(map(str, range(RULESETS["max"].columns)))


@click.command()
@click.argument("in_file", metavar="IN", type=ANY_PATH)
@click.argument("out_file", metavar="OUT", type=ANY_PATH)
@click.argument("depth", metavar="DEPTH", type=int)
def one_move(in_file: Path, out_file: Path, depth: int) -> None:
    """Make one move of MaxConnect4: read a board from IN, write the next to OUT.

    The game ends when the board is full, and every four discs in a row are a point. A file has six
    lines of seven digits, the top row first, 0 for an empty cell; then 1 or 2 for the player to
    move. If IN is missing, the board is empty; if it is full, no OUT is written. Arena's engine
    looks DEPTH moves ahead.

    \b
    Example:
      arena maxconnect4 one-move red_next.txt green_next.txt 10
    """
    grid, choose = _read(in_file), _engine(depth)
    _show(grid)
    if not grid.is_full:
        grid = _play_column(grid, choose(grid))
        _show(grid)
        write_text(out_file, grid.text())


@click.command()
@click.argument("in_file", metavar="IN", type=ANY_PATH)
@click.argument("turn", metavar=f"{COMPUTER}|{HUMAN}", type=OneOf([COMPUTER, HUMAN]))
@click.argument("depth", metavar="DEPTH", type=int)
def interactive(in_file: Path, turn: str, depth: int) -> None:
    """Play MaxConnect4 against Arena's engine, which looks DEPTH moves ahead.

    IN is a file as for `arena maxconnect4 one-move`, with the player to move, 1 or 2. The next
    word says who moves next, the computer or you. Every move is saved in the current folder: the
    engine's in computer.txt, yours in human.txt.

    \b
    Example:
      arena maxconnect4 interactive input1.txt computer-next 7
    """
    grid, saved = _read(in_file), None
    choose = _engine(depth)
    _show(grid)
    while not grid.is_full:
        column = choose(grid) if turn == COMPUTER else _ask(grid)
        if column is None:
            stands = f" The game stands in {saved}." if saved else ""
            click.echo(f"\nNo more moves to read.{stands}")
            return
        grid, saved = _play_column(grid, column), SAVED[turn]
        write_text(saved, grid.text())
        _show(grid)
        turn = HUMAN if turn == COMPUTER else COMPUTER


def _engine(depth: int) -> Callable[[Grid], int]:
    if depth < 1:
        raise InputError(f"DEPTH {depth}: expected how many moves to look ahead, 1 or more")
    # numba takes half a second to import
    from arena.engine import Engine

    ready_engine(screen(stderr=True), (Piece.SEARCH,))
    engine = Engine(RULESETS["max"], selective=False)  # search all moves to this depth
    return lambda grid: engine.search_rack(grid.rack, grid.to_move, depth=depth).column


def _ask(grid: Grid) -> int | None:
    while True:
        word = typed_line(f"{grid.to_move + 1}-player, your column (0 to 6): ")
        if word is None:
            return None
        if word not in ALL_COLUMNS:
            click.echo("That is no column: expected a number from 0 (left) to 6 (right).")
            continue
        try:
            grid.play(int(word))
        except IllegalMoveError as error:
            click.echo(f"That cannot be played: {error}.")
        else:
            return int(word)


def _play_column(grid: Grid, column: int) -> Grid:
    click.echo(f"\nThe {grid.to_move + 1}-player plays column {column}.\n")
    return grid.play(column)


def _show(grid: Grid) -> None:
    one, two = grid.score
    click.echo(draw_rack(grid.rack, " 12"))
    click.echo(f"Score: 1-player {one}, 2-player {two}")
    if grid.is_full:
        won = f"the {1 if one > two else 2}-player wins" if one != two else "nobody wins"
        click.echo(f"The board is full: {won}.")


def _read(path: Path) -> Grid:
    if not os.path.lexists(path):
        click.echo(f"{path}: no such file, so the board is empty and player 1 begins", err=True)
        return Grid()
    return parsed(read_text(path), Grid.parse, path)
