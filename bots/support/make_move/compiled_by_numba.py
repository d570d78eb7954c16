"""Compiling the `make_move` course's most used functions.

As a program it compiles all of them into the folder NUMBA_CACHE_DIR.
"""

from numba import njit


def compiled(function):
    """The function, compiled by its first call: that takes half a second.

    What comes of it is kept in a file, for the next process that imports it or the next game,
    unless there is nowhere to write to.
    """
    try:
        return njit(cache=True)(function)
    except RuntimeError:
        return njit(function)


if __name__ == "__main__":
    from board import Board
    from heuristics import SimpleHeuristic

    SimpleHeuristic(4).evaluate_board(1, Board(7, 6))
