"""`arena lab solve`: exact values of positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.ask import position_after
from arena.cli.options import contest_from, rules_options
from arena.cli.screen import busy, ready_engine, screen, tracked
from arena.common.errors import InputError, UnsolvedError
from arena.common.text import counted, duration, one_line
from arena.engine.machine_code import Piece, fits
from arena.rules import MARKS, Goal, Position, Ruleset, draw
from arena.settings.contest import Contest

if TYPE_CHECKING:
    from arena.engine import Solved

T = TypeVar("T")
SHOWN = 5  # Number of listed positions with an unexpected value.

# A line of a file of positions: FILE:LINE, position, expected value.
Scored = tuple[str, Position, int]


@click.command()
@click.argument("moves", nargs=-1)
@rules_options
@click.option(
    "--one-based/--zero-based",
    default=None,
    help="How MOVES count columns: from 1 as in print, or from 0. Default: 0, in a file 1.",
)
@click.option("--positions", metavar="FILE", help="Check scored positions, - for standard input.")
@click.option(
    "--seconds",
    type=float,
    default=60.0,
    show_default=True,
    help="Time for one position.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def solve(
    moves: tuple[str, ...],
    one_based: bool | None,
    positions: str | None,
    seconds: float,
    as_json: bool,
    **options: Any,
) -> int:
    """Find the exact value and the best columns after MOVES.

    MOVES are columns, like `3 3 2 4` or `3,3,2,4`, or `3324` if one digit is enough; without MOVES
    the board is empty. A line of FILE is `MOVES SCORE`. A score is for the side to move: 1 if it
    wins with its last disc, 2 with the last but one …, 0 for a draw, negative if it loses.

    \b
    Examples:
      arena lab solve 3 3 3 3 3 3 2 2 2 2 2 4
      arena lab solve --preset cs4100 --positions late.txt
    """
    if not seconds >= 0:  # true for nan
        raise InputError(f"--seconds {seconds:g}: expected a number of seconds, like 5 or 0.5")
    rules = contest_from(Contest(), options).rules
    if positions is None:
        return _solve(position_after(moves, rules, int(one_based is True)), seconds, as_json)
    if moves:
        raise InputError("MOVES or --positions FILE, not both")
    return _check(list(_scored(positions, rules, int(one_based is not False))), seconds, as_json)


def _solve(position: Position, seconds: float, as_json: bool) -> int:
    # numba takes half a second to import
    from arena.engine import Solver
    from arena.engine.opening_values import opening_values

    ready_engine(console := screen(stderr=True), _pieces(position.rules))
    started = perf_counter()
    with busy(f"solving, for {seconds:g} s at most", console):
        known = opening_values(position.rules)
        solver = Solver(position.rules, table_bits=24, known=known)
        try:
            solved = solver.solve(position, seconds=seconds)
        except UnsolvedError:
            click.echo(
                f"arena: not solved within {seconds:g} seconds ({solver.nodes:,} nodes); "
                "--seconds gives it more",
                err=True,
            )
            return 1
    spent_ms = (perf_counter() - started) * 1e3
    if as_json:
        click.echo(json.dumps(_plain(position, solved, spent_ms), indent=2))
        return 0
    click.echo(draw(position))
    click.echo(f"\n{MARKS[position.to_move]} to move. {sentence(position, solved.value)}\n")
    for column, value in enumerate(solved.columns):
        shown = "full" if value is None else f"{value:+d}" if value else "0"
        best = "   best" if column in solved.best else ""
        click.echo(f"column {column:>2}  {shown:>4}{best}")
    click.echo(f"\n{counted(solved.nodes, 'node')}, {duration(spent_ms * 1e6)}")
    return 0


def sentence(position: Position, value: int) -> str:
    mover, other = MARKS[position.to_move], MARKS[1 - position.to_move]
    winner, loser = (mover, other) if value > 0 else (other, mover)
    if value == 0:
        return "With best play the game is a draw."
    if position.rules.goal is Goal.MOST:
        return f"With best play {winner} makes {counted(abs(value), 'more line')} than {loser}."
    discs, plies = distance(position, value)
    if plies == 1:
        return f"{winner} wins with this disc."
    more = counted(discs, "more disc")
    return f"With best play {winner} wins {counted(plies, 'ply')} from here, with {more}."


def distance(position: Position, value: int) -> tuple[int, int]:
    """Return the number of discs, and of plies, until the winner's line; goal `first`."""
    left = position.rules.cells - position.ply
    discs = (left + (value > 0)) // 2 - abs(value) + 1
    return discs, 2 * discs - (value > 0)


