"""Exact values: null-window alpha-beta on bitboards with a transposition table.

A value is for the side to move: k if it wins with its k-th disc from the end, 0 for a draw, -k if
the opponent wins so. On a board of 42 cells each side has 21 discs: a win with the fourth disc is
18. A search can pause after any number of nodes.

`search`, like `arena.engine.tree.search`, is one long loop with an explicit stack: numba cannot
cache compiled recursion, which also could not pause. Separate functions would move variables from
registers to memory for every position. Parameters of `inlined` functions have numba's types, which
mypy does not know.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.engine.bitboard import ONE, ZERO, Bitboard, has_line, playable, popcount, threats
from arena.engine.board import Array
from arena.engine.jit import compiled, entry, inlined
from arena.engine.machine_code import BITS

# Stack.numbers: bounds of the root's value, nodes so far, empty cells at the root; if paused, also
# the search's window (or NO_WINDOW), alpha, distance from the root.
LOW, HIGH, NODES, LEFT, WINDOW, ALPHA, PLY, NUMBERS = range(8)

# Stack.words: the root's position; if paused, also the search's position and the cells that
# complete a line of the opponent.
OWN, DISCS, NOW_OWN, NOW_DISCS, NOW_DANGER, WORDS = range(6)
NO_WINDOW = -1000
UPPER, LOWER = np.uint64(0), np.uint64(1)  # Kinds of bounds in table entries.
OFFSET = 64  # Added to values in table entries, to make them positive.

# An entry's 64 bits hold the rest of the key that its index does not imply, one bit for the bound,
# seven for the value, and one for each of up to eight columns.
LEAST_TABLE_BITS = 16

# Number of entries in the first table, which fits the processor's cache: positions with few empty
# cells. These are most positions, and needed again soon or never.
NEAR = np.uint64(1 << LEAST_TABLE_BITS)
KIND, VALUE, FULL, FULL_SHIFT = ONE, np.uint64(127), np.uint64(0xFF00), np.uint64(BITS - 16)
LOOK_AHEAD = 10  # With this many empty cells or more, look all moves up before searching any.
MIX = np.uint64(0x9E3779B97F4A7C15)  # Odd, so that multiplication keeps keys distinct.


class Stack(NamedTuple):
    numbers: Array
    """int64[NUMBERS + 3 * plies]: named numbers; then by ply: moves, moves tried, best value."""
    words: Array
    """uint64[WORDS]"""
    moves: Array
    """uint64[plies, columns]: cells to try, the best first."""
    dangers: Array
    """uint64[plies, columns]: the mover's threats after each move."""
    order: Array
    """int64[plies, columns]: sort keys of the moves."""


class HashTable(NamedTuple):
    """The transposition table: two tables, one behind the other in an array."""

    entries: Array
    """uint64[2 ** LEAST_TABLE_BITS + 2 ** bits]"""
    bits: int
    """The second table has 2 ** `bits` entries."""
    far: int
    """Positions with fewer empty cells are in the first table."""


@inlined
def _place(own: Any, discs: Any, near: Any, board: Any, bits: Any) -> tuple[Any, Any]:
    full = ((discs & board.top) >> board.rows - ONE) * board.gather >> FULL_SHIFT & FULL
    key = (own + discs) * MIX
    if near:
        return key >> np.uint64(BITS - LEAST_TABLE_BITS), key << np.uint64(LEAST_TABLE_BITS) | full
    return NEAR + (key >> np.uint64(BITS - bits)), key << np.uint64(bits) | full


@inlined
def _is_of(entry: Any, mark: Any, near: Any, bits: Any) -> Any:
    used = np.uint64(LEAST_TABLE_BITS) if near else np.uint64(bits)
    return entry & (~ZERO << used | FULL) == mark and entry != ZERO


