"""The evaluation of quiet positions beyond the count of their lines: the threats that wait.

A threat is a cell with which a side would complete a line. One that cannot be reached yet decides
games when all else is filled and somebody must play below it: what counts is who that will be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.engine.bitboard import lowest, popcount
from arena.engine.board import Array, Board, Lines
from arena.engine.jit import compiled
from arena.rules import Weights


class Judgement(NamedTuple):
    """Worth of waiting threats. All zero: the lines alone count."""

    good: int = 0
    """A threat in a row that its owner gets to fill, if all else fills first."""
    zugzwang: int = 0
    """Having the opponent run out of harmless moves first."""


OWN_JUDGEMENT = Judgement(good=30, zugzwang=200)
"""Found by self-play on 6×7 and 8×8, like `own_weights`."""


def own_weights(connect: int) -> Weights:
    """Return the engine's weights of a line with one, two and three discs missing: 20, 12 and 4."""
    weights = [0] * (connect + 1)
    for missing, weight in ((3, 4), (2, 12), (1, 20)):
        if connect > missing:
            weights[connect - missing] = weight
    return tuple(weights)


def rows_by_side(rows: int, empty: int, mover: int) -> Array:
    """uint64[2]: for either side a bit for each row it gets to fill, if all other columns fill.

    It holds for every position that follows: a disc changes the number of empty cells, and who is
    to move.
    """
    masks = [0, 0]
    for row in range(rows):
        left = rows - row  # cells still empty when it is this cell's turn
        masks[mover if (empty - left) % 2 == 0 else 1 - mover] |= 1 << row
    return np.array(masks, np.uint64)


@compiled
def waiting(lines: Lines, board: Board, rows_of: Array, judgement: Judgement, mine: int) -> int:
    """Return the worth of all waiting threats for the side `mine`, which is to move.

    `rows_of` is what `rows_by_side` gives. Nobody may be able to carry a threat out now.
    """
    one = np.uint64(1)
    rows, columns = lines.rows, lines.columns
    theirs = 1 - mine
    total = 0
    spare = 0
    pending = False
    for column in range(columns):
        height = board.heights[column]
        if height >= rows - 1:
            spare += rows - height
            continue
        above = np.uint64(height) + one
        own = board.threats[mine * columns + column] >> above
        other = board.threats[theirs * columns + column] >> above
        if not own | other:
            spare += rows - height
            continue
        pending = True
        spare += lowest(own | other)
        # right above a cell where the other side wins nothing will ever be played
        mine_good = own & ~(other << one) & (rows_of[mine] >> above)
        theirs_good = other & ~(own << one) & (rows_of[theirs] >> above)
        total += judgement.good * (popcount(mine_good) - popcount(theirs_good))
    if pending and judgement.zugzwang:
        total += judgement.zugzwang * last_to_move(lines, board, mine, spare)
    return total


@compiled
def last_to_move(lines: Lines, board: Board, mine: int, spare: int) -> int:
    """Return who wins once `spare` harmless moves are made and only those below threats are left.

    1 for `mine`, which is to move now, -1 for the other side, 0 for nobody. Whoever must move then
    gives a threat away: the opponent's, and loses, or better its own, which the opponent answers.
    """
    one = np.uint64(1)
    rows, columns = lines.rows, lines.columns
    side = mine if spare % 2 == 0 else 1 - mine
    for column in range(columns):
        board.levels[column] = board.heights[column]
    while True:
        pending = False
        gave = False
        for column in range(columns):
            level = board.levels[column]
            if level >= rows - 1:
                continue
            above = np.uint64(level) + one
            own = board.threats[side * columns + column] >> above
            other = board.threats[(1 - side) * columns + column] >> above
            if not own | other:
                continue
            pending = True
            up = lowest(own | other)
            if other >> np.uint64(up) & one:
                continue
            # the disc below, the answer; then whatever can be filled without harm above it
            gave = True
            level += up + 2
            board.levels[column] = level
            if level >= rows:
                break
            here = np.uint64(level)
            if board.threats[side * columns + column] >> here & one:
                return 1 if side == mine else -1
            moves = 0
            if board.threats[(1 - side) * columns + column] >> here & one:
                moves = 1  # the answer to the answer
                level += 1
                board.levels[column] = level
            if level < rows:
                rest = np.uint64(0)
                if level < rows - 1:
                    above = np.uint64(level) + one
                    rest = (
                        board.threats[side * columns + column]
                        | board.threats[(1 - side) * columns + column]
                    ) >> above
                moves += lowest(rest) if rest else rows - level
            if moves % 2:
                side = 1 - side
            break
        if not pending:
            return 0
        if not gave:
            return -1 if side == mine else 1
