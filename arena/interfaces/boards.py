"""Boards as bots see them: objects of the submission's class, or of the course's.

Trials find out how to build and play on a submission's board class. Students swap or rename
parameters and methods of their course's board, so names only decide which guess comes first. A
guess is accepted if discs dropped in the outermost columns appear in the right cells.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from io import StringIO
from itertools import product
from typing import Any

from arena.common.errors import MisfitError, UnsuitableError
from arena.interfaces.binding import (
    always,
    call_by_name,
    error_text,
    full_name,
    is_course_class,
    named_parameters,
    plain,
    submitted_classes,
    visible_classes,
)
from arena.interfaces.contract import Setup
from arena.interfaces.description import Role, Shown
from arena.rules import Ruleset
from arena.source.classes import FUNCTIONS

# Parameter names of a board's constructor, in the form of `binding.plain`, by meaning.
HEIGHT = ("height", "rows", "row", "numrows", "nrows", "rowcount", "numberofrows", "h", "r")
WIDTH = (
    *("width", "columns", "cols", "column", "col", "numcolumns", "numcols", "ncols"),
    *("columncount", "colcount", "numberofcolumns", "w", "c"),
)
CONNECT = ("gamen", "connect", "connectn", "ninarow", "inarow", "k")
PLAYERS = ("playerids", "players", "ids")

# Names of the parameter that gets a disc's column.
COLUMN = ("col", "column", "x", "c", "move", "action", "colnum", "colnumber", "slot")

# Names of the method that drops a disc; `getnewboard` returns a new board.
DROPS = (
    *("play", "drop", "dropdisc", "droppiece", "droptoken", "dropchecker", "dropcoin"),
    *("adddisc", "addpiece", "addtoken", "addchecker", "addmove", "add", "insert", "insertdisc"),
    *("place", "placedisc", "placepiece", "putdisc", "put", "makemove", "playmove", "domove"),
    *("move", "push", "getnewboard"),
)

# (rows, columns) to try with a class that fails at the contest's size.
USUAL = ((6, 7), (8, 8), (7, 9), (5, 7))
CELLS = (int, float, str, type(None))  # Types of a cell's content.
Cells = tuple[tuple[object, ...], ...]
INSTEAD = "sees the course's board, as "

Spellings = tuple[str, ...]  # Names of one parameter, as in `binding.Supply`.
Sizes = Callable[[int, int], Sequence[object]]  # Arguments for (rows, columns).
# `make(rows, columns)` returns an empty board. `drop(board, player, column)` returns the same board
# or a new one, with the disc. It raises ValueError if the board refuses the disc.
MakeBoard = Callable[[int, int], Any]
Drop = Callable[[Any, int, int], Any]
BoardReading = tuple[MakeBoard, Drop]


def board_maker(
    entry: Any,
    setup: Setup,
    shown: Shown,
    given: type,
    sides: Sequence[object],
    discs: Sequence[tuple[int, int]],
    standard: Callable[[], Any],
) -> Callable[[], Any]:
    """Return a function that returns a new board with the discs of a game.

    `discs` has each disc's player and column; `sides` are the discs on a board. The board is of the
    bot's own class; once that refuses a disc, `standard` makes those of the course's class `given`.
    Every move gets a new one, because bots change theirs. Raises UnsuitableError if the own class
    works only on boards of other sizes.
    """
    rules = setup.rules
    reading = _own_reading(entry, setup, shown, given, sides)

    def filled() -> Any:
        nonlocal reading
        if reading is not None:
            make, drop = reading
            try:
                board = make(rules.rows, rules.columns)
                for player, column in discs:
                    board = drop(board, player, column)
                return board
            except MemoryError:
                raise
            except (Exception, SystemExit) as error:
                reading = None
                why = f"its own refuses a disc of this game ({error_text(error)})"
                setup.remark(INSTEAD + why, True)
        return standard()

    return filled


def _own_reading(
    entry: Any, setup: Setup, shown: Shown, given: type, sides: Sequence[object]
) -> BoardReading | None:
    misfits: list[str] = []
    for board in dict.fromkeys(_own_boards(entry, setup, given, misfits.append)):
        try:
            reading = read_board(board, setup.rules, shown, sides)
        except MisfitError as error:
            misfits.append(f"its own {full_name(board)} {error}")
        else:
            setup.remark(f"sees its own board, {full_name(board)}")
            return reading
    module, name = shown.type.split(".")
    if not misfits and module in setup.sources():
        misfits.append(f"its own {module} has no class {name}")
    if misfits:
        setup.remark(INSTEAD + misfits[0], True)
    return None


def _own_boards(
    entry: Any, setup: Setup, given: type, on_skipped: Callable[[str], None]
) -> Iterator[type]:
    sources = setup.sources()
    known = list(visible_classes(entry, given.__name__))
    yield from (board for board in known if not is_course_class(board))
    module = given.__name__.lower()
    yield from submitted_classes(sources, lambda n: plain(n.name) == module, on_skipped)
    tree = sources.get(entry.__module__, ast.Module([], []))
    asked = _attributes_of("board", tree, ast.Load, ast.Store, ast.Del)
    if not known and asked - set(dir(given(6, 7))):
        yield from submitted_classes(sources, lambda n: asked <= _offers(n), on_skipped)


def _attributes_of(name: str, tree: ast.AST, *contexts: type[ast.expr_context]) -> set[str]:
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {
        node.attr
        for node in attributes
        if isinstance(node.value, ast.Name)
        and node.value.id == name
        and isinstance(node.ctx, contexts)
    }


def _offers(node: ast.ClassDef) -> set[str]:
    methods = {item.name for item in node.body if isinstance(item, FUNCTIONS)}
    return methods | _attributes_of("self", node, ast.Store)


def read_board(board: type, rules: Ruleset, shown: Shown, sides: Sequence[object]) -> BoardReading:
    """Return the first reading of a class that works on boards of the contest's size.

    For a square board preferably one that works on a wider board too. Raises MisfitError if none
    works on any board, UnsuitableError if only on other sizes, and MemoryError.
    """
    drops = list(_drops(board, shown, sides))
    if not drops:
        raise MisfitError("has no method that drops a disc")
    makes = [_make(board, rules.connect, *guess) for guess in _guesses(board, shown)]
    readings = [(make, drop) for drop in drops for make in makes]
    with redirect_stdout(StringIO()):
        found = [each for each in readings if _works(each, rules.rows, rules.columns)]
        if rules.rows == rules.columns:
            found.sort(key=lambda each: not _works(each, rules.rows, rules.columns + 2))
        if found:
            return found[0]
        why = _why(makes[0], rules)
        if any(_works(each, *size) for size in USUAL for each in readings):
            raise UnsuitableError(f"has a Board that {why}")
    raise MisfitError(why)


def _make(board: type, connect: int, names: Sequence[Spellings], values: Sizes) -> MakeBoard:
    is_open = named_parameters(board) is None

    def make(rows: int, columns: int) -> Any:
        supply: dict[Spellings, Callable[[], object]] = {}
        if not is_open:
            supply |= {CONNECT: always(connect), PLAYERS: lambda: [1, 2]}
        for name, value in zip(names, values(rows, columns), strict=True):
            supply[name] = always(value)
        return call_by_name(board, supply)

    return make


def _guesses(board: type, shown: Shown) -> Iterator[tuple[Sequence[Spellings], Sizes]]:
    """Yield names of parameters with the values that may set a board's size."""
    sides: list[Spellings] = [HEIGHT, WIDTH]
    orders = [_rows_first, _columns_first]
    if shown.arguments[0] is not Role.ROWS:
        sides.reverse()
        orders.reverse()
    yield sides, orders[0]
    parameters = named_parameters(board)
    if parameters is None:
        yield sides[::-1], orders[1]
        return
    known = {name for names in (HEIGHT, WIDTH, CONNECT, PLAYERS) for name in names}
    unknown = [p for p in parameters if plain(p.name) not in known]
    required = [p for p in unknown if p.default is p.empty]
    for pair in (required, parameters, [p for p in unknown if type(p.default) is int]):
        if len(pair) >= 2:
            names = [(plain(parameter.name),) for parameter in pair[:2]]
            yield from ((names, order) for order in orders)
    if len(required) == 1:
        for size in (_cells, lambda *sides: _cells(*sides[::-1]), _rows_first, _columns_first):
            yield [(plain(required[0].name),)], lambda *sides, of=size: (of(*sides),)


