"""Problem 4 of the `next_move` homework under its other file names: a player that looks ahead."""

from hw07_3 import AIPlayer  # noqa: F401
from ps9pr3 import *  # noqa: F403
