"""Problem 1 of the `next_move` homework under its other file names: the board."""

from board import Board  # noqa: F401