def _rows_first(rows: int, columns: int) -> tuple[object, ...]:
    return rows, columns


def _columns_first(rows: int, columns: int) -> tuple[object, ...]:
    return columns, rows


def _cells(rows: int, columns: int) -> Any:
    import numpy  # slow to import, and not needed to find entry points

    return numpy.zeros((columns, rows), dtype=int)


def _drops(board: type, shown: Shown, sides: Sequence[object]) -> Iterator[Drop]:
    """Yield functions that may drop a disc, by a method that takes a column and a disc."""
    methods = {plain(name): name for name in dir(board) if not name.startswith("__")}
    usual = shown.play_arguments[0] is Role.COLUMN
    for wanted in dict.fromkeys((plain(shown.play), *DROPS)):
        method: Any = getattr(board, methods.get(wanted, ""), None)
        try:
            taken = list(inspect.signature(method).parameters.values())[1:]
        except (TypeError, ValueError):
            continue  # there is none, or it is not written in Python
        needed = [p for p in taken if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        names = [plain(p.name) in COLUMN for p in (needed if len(needed) > 1 else taken)[:2]]
        if len(needed) > 2 or not names:
            continue
        orders = [usual, not usual]
        if len(names) == 1 or names[0] != names[1]:
            orders = [names[0] or len(names) == 1]
        for column_first in orders:
            yield _drop(methods[wanted], sides, len(names), column_first)


def _drop(method: str, sides: Sequence[object], most: int, column_first: bool) -> Drop:
    def drop(board: Any, player: int, column: int) -> Any:
        given = (column, sides[player]) if column_first else (sides[player], column)
        answer = getattr(board, method)(*given[:most])
        if answer is False:
            raise ValueError(f"refuses a disc in column {column}")
        return answer if isinstance(answer, type(board)) else board

    return drop


def _works(reading: BoardReading, rows: int, columns: int) -> bool:
    """Return whether discs that fill the outer columns appear there, one at each ply."""
    make, drop = reading
    outer = {0, columns - 1}
    try:
        board = make(rows, columns)
        seen = [_grids(board)]
        for ply, column in enumerate(column for column in sorted(outer) for _ in range(rows)):
            board = drop(board, ply % 2, column)
            seen.append(_grids(board))
        sides = _lengths(board)
    except MemoryError:
        raise
    except (Exception, SystemExit):
        return False
    changing = [name for name in seen[0] if seen[0][name] != seen[-1].get(name)]
    for name, by_column in product(changing, (True, False)):
        history = [_in_columns(grids.get(name, ()), by_column) for grids in seen]
        if any(len(grid) != columns or {*map(len, grid)} != {rows} for grid in history):
            continue
        empty = {cell for column in history[0] for cell in column}
        discs = [cell for column in outer for cell in history[-1][column]]
        counts = [sum(cell not in empty for column in grid for cell in column) for grid in history]
        inner = {cell for n, column in enumerate(history[-1]) if n not in outer for cell in column}
        are_apart = len(empty) == 1 and len({*discs}) == 2
        if counts == [*range(len(seen))] and inner <= empty and are_apart:
            return True
    return not changing and sides in ((), (rows, columns))


def _in_columns(grid: Cells, by_column: bool) -> Cells:
    return grid if by_column else tuple(zip(*grid, strict=True))


def _grids(board: Any) -> dict[str, Cells]:
    found = {}
    for name, value in _attributes(board).items():
        cells = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(cells, (list, tuple)) and cells:
            lines = tuple(tuple(line) for line in cells if isinstance(line, (list, tuple)))
            is_grid = len(lines) == len(cells) and len({len(line) for line in lines}) == 1
            if is_grid and all(isinstance(cell, CELLS) for line in lines for cell in line):
                found[name] = lines
    return found


def _lengths(board: Any) -> tuple[int, ...]:
    """Return (rows, columns) as a board's attributes tell them; () if one is missing."""
    sizes = {plain(name): value for name, value in _attributes(board).items() if type(value) is int}
    sides = []
    for names in (HEIGHT, WIDTH):
        sides += [sizes[name] for name in names if len(name) > 1 and name in sizes][:1]
    return tuple(sides) if len(sides) == 2 else ()


def _attributes(board: Any) -> dict[str, Any]:
    slots = (name for kind in type(board).__mro__ for name in getattr(kind, "__slots__", ()))
    kept = {name: getattr(board, name) for name in slots if hasattr(board, name)}
    return kept | getattr(board, "__dict__", {})


def _why(make: MakeBoard, rules: Ruleset) -> str:
    asked = f"{rules.rows} rows × {rules.columns} columns"
    try:
        made = _lengths(make(rules.rows, rules.columns))
    except UnsuitableError as error:
        return str(error)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        return f"cannot be made with {asked} ({error_text(error)})"
    if made and made != (rules.rows, rules.columns):
        return f"is always {made[0]} rows × {made[1]} columns, and this game has {asked}"
    return f"does not hold the discs that are dropped on it, on {asked}"
