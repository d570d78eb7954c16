"""Depth-limited alpha-beta in the form of the textbook."""

import math

ROWS = 6
COLS = 7
DEPTH = 4


def player_to_move(rack):
    discs = sum(1 for column in rack for cell in column if cell)
    return 1 if discs % 2 == 0 else 2


def actions(rack):
    return [c for c in sorted(range(COLS), key=lambda c: abs(c - 3)) if rack[c][-1] == 0]


def result(rack, action, player):
    new = [list(column) for column in rack]
    row = new[action].index(0)
    new[action][row] = player
    return new


def winner(rack):
    for c in range(COLS):
        for r in range(ROWS):
            who = rack[c][r]
            if who == 0:
                continue
            for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
                end_c, end_r = c + 3 * dc, r + 3 * dr
                if not (0 <= end_c < COLS and 0 <= end_r < ROWS):
                    continue
                if all(rack[c + i * dc][r + i * dr] == who for i in range(4)):
                    return who
    return 0


def utility(rack, me):
    """Count the lines that are still possible for each player."""
    total = 0
    for c in range(COLS):
        for r in range(ROWS):
            if rack[c][r]:
                worth = 3 - abs(c - 3)
                total += worth if rack[c][r] == me else -worth
    return total


def max_value(rack, me, alpha, beta, depth):
    who = winner(rack)
    if who:
        return 1000 + depth if who == me else -1000 - depth
    moves = actions(rack)
    if depth == 0 or not moves:
        return utility(rack, me)
    v = -math.inf
    for a in moves:
        v = max(v, min_value(result(rack, a, me), me, alpha, beta, depth - 1))
        if v >= beta:
            return v
        alpha = max(alpha, v)
    return v


def min_value(rack, me, alpha, beta, depth):
    who = winner(rack)
    if who:
        return 1000 + depth if who == me else -1000 - depth
    moves = actions(rack)
    if depth == 0 or not moves:
        return utility(rack, me)
    v = math.inf
    for a in moves:
        v = min(v, max_value(result(rack, a, 3 - me), me, alpha, beta, depth - 1))
        if v <= alpha:
            return v
        beta = min(beta, v)
    return v


def pick_move(rack):
    me = player_to_move(rack)
    return max(
        actions(rack),
        key=lambda a: min_value(result(rack, a, me), me, -math.inf, math.inf, DEPTH - 1),
    )
