"""My Connect Four bot: reads lines, and answers every `move` with a column."""

import sys

rows = columns = 0
for line in sys.stdin:
    word, *values = line.split()
    if word == "game":  # game ROWS COLUMNS CONNECT GOAL PLAYER
        rows, columns = int(values[0]), int(values[1])
    elif word == "move":  # move and all columns so far, counted from 0; player 1 began
        played = [int(value) for value in values]
        free = [column for column in range(columns) if played.count(column) < rows]
        # the free column nearest to the middle: make it better!
        best = min(free, key=lambda column: abs(column - (columns - 1) / 2))
        print(best, flush=True)
