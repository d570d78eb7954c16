"""Boards as bots see them: objects of a class of their own, or of the course's.

Trials find out how to build and play on a submission's board class. Students swap or rename
parameters and methods of their course's board, so names only decide which guess is tried first. A
guess is accepted if discs dropped in the outermost columns appear in the right cells.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any

from arena.common.errors import MisfitError, UnsuitableError
from arena.interfaces.binding import (
    Supply,
    call_by_name,
    course_class,
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
Sides = tuple[tuple[str, ...], tuple[str, ...]]
CELLS = (int, float, str, type(None))  # Types of a cell's content.
Cells = tuple[tuple[object, ...], ...]
INSTEAD = "sees the course's board, as "


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    sides: Sides
    """HEIGHT and WIDTH in the order of the board's constructor."""

    discs: tuple[object, object]
    """What the board stores for a disc of player 0 and of player 1."""

    drops: tuple[str, ...]
    """Names of methods that may drop a disc, as `binding.plain` returns them, the course's first.
    """

    column_first: bool
    """Whether that method takes the column before the disc."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardReading:
    """How to build a class's boards and to drop discs on them."""

    make: Callable[[int, int], Any]
    """`make(rows, columns)` returns an empty board."""

    drop: Callable[[Any, int, int], Any]
    """`drop(board, player, column)` returns the same board or a new one, with the disc.

    Raises ValueError if the board refuses the disc.
    """


class TriedBoard:
    """Builds a new board for every move, because bots change theirs."""

    def __init__(self, board: BoardReading, course: BoardReading, setup: Setup) -> None:
        """Use `board` to build boards, or `course` once `board` refuses a disc."""
        self._reading, self._course, self._setup = board, course, setup

    def filled(self, discs: Sequence[tuple[int, int]]) -> Any:
        """Return a board with these discs, each its player and column."""
        try:
            return self._filled(discs)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            if self._reading is self._course:
                raise
            self._reading = self._course
            why = f"its own refuses a disc of this game ({error_text(error)})"
            self._setup.remark(INSTEAD + why, True)
            return self._filled(discs)

    def _filled(self, discs: Sequence[tuple[int, int]]) -> Any:
        reading, rules = self._reading, self._setup.rules
        board = reading.make(rules.rows, rules.columns)
        for player, column in discs:
            board = reading.drop(board, player, column)
        return board


def tried_board(
    entry: Any, setup: Setup, shown: Shown, sides: tuple[object, object], interface: str
) -> TriedBoard:
    """Return the maker of boards for a bot of class `entry`.

    The board is of the bot's own class if that works, else the course's, which `shown` describes;
    `sides` are its discs. Raises UnsuitableError if its own class works only on boards of other
    sizes.
    """
    lengths = {Role.ROWS: HEIGHT, Role.COLUMNS: WIDTH}
    first, second = (lengths[each] for each in shown.arguments if isinstance(each, Role))
    course = Course(
        sides=(first, second),
        discs=sides,
        drops=(plain(shown.play), *DROPS),
        column_first=shown.play_arguments[0] is Role.COLUMN,
    )
    module, name = shown.type.split(".")
    given = course_class(interface, module, name)
    standard = plain_reading(given, course)
    misfits: list[str] = []
    for board in dict.fromkeys(_own_boards(entry, setup, given, misfits.append)):
        try:
            reading = read_board(board, setup.rules, course)
        except MisfitError as error:
            misfits.append(f"its own {full_name(board)} {error}")
        else:
            setup.remark(f"sees its own board, {full_name(board)}")
            return TriedBoard(reading, standard, setup)
    if not misfits and module in setup.sources():
        misfits.append(f"its own {module} has no class {name}")
    if misfits:
        setup.remark(INSTEAD + misfits[0], True)
    return TriedBoard(standard, standard, setup)


