"""Problem 4 of the `next_move` homework under its other file names: nothing yet but the others."""

from ps9pr3 import *  # noqa: F403
