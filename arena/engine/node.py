"""One position of the search: listing, sorting and judging its moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.engine.board import LINE, Array, Board, Lines, attacks, gain
from arena.engine.evaluation import Judgement, waiting
from arena.engine.jit import compiled, inlined
from arena.engine.stack import (
    ALPHA,
    AT_LEAST,
    AT_MOST,
    BEST,
    BEST_COLUMN,
    BETA,
    BETTER,
    BETTER_VALUE,
    CHOOSE,
    COUNT,
    DEPTH,
    EMPTY,
    EXACT,
    FIRST,
    INDEX,
    INFINITY,
    LOW,
    NARROW,
    PLIES_OF_LINE,
    SCORE,
    SHALLOW,
    SIDE,
    STEP,
    WIDTH,
    WON,
    Tree,
    cuts,
    decide,
    final,
    note,
    recall,
    remember,
    static,
)

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
            decide(tree, ply, static(score, True), -1)
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
    block, blocks, sound, count = -1, 0, 0, 0
    for i in range(columns):
        column = lines.order[i]
        height = board.heights[column]
        if height == rows:
            continue
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
        decide(tree, ply, 2 + ply - WON, block if block >= 0 else first_free(lines, board))
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
def first_free(lines: Lines, board: Board) -> int:
    for i in range(lines.columns):
        if board.heights[lines.order[i]] < lines.rows:
            return int(lines.order[i])
    return -1


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