def _plain(position: Position, solved: Solved, spent_ms: float) -> dict[str, Any]:
    decided = solved.value != 0
    first = position.rules.goal is Goal.FIRST
    mover = position.to_move + 1
    winner = mover if solved.value > 0 else 3 - mover
    return {
        "moves": list(position.moves),
        "to_move": mover,
        "value": solved.value,
        "winner": winner if decided else None,
        "plies": distance(position, solved.value)[1] if decided and first else None,
        "columns": list(solved.columns),
        "best": list(solved.best),
        "nodes": solved.nodes,
        "ms": round(spent_ms, 3),
    }


def _scored(file: str, rules: Ruleset, first: int) -> Iterator[Scored]:
    if file != "-" and Path(file).exists() and not Path(file).is_file():
        raise InputError(f"{file}: not a file")
    try:
        stream = click.open_file(file, encoding="utf-8")
        with stream:
            lines = stream.read().splitlines()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not a text file") from None
    for number, line in enumerate(lines, 1):
        where = f"{Path(file).name if file != '-' else 'standard input'}:{number}"
        if not line.strip():
            continue
        *moves, score = line.split()
        try:
            expected = int(score)
        except ValueError:
            raise InputError(
                f"{where}: {one_line(score, 40)!r} is not a score: expected MOVES SCORE"
            ) from None
        try:
            yield where, position_after(moves, rules, first), expected
        except InputError as error:
            raise InputError(f"{where}: {error}") from None


def _pieces(rules: Ruleset) -> tuple[Piece]:
    return (Piece.SOLVER,) if fits(rules) else (Piece.SEARCH,)


def _check(scored: list[Scored], seconds: float, as_json: bool) -> int:
    # numba takes half a second to import
    from arena.engine import Solver

    if not scored:
        raise InputError("no positions: expected lines of MOVES SCORE")
    rules = scored[0][1].rules
    ready_engine(console := screen(stderr=True), _pieces(rules))
    spent_ms, nodes, wrong = [], [], []
    Solver(Ruleset(4, 4)).value(Position(Ruleset(4, 4)))
    solver = Solver(rules)
    for where, position, score in tracked(scored, "solved", len(scored), "positions", console):
        started = perf_counter()
        try:
            found: int | None = solver.value(position, seconds=seconds)
        except UnsolvedError:
            found = None
        spent_ms.append((perf_counter() - started) * 1e3)
        nodes.append(solver.nodes)
        if found != score:
            value = "not solved in time" if found is None else f"found {found}"
            wrong.append(f"{where}: expected {score}, {value}")
    figures = {
        "positions": len(scored),
        "agree": len(scored) - len(wrong),
        "mean_ms": round(fmean(spent_ms), 4),
        "median_ms": round(median(spent_ms), 4),
        "max_ms": round(max(spent_ms), 4),
        "mean_nodes": round(fmean(nodes), 1),
    }
    if as_json:
        click.echo(json.dumps(figures | {"disagree": wrong[:SHOWN]}, indent=2))
        return int(bool(wrong))
    click.echo(f"{figures['agree']} of {len(scored)} agree")
    click.echo(
        f"mean {fmean(spent_ms):.4f} ms, median {median(spent_ms):.4f} ms, "
        f"max {max(spent_ms):.4f} ms, mean {fmean(nodes):,.1f} nodes a position"
    )
    for line in wrong[:SHOWN]:
        click.echo(line)
    if len(wrong) > SHOWN:
        click.echo(f"and {len(wrong) - SHOWN} more")
    return int(bool(wrong))
