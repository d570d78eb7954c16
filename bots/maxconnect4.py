#!/usr/bin/env python3
"""MaxConnect4: a player that looks DEPTH discs ahead, by alpha-beta search.

The board is filled, and every four discs in a row are a point. The board stands in a file: six
lines of seven digits, the top row first, 0 for an empty cell, then the digit of whoever plays next.

    python maxconnect4.py one-move IN OUT DEPTH
    python maxconnect4.py interactive IN computer-next DEPTH
    python maxconnect4.py interactive IN human-next DEPTH
"""

import sys
from operator import itemgetter

ROWS, COLUMNS = 6, 7
INFINITY = 10**9
USAGE = (
    "usage: maxconnect4.py one-move IN OUT DEPTH | interactive IN computer-next|human-next DEPTH"
)
MIDDLE_FIRST = sorted(range(COLUMNS), key=lambda column: abs(column - COLUMNS // 2))


def find_lines():
    """All 69 lines, each a list of its four cells. A cell is `column * ROWS + row`, row 0 below."""
    for across, up in (1, 0), (0, 1), (1, 1), (1, -1):
        for column in range(COLUMNS):
            for row in range(ROWS):
                if column + 3 * across < COLUMNS and 0 <= row + 3 * up < ROWS:
                    yield [(column + i * across) * ROWS + row + i * up for i in range(4)]


LINES = list(find_lines())
THROUGH = [[i for i, line in enumerate(LINES) if cell in line] for cell in range(ROWS * COLUMNS)]
"""For every cell the numbers of the lines it lies on."""

WORTH = (0, 1, 4, 16, 100)
"""What a line is worth by the discs on it, if they are all one player's. Four are a point."""

SOON = 10
"""What a point is worth more for every disc that it comes earlier."""

ONE, TWO = 1, 5
"""A line's discs are counted in one number: ONE for each disc of player 1, TWO for each of 2."""


def worth(count):
    """What a line with that count of discs is worth to player 1."""
    ones, twos = count % TWO, count // TWO
    return 0 if ones and twos else WORTH[ones] - WORTH[twos]


GAINS = {
    1: [worth(count + ONE) - worth(count) for count in range(4 * TWO)],
    2: [worth(count) - worth(count + TWO) for count in range(4 * TWO)],
}
"""For either player what one more disc on a line gains, by the line's count before it."""


class Board:
    """The discs, the number of them on every line, and who plays next."""

    def __init__(self):
        self.player = 1
        """Who plays next, 1 or 2."""
        self.discs = 0
        """All cells in one number, two bits for each: 0, 1 or 2. It names the board in a table."""
        self.heights = [0] * COLUMNS
        self.counts = [0] * len(LINES)

    def free(self):
        """The columns with room, the middle one first."""
        return [column for column in MIDDLE_FIRST if self.heights[column] < ROWS]

    def drop(self, column):
        """The next player's disc falls into a column."""
        self._change(column * ROWS + self.heights[column], 1)
        self.heights[column] += 1
        self.player = 3 - self.player

    def lift(self, column):
        """Take the last disc back, which fell into this column."""
        self.player = 3 - self.player
        self.heights[column] -= 1
        self._change(column * ROWS + self.heights[column], -1)

    def _change(self, cell, by):
        """Have one disc of the next player's more or less in a cell."""
        self.discs += by * self.player << 2 * cell
        step = by * (ONE if self.player == 1 else TWO)
        counts = self.counts
        for line in THROUGH[cell]:
            counts[line] += step

    def gain(self, column):
        """By how much a disc in a column makes the board better for the next player."""
        gains, counts = GAINS[self.player], self.counts
        return sum([gains[counts[line]] for line in THROUGH[column * ROWS + self.heights[column]]])


def search(board, depth, alpha, beta, known):
    """What the next player gains by `depth` discs if both play well, and the best column.

    A value below `alpha` or above `beta` is only a bound: the search stops as soon as that is sure.
    `known` has what was found out before, by the discs on the board: the depth, the lowest and the
    highest that the value can be, and the best column.
    """
    best_column = None
    if board.discs in known:
        known_depth, low, high, best_column = known[board.discs]
        if known_depth == depth and (low == high or low >= beta or high <= alpha):
            return (low if low > alpha else high), best_column
    moves = [(board.gain(column), column) for column in board.free()]
    if not moves:
        return 0, None
    if depth == 1:
        return max(moves, key=itemgetter(0))
    moves.sort(key=lambda move: (move[1] == best_column, move[0]), reverse=True)
    best, floor = -INFINITY, alpha
    for gain, column in moves:
        if gain > WORTH[4] // 2:
            gain += SOON * depth
        board.drop(column)
        value = gain - search(board, depth - 1, gain - beta, gain - floor, known)[0]
        board.lift(column)
        if value > best:
            best, best_column = value, column
            floor = max(floor, best)
            if best >= beta:
                break
    low = best if best > alpha else -INFINITY
    high = best if best < beta else INFINITY
    known[board.discs] = depth, low, high, best_column
    return best, best_column


def choose(board, depth):
    """The best column. A search is quicker after one that looked a disc less far ahead."""
    known = {}
    empty = ROWS * COLUMNS - sum(board.heights)
    for plies in range(1, min(depth, empty) + 1):
        column = search(board, plies, -INFINITY, INFINITY, known)[1]
    return column


def read(name):
    """The board in a file, an empty one if there is none. Raises ValueError: what it should be."""
    board = Board()
    try:
        with open(name, encoding="utf-8-sig") as file:
            lines = file.read().split()
    except FileNotFoundError:
        print(f"{name}: no such file, so the board is empty and player 1 begins", file=sys.stderr)
        return board
    widths, digits = [len(line) for line in lines], set("".join(lines))
    if widths != [COLUMNS] * ROWS + [1] or not digits <= set("012") or lines[ROWS] == "0":
        raise ValueError("expected six lines of seven digits 0, 1 or 2, then a line with 1 or 2")
    for height, row in enumerate(reversed(lines[:ROWS])):
        for column, digit in enumerate(row):
            if digit != "0":
                if board.heights[column] < height:
                    raise ValueError(f"a disc in the air in column {column}")
                board.player = int(digit)
                board.drop(column)
    board.player = int(lines[ROWS])
    return board


def rows_of(board):
    """The board as rows of digits, the top one first."""
    cells = [str(board.discs >> 2 * cell & 3) for cell in range(ROWS * COLUMNS)]
    return ["".join(cells[row::ROWS]) for row in reversed(range(ROWS))]


def write(board, name):
    """Write a file that `read` reads."""
    with open(name, "w", newline="\n") as file:
        file.write("\n".join([*rows_of(board), str(board.player)]) + "\n")


def show(board):
    """Print the board and the score."""
    print("  0 1 2 3 4 5 6", "-" * 17, sep="\n")
    for row in rows_of(board):
        print("|", *row.replace("0", " "), "|")
    ones, twos = board.counts.count(4 * ONE), board.counts.count(4 * TWO)
    print("-" * 17, f"Score: 1-player {ones}, 2-player {twos}", sep="\n")
    if not board.free():
        won = f"the {1 if ones > twos else 2}-player wins" if ones != twos else "nobody wins"
        print(f"The board is full: {won}.")


def play(board, column):
    """Make a move and say so."""
    print(f"\nThe {board.player}-player plays column {column}.\n")
    board.drop(column)


def one_move(in_name, out_name, depth):
    """Read a board, make a move, write the board. Nothing is written if it is full already."""
    board = read(in_name)
    show(board)
    if board.free():
        play(board, choose(board, depth))
        show(board)
        write(board, out_name)


def interactive(in_name, turn, depth):
    """Computer and human move in turns until the board is full or nobody types anything more."""
    board, saved = read(in_name), ""
    show(board)
    while board.free():
        computer = turn == "computer-next"
        column = choose(board, depth) if computer else ask(board)
        if column is None:
            print("\nNo more moves to read.", f"The game stands in {saved}." if saved else "")
            return
        play(board, column)
        saved, turn = ("computer.txt", "human") if computer else ("human.txt", "computer-next")
        write(board, saved)
        show(board)


def ask(board):
    """The column that the human types, asked for until it has room; None at the input's end."""
    while True:
        try:
            word = input(f"{board.player}-player, your column (0 to 6): ").strip()
        except (EOFError, RuntimeError):  # the second where input is closed from the start
            return None
        if word not in list("0123456"):
            print("That is no column: expected a number from 0 (left) to 6 (right).")
        elif int(word) not in board.free():
            print(f"That cannot be played: column {word} is full.")
        else:
            return int(word)


def main(words):
    """Run a command line. What is wrong with it is said in one line."""
    mode, in_name, third, depth = words if len(words) == 4 else [""] * 4
    playing = mode == "interactive" and third in ("computer-next", "human-next")
    deep = depth.isdecimal() and len(depth) < 9 and int(depth) > 0
    if not deep or not (playing or mode == "one-move"):
        sys.exit(USAGE)
    try:
        (interactive if playing else one_move)(in_name, third, int(depth))
    except OSError as error:
        sys.exit(f"{error.filename or third}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{in_name}: {error}")
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main(sys.argv[1:])
