"""Adapters of bots that get a board object: of their own class or the course's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from arena.common.errors import MisfitError
from arena.interfaces.binding import (
    course_class,
    error_text,
    full_name,
    is_course_class,
    plain,
    submitted_classes,
    visible_classes,
)
from arena.interfaces.board_probe import BoardReading, Course, plain_reading, read_board
from arena.interfaces.contract import Setup
from arena.source.classes import FUNCTIONS

BOARD = "Board"
MODULE = "board"  # The course's module; its class is BOARD.
INSTEAD = "sees the course's board, as "
Pick = Callable[[Any], object]


class BoardAdapter:
    """Builds a new board for every move, because bots change theirs."""

    def __init__(self, pick: Pick, board: BoardReading, course: BoardReading, setup: Setup) -> None:
        """Use `board` to build boards, or `course` once `board` refuses a disc."""
        self._pick = pick
        self._reading = board
        self._course = course
        self._setup = setup
        self._discs: list[tuple[int, int]] = []

    def see(self, player: int, column: int) -> None:
        self._discs.append((player, column))

    def pick(self) -> object:
        try:
            board = self._filled()
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            if self._reading is self._course:
                raise
            self._reading = self._course
            why = f"its own refuses a disc of this game ({error_text(error)})"
            self._setup.remark(INSTEAD + why, True)
            board = self._filled()
        return self._pick(board)

    def _filled(self) -> Any:
        reading, rules = self._reading, self._setup.rules
        board = reading.make(rules.rows, rules.columns)
        for player, column in self._discs:
            board = reading.drop(board, player, column)
        return board


def board_adapter(
    entry: Any, pick: Pick, setup: Setup, course: Course, interface: str
) -> BoardAdapter:
    """Return the adapter of a bot of class `entry` whose move function is `pick`.

    The board is of the bot's own class if that works, else the course's. Raises UnsuitableError if
    its own class works only on boards of other sizes.
    """
    given = course_class(interface, MODULE, BOARD)
    standard = plain_reading(given, course)
    misfits: list[str] = []
    for board in dict.fromkeys(_own_boards(entry, setup, given, misfits.append)):
        try:
            reading = read_board(board, setup.rules, course)
        except MisfitError as error:
            misfits.append(f"its own {full_name(board)} {error}")
        else:
            setup.remark(f"sees its own board, {full_name(board)}")
            return BoardAdapter(pick, reading, standard, setup)
    if not misfits and MODULE in setup.sources():
        misfits.append(f"its own {MODULE} has no class {BOARD}")
    if misfits:
        setup.remark(INSTEAD + misfits[0], True)
    return BoardAdapter(pick, standard, standard, setup)


def _own_boards(
    entry: Any, setup: Setup, given: type, on_skipped: Callable[[str], None]
) -> Iterator[type]:
    """Yield the submission's classes that may be its board, the likeliest first."""
    sources = setup.sources()
    known = list(visible_classes(entry, BOARD))
    yield from (board for board in known if not is_course_class(board))
    yield from submitted_classes(sources, lambda n: plain(n.name) == MODULE, on_skipped)
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
