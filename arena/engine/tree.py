"""The alpha-beta search: its stack in flat arrays, one position, and the loop.

`search` is one function with its own stack, which can pause; `arena.engine.exact` explains why it
is one long loop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.engine.board import LINE, Array, Board, Lines, attacks, gain, put, take
from arena.engine.evaluation import Judgement, waiting
from arena.engine.jit import compiled, entry, inlined
from arena.rules import Ruleset

# Value of a line made now. A line made at ply p is worth WON - p to its owner, so that
# transpositions keep their value. Values are for the side to move.
WON = 1_000_000
DECIDED = 500_000  # Goal `most`: a full board is worth this plus the difference of lines.
MAX_STATIC = 400_000  # Bound of static evaluations; values above are certain.
LINE_WORTH = 1_000  # Goal `most`: a complete line before the board is full.
INFINITY = 2 * WON


@inlined
def static(score: int, first: bool) -> int:
    """Return the value of a position, given the sum of its lines' gains."""
    if not first:
        made = (score + LINE // 2) // LINE
        score += made * (LINE_WORTH - LINE)
    if score > MAX_STATIC:
        return MAX_STATIC
    return score if score > -MAX_STATIC else -MAX_STATIC


@inlined
def final(score: int, first: bool) -> int:
    if first:
        return 0
    made = (score + LINE // 2) // LINE
    if made == 0:
        return 0
    return made + DECIDED if made > 0 else made - DECIDED


PLIES_OF_LINE = 64  # Longest principal variation that is stored.

# Fields of a frame. LOW is its first alpha; SCORE the sum of lines' gains, for the side to move.
DEPTH, ALPHA, BETA, LOW, BEST, BEST_COLUMN, INDEX, COUNT, SCORE, STEP, WIDTH = range(11)

# STEP, how to search a move: undecided; null window, less deep; null window; whole window. A move
# that is better than expected is searched again with the next step.
CHOOSE, SHALLOW, NARROW, WHOLE = range(4)

# Registers. SIDE is to move at the root, which has EMPTY cells; FIRST is the column to try first;
# BETTER is a column that beats the best so far, by a yet unknown amount.
NODES, PLY, STATE, SIDE, EMPTY, FIRST, BETTER, BETTER_VALUE, REGISTERS = range(9)
DONE, PAUSED, SPENT = range(3)  # STATE: finished, to be continued, budget spent.


class Tree(NamedTuple):
    frames: Array
    """int64[plies * WIDTH]"""
    keys: Array
    """uint64[plies]: Zobrist keys."""
    moves: Array
    """int64[plies * columns]: columns to try."""
    ranks: Array
    """int64[columns]: scratch sort keys."""
    lines: Array
    """int64[(PLIES_OF_LINE + 1) ** 2]: by ply, the principal variation's length and moves."""
    history: Array
    """int64[2 * cells]: how often and how deep a disc there caused a cut."""
    table: Array
    """uint64[2 * slots]: key, entry, key, entry, …; slots is a power of two."""
    registers: Array
    """int64[REGISTERS]"""


FIRST_KEY = 0x9E3779B97F4A7C15  # Zobrist key of the root; any number but 0.


def new_tree(rules: Ruleset, empty: int, side: int, score: int, table_bits: int) -> Tree:
    """Return the tree for a root with `empty` cells and the player `side` to move.

    `score` is the sum of its lines' gains, for player 0. The table has 2 ** `table_bits` slots.
    """
    tree = Tree(
        frames=np.zeros((empty + 2) * WIDTH, np.int64),
        keys=np.full(empty + 2, FIRST_KEY, np.uint64),
        moves=np.zeros((empty + 2) * rules.columns, np.int64),
        ranks=np.zeros(rules.columns, np.int64),
        lines=np.zeros((PLIES_OF_LINE + 1) ** 2, np.int64),
        history=np.zeros(2 * rules.cells, np.int64),
        table=np.zeros(2 << table_bits, np.uint64),
        registers=np.zeros(REGISTERS, np.int64),
    )
    tree.registers[SIDE], tree.registers[EMPTY] = side, empty
    tree.frames[SCORE], tree.frames[BEST_COLUMN] = score if side == 0 else -score, -1
    return tree


def begin(tree: Tree, depth: int) -> None:
    """Prepare a search to this depth, which first tries the last search's best move."""
    frames, registers = tree.frames, tree.registers
    registers[FIRST] = frames[BEST_COLUMN]
    frames[DEPTH] = depth
    frames[ALPHA] = frames[LOW] = -INFINITY
    frames[BETA] = INFINITY
    registers[PLY], registers[BETTER], registers[STATE] = 0, -1, PAUSED


class Best(NamedTuple):
    column: int
    value: int
    line: tuple[int, ...]


def best_of(tree: Tree, first: bool) -> Best | None:
    """Return the result of a search; None if it has none. The first always has one."""
    frames, registers, lines = tree.frames, tree.registers, tree.lines
    if registers[STATE] == SPENT and registers[BETTER] >= 0:
        column = int(registers[BETTER])
        return Best(column, int(registers[BETTER_VALUE]), (column,))
    if frames[BEST_COLUMN] >= 0 and (registers[STATE] == DONE or frames[INDEX] > 0):
        line = tuple(map(int, lines[1 : 1 + lines[0]]))
        return Best(int(frames[BEST_COLUMN]), int(frames[BEST]), line)
    if registers[FIRST] >= 0:
        return None
    column = int(tree.moves[0])
    return Best(column, int(static.py_func(int(frames[SCORE]), first)), (column,))


@compiled
def note(tree: Tree, ply: int, column: int) -> None:
    if ply >= PLIES_OF_LINE:
        return
    here, there = ply * (PLIES_OF_LINE + 1), (ply + 1) * (PLIES_OF_LINE + 1)
    length = 0
    if ply + 1 < PLIES_OF_LINE:
        length = min(tree.lines[there], PLIES_OF_LINE - ply - 1)
    tree.lines[here] = length + 1
    tree.lines[here + 1] = column
    for i in range(length):
        tree.lines[here + 2 + i] = tree.lines[there + 1 + i]


@inlined
def decide(tree: Tree, ply: int, value: int, column: int) -> None:
    base = ply * WIDTH
    tree.frames[base + BEST] = value
    tree.frames[base + BEST_COLUMN] = column
    tree.frames[base + COUNT] = 0
    if ply < PLIES_OF_LINE and column >= 0:
        tree.lines[ply * (PLIES_OF_LINE + 1)] = 1
        tree.lines[ply * (PLIES_OF_LINE + 1) + 1] = column


EXACT, AT_LEAST, AT_MOST = range(3)  # Relation of the true value to a table entry's.


@inlined
def remember(tree: Tree, key: int, value: int, depth: int, kind: int, column: int) -> None:
    slot = 2 * np.int64((key >> np.uint64(8)) & np.uint64(len(tree.table) // 2 - 1))
    entry = (value + INFINITY) << 24 | max(depth, 0) << 10 | kind << 8 | column
    tree.table[slot] = key | np.uint64(1)  # never 0, which marks an empty slot
    tree.table[slot + 1] = np.uint64(entry)


@inlined
def recall(tree: Tree, key: int) -> Any:
    """Return a position's packed table entry, or -1 if the table has none."""
    slot = 2 * np.int64((key >> np.uint64(8)) & np.uint64(len(tree.table) // 2 - 1))
    if tree.table[slot] != key | np.uint64(1):
        return -1
    return np.int64(tree.table[slot + 1])


@inlined
def cuts(entry: int, depth: int, alpha: int, beta: int) -> bool:
    """Return whether a table entry decides a search with this depth and window."""
    value, known, kind = (entry >> 24) - INFINITY, entry >> 10 & 16383, entry >> 8 & 3
    if known >= depth:
        if kind == EXACT:
            return True
        return value >= beta if kind == AT_LEAST else value <= alpha
    # a forced win holds at any depth, though there may be a shorter one
    if value > MAX_STATIC:
        return kind != AT_MOST and value >= beta
    return value < -MAX_STATIC and kind != AT_LEAST and value <= alpha


UNTABLED = 2  # Depth up to which searching again is faster than a table, if nothing is forced.


class Settings(NamedTuple):
    """The switches of a search, see `arena.engine.search.Engine`."""

    first: bool
    """Whether the goal is `first`."""
    pruning: bool
    table: bool
    ordering: bool
    forced: bool
    selective: bool


@inlined
def enter(
    lines: Lines,
    board: Board,
    gains: Array,
    rows_of: Array,
    judgement: Judgement,
    settings: Settings,
    tree: Tree,
    ply: int,
) -> None:
    """List a position's moves; if its value is known, set it and list none."""
    base, moves = ply * WIDTH, ply * lines.columns
    frames = tree.frames
    if ply < PLIES_OF_LINE:
        tree.lines[ply * (PLIES_OF_LINE + 1)] = 0
    frames[base + INDEX] = 0
    frames[base + STEP] = CHOOSE
    frames[base + BEST] = -INFINITY
    frames[base + BEST_COLUMN] = -1
    if settings.forced:
        if not list_sound(lines, board, tree, ply):
            return
        if frames[base + DEPTH] <= 0:
            side = tree.registers[SIDE] ^ (ply & 1)
            score = frames[base + SCORE] + waiting(lines, board, rows_of, judgement, side)
            frames[base + BEST], frames[base + COUNT] = static(score, settings.first), 0
            return
    else:
        list_all(lines, board, tree, ply)
    depth, count = frames[base + DEPTH], frames[base + COUNT]
    known = -1
    if settings.table and (depth > UNTABLED or settings.forced):
        entry = recall(tree, tree.keys[ply])
        if entry >= 0:
            if ply > 0 and cuts(entry, depth, frames[base + ALPHA], frames[base + BETA]):
                decide(tree, ply, (entry >> 24) - INFINITY, entry & 255)
                return
            known = entry & 255
    if ply == 0:
        known = tree.registers[FIRST]
    if settings.ordering and count > 1:
        rank(lines, board, gains, settings, tree, ply, known)
    elif known >= 0:
        bring_forward(tree, moves, count, known)


@inlined
def list_sound(lines: Lines, board: Board, tree: Tree, ply: int) -> bool:
    """List moves that do not let the opponent win at once.

    A forced reply costs no depth. Returns False if the position is decided.
    """
    columns, rows = lines.columns, lines.rows
    base, moves = ply * WIDTH, ply * columns
    side = tree.registers[SIDE] ^ (ply & 1)
    one = np.uint64(1)
    block = free = np.int64(-1)
    blocks, sound, count = 0, 0, 0
    for i in range(columns):
        column = lines.order[i]
        height = board.heights[column]
        if height == rows:
            continue
        free = column if free < 0 else free
        if board.threats[side * columns + column] >> np.uint64(height) & one:
            decide(tree, ply, WON - ply - 1, column)
            return False
        other = board.threats[(1 - side) * columns + column] >> np.uint64(height)
        poisoned = other >> one & one and height + 1 < rows
        if other & one:
            blocks += 1
            block = column
            sound = 0 if poisoned else 1
        if not poisoned:
            tree.moves[moves + count] = column
            count += 1
    if blocks > 1 or (blocks == 1 and sound == 0) or count == 0:
        # the opponent wins with the next disc
        decide(tree, ply, 2 + ply - WON, block if block >= 0 else free)
        return False
    if blocks == 1:
        tree.moves[moves] = block
        count = 1
        tree.frames[base + DEPTH] += 1
    tree.frames[base + COUNT] = count
    return True


@inlined
def list_all(lines: Lines, board: Board, tree: Tree, ply: int) -> None:
    count = 0
    for i in range(lines.columns):
        column = lines.order[i]
        if board.heights[column] < lines.rows:
            tree.moves[ply * lines.columns + count] = column
            count += 1
    tree.frames[ply * WIDTH + COUNT] = count


@compiled
def bring_forward(tree: Tree, moves: int, count: int, column: int) -> None:
    for i in range(count):
        if tree.moves[moves + i] == column:
            for j in range(i, 0, -1):
                tree.moves[moves + j] = tree.moves[moves + j - 1]
            tree.moves[moves] = column
            return


@compiled
def rank(
    lines: Lines, board: Board, gains: Array, settings: Settings, tree: Tree, ply: int, known: int
) -> None:
    """Sort the moves, `known` first; decide the position if a move makes two threats."""
    base, moves = ply * WIDTH, ply * lines.columns
    side = tree.registers[SIDE] ^ (ply & 1)
    cells = lines.rows * lines.columns
    for i in range(tree.frames[base + COUNT]):
        column = tree.moves[moves + i]
        worth = gain(lines, board, gains, side, column)
        if settings.forced:
            threats = attacks(lines, board, side, column)
            if threats > 1:
                decide(tree, ply, WON - ply - 3, column)
                return
        worth += tree.history[side * cells + column * lines.rows + board.heights[column]]
        if column == known:
            worth = 2 * LINE * lines.columns * lines.rows
        j = i
        while j > 0 and tree.ranks[j - 1] < worth:
            tree.ranks[j] = tree.ranks[j - 1]
            tree.moves[moves + j] = tree.moves[moves + j - 1]
            j -= 1
        tree.ranks[j] = worth
        tree.moves[moves + j] = column


@inlined
def settle(
    lines: Lines, board: Board, settings: Settings, tree: Tree, ply: int, value: int
) -> None:
    """Use the value of the move just searched: search it again, or go on to the next."""
    base = ply * WIDTH
    frames, registers = tree.frames, tree.registers
    alpha, beta, step = frames[base + ALPHA], frames[base + BETA], frames[base + STEP]
    index = frames[base + INDEX]
    column = tree.moves[ply * lines.columns + index]
    if value > alpha and (step == SHALLOW or (step == NARROW and value < beta)):
        frames[base + STEP] = step + 1
        if ply == 0 and step == NARROW:
            registers[BETTER], registers[BETTER_VALUE] = column, value
        return
    frames[base + STEP] = CHOOSE
    frames[base + INDEX] = index + 1
    if value > frames[base + BEST]:
        frames[base + BEST] = value
        frames[base + BEST_COLUMN] = column
        if value > alpha or ply == 0:
            note(tree, ply, column)
            if settings.pruning:
                frames[base + ALPHA] = max(alpha, value)
                if value >= beta:
                    frames[base + INDEX] = frames[base + COUNT]
                    side = registers[SIDE] ^ (ply & 1)
                    cell = column * lines.rows + board.heights[column]
                    depth = frames[base + DEPTH]
                    tree.history[side * lines.rows * lines.columns + cell] += depth * depth
    if ply == 0:
        registers[BETTER] = -1


@inlined
def leave(tree: Tree, settings: Settings, ply: int) -> None:
    base = ply * WIDTH
    frames = tree.frames
    if frames[base + COUNT] == 0 or not settings.table:
        return
    depth, best = frames[base + DEPTH], frames[base + BEST]
    if depth > UNTABLED or settings.forced:
        kind = EXACT
        if best >= frames[base + BETA]:
            kind = AT_LEAST
        elif best <= frames[base + LOW]:
            kind = AT_MOST
        remember(tree, tree.keys[ply], best, depth, kind, frames[base + BEST_COLUMN])


@inlined
def leaves(
    lines: Lines,
    board: Board,
    gains: Array,
    settings: Settings,
    tree: Tree,
    ply: int,
    nodes: int,
    budget: int,
) -> int:
    """Search all moves at the last ply, within the budget; return all nodes so far."""
    base, moves = ply * WIDTH, ply * lines.columns
    frames, registers = tree.frames, tree.registers
    side, last = registers[SIDE] ^ (ply & 1), registers[EMPTY] - ply == 1
    alpha, beta, score = frames[base + ALPHA], frames[base + BETA], frames[base + SCORE]
    count, first = frames[base + COUNT], settings.first
    best, best_index, index = -INFINITY, 0, 0
    while index < count and nodes < budget:
        nodes += 1
        gained = gain(lines, board, gains, side, tree.moves[moves + index])
        if first and gained > LINE // 2:
            value = WON - ply - 1
        elif last:
            value = final(score + gained, first)
        else:
            value = static(score + gained, first)
        if value > best:
            best, best_index = value, index
            if value >= beta and settings.pruning:
                index = count
        index += 1
    column = tree.moves[moves + best_index]
    frames[base + INDEX] = index
    frames[base + BEST], frames[base + BEST_COLUMN] = best, column
    if best >= beta and settings.ordering:
        tree.history[
            side * lines.rows * lines.columns + column * lines.rows + board.heights[column]
        ] += 1
    if (best > alpha or ply == 0) and index > 0:
        if ply + 1 < PLIES_OF_LINE:
            tree.lines[(ply + 1) * (PLIES_OF_LINE + 1)] = 0
        note(tree, ply, column)
    return nodes


LATE = 4  # Moves after this one may be searched two plies less deep.


@entry
def search(
    lines: Lines,
    board: Board,
    gains: Array,
    rows_of: Array,
    judgement: Judgement,
    settings: Settings,
    tree: Tree,
    budget: int,
    pause: int,
) -> None:
    """Start or continue the search of the position in frame 0.

    Returns when it is done, when `budget` nodes are searched (then only frame 0 is valid), or soon
    after node number `pause`. The register STATE tells which.
    """
    registers, frames = tree.registers, tree.frames
    columns, rows = lines.columns, lines.rows
    nodes, ply = registers[NODES], registers[PLY]
    while True:
        if nodes >= budget or nodes >= pause:
            registers[NODES], registers[PLY] = nodes, ply
            registers[STATE] = SPENT if nodes >= budget else PAUSED
            return
        nodes += 1
        enter(lines, board, gains, rows_of, judgement, settings, tree, ply)
        # continue this position, or return to earlier ones, until a new one is entered
        while True:
            base = ply * WIDTH
            index = frames[base + INDEX]
            if index >= frames[base + COUNT]:
                leave(tree, settings, ply)
                if ply == 0:
                    registers[NODES], registers[STATE] = nodes, DONE
                    return
                value = -frames[base + BEST]
                ply -= 1
                base = ply * WIDTH
                column = tree.moves[ply * columns + frames[base + INDEX]]
                take(lines, board, registers[SIDE] ^ (ply & 1), column)
                settle(lines, board, settings, tree, ply, value)
                continue
            side = registers[SIDE] ^ (ply & 1)
            depth, empty = frames[base + DEPTH], registers[EMPTY] - ply
            if depth == 1 and not settings.forced:
                nodes = leaves(lines, board, gains, settings, tree, ply, nodes, budget)
                if frames[base + INDEX] < frames[base + COUNT]:
                    registers[NODES], registers[STATE] = nodes, SPENT
                    return
                continue
            alpha, beta = frames[base + ALPHA], frames[base + BETA]
            column = tree.moves[ply * columns + index]
            gained = gain(lines, board, gains, side, column)
            score = frames[base + SCORE] + gained
            won = settings.first and gained > LINE // 2
            if won or empty == 1:
                if nodes >= budget:
                    registers[NODES], registers[STATE] = nodes, SPENT
                    return
                nodes += 1
                value = WON - ply - 1 if won else final(score, settings.first)
                if ply + 1 < PLIES_OF_LINE:
                    tree.lines[(ply + 1) * (PLIES_OF_LINE + 1)] = 0
                frames[base + STEP] = WHOLE
                settle(lines, board, settings, tree, ply, value)
                continue
            step = frames[base + STEP]
            selective = settings.selective and depth < empty
            if step == CHOOSE:
                step = WHOLE
                if index > 0 and settings.ordering and settings.pruning:
                    step = NARROW
                    if selective:
                        if depth == 1 and static(score, settings.first) <= alpha:
                            bound = static(score, settings.first)
                            frames[base + BEST] = max(frames[base + BEST], bound)
                            frames[base + INDEX] = index + 1
                            continue
                        if depth > 2 and index > 1:
                            step = SHALLOW
                frames[base + STEP] = step
            cell = column * rows + board.heights[column]
            put(lines, board, side, column)
            tree.keys[ply + 1] = tree.keys[ply] ^ lines.keys[side * rows * columns + cell]
            child = base + WIDTH
            frames[child + DEPTH] = depth - 1
            if step == SHALLOW:
                # a forced search ends at depth 0, others with the moves of depth 1
                late = index >= LATE and (depth > 3 or settings.forced)
                frames[child + DEPTH] -= 2 if late else 1
            frames[child + SCORE] = -score
            low = -beta if step == WHOLE else -alpha - 1
            if not settings.pruning:
                low, alpha = -INFINITY, -INFINITY
            frames[child + ALPHA] = low
            frames[child + LOW] = low
            frames[child + BETA] = -alpha
            ply += 1
            break