@entry
def start(columns: Any, board: Any, numbers: Any, words: Any) -> None:
    """Set up a search of the position after `columns` (uint8), which are legal moves."""
    own = discs = ZERO
    for column in columns:
        own ^= discs
        discs |= playable(discs, board) & board.pile << np.uint64(column) * board.stride
    left = popcount(board.cells ^ discs)
    words[OWN], words[DISCS] = own, discs
    numbers[LEFT] = left
    numbers[NODES] = 0
    numbers[WINDOW] = NO_WINDOW
    if threats(own, discs, board) & playable(discs, board):
        numbers[LOW] = numbers[HIGH] = (left + 1) // 2
    else:
        numbers[LOW] = -(left // 2)
        numbers[HIGH] = (left - 1) // 2


@inlined
def _middle(low: Any, high: Any) -> Any:
    window = low + (high - low) // 2
    if window <= 0 and -(-low // 2) < window:
        return -(-low // 2)
    if window >= 0 and high // 2 > window:
        return high // 2
    return window


@entry
def search(board: Bitboard, piles: Array, stack: Stack, table: HashTable, nodes: int) -> bool:
    """Search until LOW = HIGH (returns True) or `nodes` are spent (returns False).

    The state stays in `stack`. `piles` holds the cells of each column, from the middle outwards.
    """
    numbers, words, moves, dangers = stack.numbers, stack.words, stack.moves, stack.dangers
    entries, bits, far = table.entries, table.bits, table.far
    low, high, left = numbers[LOW], numbers[HIGH], numbers[LEFT]
    spent = numbers[NODES]
    window = numbers[WINDOW]
    resuming = window != NO_WINDOW
    while low < high:
        if resuming:
            resuming = False
            alpha, ply = numbers[ALPHA], numbers[PLY]
            own, discs, danger = words[NOW_OWN], words[NOW_DISCS], words[NOW_DANGER]
            left = numbers[LEFT] - ply
        else:
            window = alpha = _middle(low, high)
            ply = 0
            own, discs = words[OWN], words[DISCS]
            left = numbers[LEFT]
            danger = threats(own ^ discs, discs, board)
        value: Any = 0
        entered = True
        while True:
            if entered:
                if spent >= nodes:
                    numbers[LOW], numbers[HIGH], numbers[NODES] = low, high, spent
                    numbers[WINDOW], numbers[ALPHA], numbers[PLY] = window, alpha, ply
                    words[NOW_OWN], words[NOW_DISCS], words[NOW_DANGER] = own, discs, danger
                    return False
                spent += 1
                entered = False
                safe, known, value = _judged(own, discs, danger, left, alpha, piles, board)
                if not known:
                    known, value = _recalled(own, discs, left, alpha, entries, bits, far, board)
                if not known:
                    count = _list_moves(own, discs, safe, ply, piles, stack, board)
                    if left >= LOOK_AHEAD:
                        other = own ^ discs
                        known, value = _foreseen(
                            other, discs, left, alpha, ply, count, stack, table, board
                        )
                if not known:
                    numbers[NUMBERS + 3 * ply] = count
                    numbers[NUMBERS + 3 * ply + 1] = 0
                    numbers[NUMBERS + 3 * ply + 2] = NO_WINDOW
                    own ^= discs
                    discs |= moves[ply, 0]
                    danger = dangers[ply, 0]
                    ply += 1
                    left -= 1
                    alpha = -alpha - 1
                    entered = True
                    continue
            if ply == 0:
                break
            # return to the previous position
            ply -= 1
            left += 1
            alpha = -alpha - 1
            tried = numbers[NUMBERS + 3 * ply + 1]
            discs ^= moves[ply, tried]
            own ^= discs
            tried += 1
            best = max(-value, numbers[NUMBERS + 3 * ply + 2])
            if best > alpha or tried == numbers[NUMBERS + 3 * ply]:
                value = best
                kind = LOWER if best > alpha else UPPER
                place, mark = _place(own, discs, left < far, board, bits)
                entries[place] = mark | np.uint64(value + OFFSET) << ONE | kind
            else:
                numbers[NUMBERS + 3 * ply + 1] = tried
                numbers[NUMBERS + 3 * ply + 2] = best
                own ^= discs
                discs |= moves[ply, tried]
                danger = dangers[ply, tried]
                ply += 1
                left -= 1
                alpha = -alpha - 1
                entered = True
        if value > window:
            low = value
        else:
            high = value
    numbers[LOW], numbers[HIGH], numbers[NODES] = low, high, spent
    return True


@inlined
def _judged(
    own: Any, discs: Any, danger: Any, left: Any, alpha: Any, piles: Any, board: Any
) -> tuple[Any, Any, Any]:
    """Return (moves that do not lose at once, whether the position's value is known, value)."""
    free = playable(discs, board)
    forced = free & danger
    if forced != ZERO:
        free = forced
    # a disc right below a cell of the opponent's threats loses; so do two forced replies
    safe = free & ~((danger & ~board.bottom) >> ONE)
    known, value = True, np.int64(0)
    if safe == ZERO or forced & (forced - ONE) != ZERO:
        value = -(left // 2)
    elif left <= 2:
        value = np.int64(0)
    elif (left - 1) // 2 <= alpha:
        value = (left - 1) // 2
    elif -((left - 2) // 2) > alpha:
        value = -((left - 2) // 2)
    elif alpha >= 0 and left & 1 == 0 and _follower_holds(own, discs, board):
        value = np.int64(0)
    else:
        known = False
        if left & 1 == 1 and danger & ~board.follower != ZERO:
            value = _waited_for(own, discs, danger, piles, board)
            known = value < 0 and value <= alpha
    return safe, known, value


@inlined
def _recalled(
    own: Any, discs: Any, left: Any, alpha: Any, entries: Any, bits: Any, far: Any, board: Any
) -> tuple[Any, Any]:
    """Return (whether the table decides the position, value)."""
    place, mark = _place(own, discs, left < far, board, bits)
    entry = entries[place]
    if not _is_of(entry, mark, left < far, bits):
        return False, np.int64(0)
    value = np.int64(entry >> ONE & VALUE) - OFFSET
    return (value > alpha) == (entry & KIND == LOWER), value


@inlined
def _list_moves(
    own: Any, discs: Any, safe: Any, ply: Any, piles: Any, stack: Any, board: Any
) -> Any:
    """List the moves in `stack`, those that make most threats first; return their number."""
    moves, dangers, order = stack.moves, stack.dangers, stack.order
    count = 0
    for index in range(len(piles)):
        move = safe & piles[index]
        if move != ZERO:
            made = threats(own | move, discs | move, board)
            weight = popcount(made)
            at = count
            while at > 0 and order[ply, at - 1] < weight:
                order[ply, at] = order[ply, at - 1]
                moves[ply, at] = moves[ply, at - 1]
                dangers[ply, at] = dangers[ply, at - 1]
                at -= 1
            order[ply, at] = weight
            moves[ply, at] = move
            dangers[ply, at] = made
            count += 1
    return count


@inlined
def _foreseen(
    other: Any,
    discs: Any,
    left: Any,
    alpha: Any,
    ply: Any,
    count: Any,
    stack: Any,
    table: Any,
    board: Any,
) -> tuple[Any, Any]:
    """Return (whether the table has a move's value above alpha, that value)."""
    near = left <= table.far
    for index in range(count):
        place, mark = _place(other, discs | stack.moves[ply, index], near, board, table.bits)
        entry = table.entries[place]
        if entry & KIND == UPPER and _is_of(entry, mark, near, table.bits):
            value = OFFSET - np.int64(entry >> ONE & VALUE)
            if value > alpha:
                return True, value
    return False, np.int64(0)


@inlined
def _follower_holds(own: Any, discs: Any, board: Any) -> Any:
    """Return whether the opponent at least draws by answering in the same column.

    Requires an even number of empty cells. Columns with an odd number can be paired: a disc in one
    is answered in the other. Then the side to move gets only cells playable now and cells outside
    `follower` (Allis 1988, claimeven).
    """
    hopes = board.cells & ~discs & ~board.follower | playable(discs, board)
    return not has_line(own | hopes, board)


@compiled
def _waited_for(own: Any, discs: Any, danger: Any, piles: Any, board: Any) -> Any:
    """Return an upper bound of the value, as the opponent may wait for a line in one column.

    Requires an odd number of empty cells. The opponent answers as in `_follower_holds`, except in
    one column with an odd number: there the side to move plays first, and must finally play below a
    cell of `danger`. Returns 0 without such a cell, or if the side to move could make a line first
    (Allis 1988, zugzwang control).
    """
    free = playable(discs, board)
    odd = free & board.follower
    empty = board.cells & ~discs
    value = 0
    for index in range(len(piles)):
        pile = piles[index]
        cells = danger & pile & ~board.follower
        low = odd & pile
        if low != ZERO and cells != ZERO:
            goal = cells & (~cells + ONE)
            mine = empty & ~board.follower & ~pile | free & ~pile | (goal - low) & board.follower
            if not has_line(own | mine, board):
                above = popcount(pile & ~(goal | (goal - ONE)))
                value = min(value, -((above + 2) // 2))
    return value