def _own_boards(
    entry: Any, setup: Setup, given: type, on_skipped: Callable[[str], None]
) -> Iterator[type]:
    """Yield the submission's classes that may be its board, the likeliest first."""
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


def plain_reading(board: type, course: Course) -> BoardReading:
    """Return the reading of a class that works like the course's, without a trial."""
    supply = next(iter(_supplies(board, course, 0)))
    return BoardReading(
        make=lambda *size: call_by_name(board, supply(*size)), drop=_drops(board, course)[0]
    )


def read_board(board: type, rules: Ruleset, course: Course) -> BoardReading:
    """Return the first reading of a class that works on boards of the contest's size.

    For a square board, readings that also work on a wider board come first. Raises MisfitError for
    a class that works on no board, UnsuitableError for one that works on other sizes only, and
    MemoryError.
    """
    drops = _drops(board, course)
    if not drops:
        raise MisfitError("has no method that drops a disc")
    supplies = list(_supplies(board, course, rules.connect))
    readings = [
        BoardReading(make=lambda *size, of=supply: call_by_name(board, of(*size)), drop=drop)
        for drop in drops
        for supply in supplies
    ]
    with redirect_stdout(StringIO()):
        found = [each for each in readings if _works(each, rules.rows, rules.columns)]
        if rules.rows == rules.columns:
            wider = rules.rows, rules.columns + 2
            found.sort(key=lambda each: not _works(each, *wider))
        if found:
            return found[0]
        why = _why(readings[0], rules)
        if any(_works(each, *size) for size in USUAL for each in readings):
            raise UnsuitableError(f"has a Board that {why}")
    raise MisfitError(why)


def _supplies(board: type, course: Course, connect: int) -> Iterator[Callable[[int, int], Supply]]:
    """Yield functions that take (rows, columns) and return arguments for the constructor."""
    parameters = named_parameters(board)
    if parameters is None:
        for sides in (course.sides, course.sides[::-1]):
            yield partial(_lengths_for, sides, sides, {})
        return
    known = {name for names in (HEIGHT, WIDTH, CONNECT, PLAYERS) for name in names}
    unknown = [p for p in parameters if plain(p.name) not in known]
    required = [p for p in unknown if p.default is p.empty]
    more: Supply = {CONNECT: lambda: connect, PLAYERS: lambda: [1, 2]}
    yield partial(_lengths_for, course.sides, course.sides, more)
    for pair in (required, parameters, [p for p in unknown if type(p.default) is int]):
        if len(pair) >= 2:
            names = (plain(pair[0].name),), (plain(pair[1].name),)
            for sides in (course.sides, course.sides[::-1]):
                yield partial(_lengths_for, names, sides, more)
    if len(required) == 1:
        name = (plain(required[0].name),)
        for value in SIZES:
            yield lambda *size, of=value: {**more, name: partial(of, *size)}


def _lengths_for(names: Sides, sides: Sides, more: Supply, rows: int, columns: int) -> Supply:
    values = [rows if side == HEIGHT else columns for side in sides]
    return {**more, **{name: partial(int, v) for name, v in zip(names, values, strict=True)}}


def _columns_of_cells(rows: int, columns: int) -> Any:
    import numpy  # slow to import, and not needed to find entry points

    return numpy.zeros((columns, rows), dtype=int)


# Functions of (rows, columns): possible arguments of a constructor with one parameter.
SIZES: tuple[Callable[[int, int], object], ...] = (
    _columns_of_cells,
    lambda rows, columns: _columns_of_cells(columns, rows),
    lambda rows, columns: (rows, columns),
    lambda rows, columns: (columns, rows),
)


