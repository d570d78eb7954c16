"""The alpha-beta search: one function with its own stack, which can pause.

`arena.engine.exact` explains why it is one long loop.
"""

from __future__ import annotations

from arena.engine.board import LINE, Array, Board, Lines, gain, put, take
from arena.engine.evaluation import Judgement
from arena.engine.jit import compiled
from arena.engine.node import Settings, enter, leave, leaves, settle
from arena.engine.stack import (
    ALPHA,
    BEST,
    BETA,
    CHOOSE,
    COUNT,
    DEPTH,
    DONE,
    EMPTY,
    INDEX,
    INFINITY,
    LOW,
    NARROW,
    NODES,
    PAUSED,
    PLIES_OF_LINE,
    PLY,
    SCORE,
    SHALLOW,
    SIDE,
    SPENT,
    STATE,
    STEP,
    WHOLE,
    WIDTH,
    WON,
    Tree,
    final,
    static,
)

LATE = 4  # Moves after this one may be searched two plies less deep.


@compiled
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
