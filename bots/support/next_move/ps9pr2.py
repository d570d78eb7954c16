"""Problem 2 of the `next_move` homework under its other file names: a person who plays."""

from hw07_1 import Player  # noqa: F401
from ps9pr1 import *  # noqa: F403
