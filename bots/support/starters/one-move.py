"""My Connect Four bot: run as `bot.py one-move IN OUT DEPTH`, makes one move and ends."""

import sys


def free_row(board, column):
    """The row in which a disc falls in a column; None if that is full. Row 0 is on top."""
    rows = [row for row in range(6) if board[row][column] == 0]
    return max(rows, default=None)


def choose(board, player, depth):
    """The column to play: the free one nearest to the middle. Make it better!"""
    free = [column for column in range(7) if free_row(board, column) is not None]
    return min(free, key=lambda column: abs(column - 3))


def one_move(in_name, out_name, depth):
    """Read the board, make a move, write the board."""
    with open(in_name) as file:
        lines = file.read().split()
    board = [[int(digit) for digit in line] for line in lines[:6]]
    player = int(lines[6])
    column = choose(board, player, depth)
    board[free_row(board, column)][column] = player
    with open(out_name, "w") as file:
        for row in board:
            file.write("".join(map(str, row)) + "\n")
        file.write(f"{3 - player}\n")


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] != "one-move":
        sys.exit("usage: bot.py one-move IN OUT DEPTH")
    one_move(sys.argv[2], sys.argv[3], int(sys.argv[4]))
