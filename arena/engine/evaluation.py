"""The part of the evaluation beyond counts of lines: threats that wait.

A threat that cannot be reached yet decides the game once all else is filled and a player must play
below it. Parity tells which player that will be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.engine.bitboard import lowest, popcount
from arena.engine.board import Array, Board, Lines
from arena.engine.jit import compiled
from arena.rules import Weights


class Judgement(NamedTuple):
    """What waiting threats are worth; with 0 for both, only lines count."""

    good: int = 0
    """Worth of a threat in a row that its owner will fill, if all else is filled first."""
    zugzwang: int = 0
    """Worth of the opponent running out of harmless moves first."""


OWN_JUDGEMENT = Judgement(good=30, zugzwang=200)  # Found by self-play on 6×7 and 8×8.


def own_weights(connect: int) -> Weights:
    """Return the engine's weights: 20, 12, 4 for lines one, two, three discs short."""
    weights = [0] * (connect + 1)
    for missing, weight in ((3, 4), (2, 12), (1, 20)):
        if connect > missing:
            weights[connect - missing] = weight
    return tuple(weights)


def rows_by_side(rows: int, empty: int, mover: int) -> Array:
    """Return uint64[2]: for each side, a bit for each row that this side will fill.

    Assumes that all other columns are filled first. Stays valid for all later positions.
    """
    masks = [0, 0]
    for row in range(rows):
        left = rows - row  # empty cells when this cell is next
        masks[mover if (empty - left) % 2 == 0 else 1 - mover] |= 1 << row
    return np.array(masks, np.uint64)


@compiled
def waiting(lines: Lines, board: Board, rows_of: Array, judgement: Judgement, mine: int) -> int:
    """Return the worth of waiting threats for `mine`, the side to move.

    No threat may be playable now.
    """
    one = np.uint64(1)
    rows, columns = lines.rows, lines.columns
    theirs = 1 - mine
    total = 0
    spare = np.int64(0)  # a literal would compile `last_to_move` twice
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
        # a cell right above a winning cell of the other side is never reached
        mine_good = own & ~(other << one) & (rows_of[mine] >> above)
        theirs_good = other & ~(own << one) & (rows_of[theirs] >> above)
        total += judgement.good * (popcount(mine_good) - popcount(theirs_good))
    if pending and judgement.zugzwang:
        total += judgement.zugzwang * last_to_move(lines, board, mine, spare)
    return total


@compiled
def last_to_move(lines: Lines, board: Board, mine: int, spare: int) -> int:
    """Return 1 if `mine` wins after `spare` harmless moves, -1 if it loses, else 0.

    `mine` is to move now. The side to move after these moves must play below a threat: below the
    opponent's, and lose, or better below its own.
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
            # the disc below, the answer, then harmless discs above it
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
