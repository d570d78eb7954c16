"""Writes what the homework says.
expect: plays as one-move
"""

import sys


def main(arguments):
    mode, source, target, depth = arguments[1:]
    assert mode == "one-move"
    assert int(depth) > 0
    with open(source, newline="") as file:
        text = file.read()
    assert len(text) == 50 and text.endswith("\n") and "\r" not in text, text
    lines = text.splitlines()
    board, player = [list(line) for line in lines[:6]], lines[6]
    move = board[0].index("0")
    row = max(r for r in range(6) if board[r][move] == "0")
    board[row][move] = player
    rows = ["".join(line) for line in board]
    other = "12"[player == "1"]
    with open(target, "w", newline="") as file:
        file.write("\n".join([*rows, other]) + "\n")



if __name__ == "__main__":
    main(sys.argv)
