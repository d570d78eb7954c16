"""The position in the forms in which bots get it, updated disc by disc."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, product
from typing import Any

from arena.common.errors import NoMoveError
from arena.interfaces.description import BoardForm, BoardKind
from arena.rules import Ruleset


class ShownBoard:
    """A position as lists of cells, or for subclasses in another form."""

    def __init__(self, form: BoardForm, rules: Ruleset, player: int) -> None:
        self._form, self._player = form, player
        self._is_top, self._is_by_columns = form.top, form.by_columns
        self._discs = form.first, form.second
        if form.own is not None:
            self._discs = (form.own, form.other) if player == 0 else (form.other, form.own)
        self._last_row = rules.rows - 1
        self.heights = [0] * rules.columns
        size = rules.rows, rules.columns
        self._outer, self._inner = size[::-1] if form.by_columns else size
        self._cells: Any = self._empty(form.empty)

    def see(self, player: int, column: int) -> None:
        height = self.heights[column]
        self.heights[column] = height + 1
        row = self._last_row - height if self._is_top else height
        if self._is_by_columns:
            self._put(column, row, player)
        else:
            self._put(row, column, player)

    def row_at(self, height: int) -> int:
        """Return the number of a row that has `height` rows below it."""
        return self._last_row - height if self._is_top else height

    def show(self) -> Any:
        """Return the position; the bot may change it."""
        return [line.copy() for line in self._cells]

    def bits(self, player: int) -> int:
        raise NotImplementedError

    def _empty(self, empty: object) -> Any:
        return [[empty] * self._inner for _ in range(self._outer)]

    def _put(self, outer: int, inner: int, player: int) -> None:
        self._cells[outer][inner] = self._discs[player]

    def difference(self, answer: Any) -> int:
        """Return the column of the one cell by which a board differs. Raises NoMoveError."""
        try:
            after, before = _flat(answer), _flat(self.show())
            changed = [at for at, cell in enumerate(after) if cell != before[at]]
        except (TypeError, ValueError, LookupError):  # also of values that cannot be compared
            raise NoMoveError("answered no board of the size it was given") from None
        if len(after) != len(before):
            raise NoMoveError("answered no board of the size it was given")
        if len(changed) != 1:
            raise NoMoveError(f"answered a board that differs in {len(changed)} cells, not in one")
        (at,) = changed
        outer, inner = divmod(at, self._inner)
        column = outer if self._form.by_columns else inner
        if before[at] != self._form.empty or after[at] != self._discs[self._player]:
            raise NoMoveError(f"answered a board without a disc of its own in column {column}")
        return column


class TextBoard(ShownBoard):
    def show(self) -> Any:
        form = self._form
        return form.separator.join(form.cell_separator.join(map(str, x)) for x in self._cells)


class TuplesBoard(ShownBoard):
    def show(self) -> Any:
        return tuple(self._cells)

    def _empty(self, empty: object) -> Any:
        return [(empty,) * self._inner for _ in range(self._outer)]

    def _put(self, outer: int, inner: int, player: int) -> None:
        line = self._cells[outer]
        self._cells[outer] = (*line[:inner], self._discs[player], *line[inner + 1 :])


class FlatBoard(ShownBoard):
    def show(self) -> Any:
        return self._cells.copy()

    def _empty(self, empty: object) -> Any:
        return [empty] * (self._outer * self._inner)

    def _put(self, outer: int, inner: int, player: int) -> None:
        self._cells[outer * self._inner + inner] = self._discs[player]


class StacksBoard(ShownBoard):
    """For each column its discs from below, as a list or a text."""

    def see(self, player: int, column: int) -> None:
        self.heights[column] += 1
        self._cells[column].append(self._discs[player])

    def show(self) -> Any:
        if self._form.dtype == "str":
            return ["".join(map(str, stack)) for stack in self._cells]
        return [stack.copy() for stack in self._cells]

    def _empty(self, empty: object) -> Any:
        return [[] for _ in self.heights]


class CellsBoard(ShownBoard):
    def show(self) -> Any:
        return self._cells.copy()

    def _empty(self, empty: object) -> Any:
        if self._form.taken:
            return {}
        base = self._form.base
        places = product(range(self._outer), range(self._inner))
        return {(outer + base, inner + base): empty for outer, inner in places}

    def _put(self, outer: int, inner: int, player: int) -> None:
        self._cells[outer + self._form.base, inner + self._form.base] = self._discs[player]


class BitsBoard(ShownBoard):
    """The discs of each player as bits of an int."""

    def bits(self, player: int) -> int:
        found: int = self._cells[player]
        return found

    def _empty(self, empty: object) -> Any:
        return [0, 0]

    def _put(self, outer: int, inner: int, player: int) -> None:
        self._cells[player] |= 1 << outer * (self._inner + self._form.gap) + inner


class ArrayBoard(ShownBoard):
    """A numpy array, with one plane or two."""

    def show(self) -> Any:
        if self._form.dtype == "list":
            return self._cells.tolist()
        copy = self._cells.copy()
        if self._form.read_only:
            copy.flags.writeable = False
        return copy

    def _empty(self, empty: object) -> Any:
        import numpy  # slow to import, and not needed to find entry points

        form = self._form
        self._is_planes = form.form is not BoardKind.ARRAY
        dtype = int if form.dtype == "list" else getattr(numpy, form.dtype, form.dtype)
        if form.form is BoardKind.PLANES_FIRST:
            return numpy.zeros((2, self._outer, self._inner), dtype=dtype)
        if self._is_planes:
            return numpy.zeros((self._outer, self._inner, 2), dtype=dtype)
        return numpy.full((self._outer, self._inner), empty, dtype=dtype)

    def _put(self, outer: int, inner: int, player: int) -> None:
        if self._is_planes:
            plane, form = int(player != self._player), self._form.form
            at = (outer, inner, plane) if form is BoardKind.PLANES else (plane, outer, inner)
            self._cells[at] = 1
        else:
            self._cells[outer, inner] = self._discs[player]


KINDS: Mapping[BoardKind, type[ShownBoard]] = {
    BoardKind.ARRAY: ArrayBoard,
    BoardKind.PLANES: ArrayBoard,
    BoardKind.PLANES_FIRST: ArrayBoard,
    BoardKind.LISTS: ShownBoard,
    BoardKind.TUPLES: TuplesBoard,
    BoardKind.FLAT: FlatBoard,
    BoardKind.TEXT: TextBoard,
    BoardKind.STACKS: StacksBoard,
    BoardKind.CELLS: CellsBoard,
    BoardKind.BITS: BitsBoard,
}


def shown_board(form: BoardForm, rules: Ruleset, player: int) -> ShownBoard:
    return KINDS[form.form](form, rules, player)


def _flat(board: Any) -> list[Any]:
    lines = [line.tolist() if hasattr(line, "tolist") else line for line in board]
    return list(chain.from_iterable(lines)) if isinstance(lines[0], (list, tuple)) else lines
