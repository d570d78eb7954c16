"""Compiling what the `make_move` course does very often, for `app` and `heuristics`."""

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