def _drops(board: type, course: Course) -> list[Callable[[Any, int, int], Any]]:
    methods = {plain(name): name for name in dir(board) if not name.startswith("__")}
    found = []
    for wanted in course.drops:
        method = getattr(board, methods.get(wanted, ""), None)
        if not callable(method):
            continue
        try:
            taken = list(inspect.signature(method).parameters.values())[1:]
        except (TypeError, ValueError):
            continue  # a method that is not written in Python
        needed = [p for p in taken if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        names = [plain(p.name) for p in (needed if len(needed) > 1 else taken)[:2]]
        if len(needed) > 2 or not names:
            continue
        orders = [course.column_first, not course.column_first]
        if len(names) == 2 and (names[0] in COLUMN) != (names[1] in COLUMN):
            orders = [names[0] in COLUMN]
        for order in orders if len(names) == 2 else (None,):
            found.append(_drop(methods[wanted], order, course.discs))
    return found


def _drop(
    method: str, column_first: bool | None, discs: Sequence[object]
) -> Callable[[Any, int, int], Any]:
    def drop(board: Any, player: int, column: int) -> Any:
        disc = discs[player]
        given = (column,) if column_first is None else (column, disc)
        answer = getattr(board, method)(*(given if column_first in (None, True) else given[::-1]))
        if answer is False:
            raise ValueError(f"refuses a disc in column {column}")
        return answer if isinstance(answer, type(board)) else board

    return drop


def _works(reading: BoardReading, rows: int, columns: int) -> bool:
    try:
        board = reading.make(rows, columns)
        seen = [_grids(board)]
        plies = [column for column in dict.fromkeys((0, columns - 1)) for _ in range(rows)]
        for ply, column in enumerate(plies):
            board = reading.drop(board, ply % 2, column)
            seen.append(_grids(board))
        sides = _lengths(board)
    except MemoryError:
        raise
    except (Exception, SystemExit):
        return False
    shown = [name for name in seen[0] if all(name in grids for grids in seen)]
    histories = [[grids[name] for grids in seen] for name in shown]
    histories = [history for history in histories if history[0] != history[-1]]
    if histories:
        return any(_lands(history, plies, rows, columns) for history in histories)
    return sides in ((), (rows, columns))


def _lands(history: Sequence[Cells], plies: Sequence[int], rows: int, columns: int) -> bool:
    """Return whether each ply added one disc, in the right column, next to the disc before.

    Cells may be stored by column or row, from the top or bottom. The discs of the two players and
    an empty cell must look different.
    """
    size = len(history[0]), len(history[0][0])
    empty = history[0][0][0]
    for by_column in (True, False):
        if size != ((columns, rows) if by_column else (rows, columns)):
            continue
        fallen: dict[int, list[int]] = {column: [] for column in plies}
        discs: list[set[object]] = [set(), set()]
        for ply, column in enumerate(plies):
            changed = [
                (a, b)
                for a, line in enumerate(history[ply + 1])
                for b, cell in enumerate(line)
                if cell != history[ply][a][b]
            ]
            if len(changed) != 1:
                break
            ((a, b),) = changed
            if (a if by_column else b) != column:
                break
            fallen[column].append(b if by_column else a)
            discs[ply % 2].add(history[ply + 1][a][b])
        else:
            in_order = [*range(rows)]
            is_filled = all(cells in (in_order, in_order[::-1]) for cells in fallen.values())
            is_uniform = all(cell == empty for line in history[0] for cell in line)
            looks = [empty, *discs[0], *discs[1]]
            if is_filled and is_uniform and len(looks) == len(set(looks)) == 2 + (len(plies) > 1):
                return True
    return False


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


def _why(reading: BoardReading, rules: Ruleset) -> str:
    asked = f"{rules.rows} rows × {rules.columns} columns"
    try:
        made = _lengths(reading.make(rules.rows, rules.columns))
    except UnsuitableError as error:
        return str(error)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        return f"cannot be made with {asked} ({error_text(error)})"
    if made and made != (rules.rows, rules.columns):
        return f"is always {made[0]} rows × {made[1]} columns, and this game has {asked}"
    return f"does not hold the discs that are dropped on it, on {asked}"
