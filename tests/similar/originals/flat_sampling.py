"""Plays many random games after each column and takes the one that wins most."""

import random

GAMES = 60


def drop(grid, heights, col, who):
    grid[heights[col]][col] = who
    heights[col] += 1


def four(grid, row, col):
    who = grid[row][col]
    for d_row, d_col in ((0, 1), (1, 0), (1, 1), (1, -1)):
        line = ""
        for k in range(-3, 4):
            y, x = row + k * d_row, col + k * d_col
            inside = 0 <= y < 6 and 0 <= x < 7
            line += str(grid[y][x]) if inside else "-"
        if str(who) * 4 in line:
            return True
    return False


def random_game(grid, heights, who):
    grid = [row[:] for row in grid]
    heights = heights[:]
    while True:
        open_columns = [x for x in range(7) if heights[x] < 6]
        if not open_columns:
            return None
        x = random.choice(open_columns)
        y = heights[x]
        drop(grid, heights, x, who)
        if four(grid, y, x):
            return who
        who = 1 if who == 2 else 2


def pick_move(rack):
    grid = [[rack[x][y] for x in range(7)] for y in range(6)]
    heights = [sum(1 for y in range(6) if rack[x][y]) for x in range(7)]
    me = sum(heights) % 2 + 1
    enemy = 3 - me
    results = {}
    for x in range(7):
        if heights[x] == 6:
            continue
        tried, tops = [row[:] for row in grid], heights[:]
        y = tops[x]
        drop(tried, tops, x, me)
        if four(tried, y, x):
            return x
        wins = losses = 0
        for _ in range(GAMES):
            outcome = random_game(tried, tops, enemy)
            wins += outcome == me
            losses += outcome == enemy
        results[x] = (wins - losses) / GAMES
    best = max(results.values())
    return random.choice([x for x, value in results.items() if value == best])
