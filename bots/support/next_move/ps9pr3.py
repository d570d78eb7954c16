"""Problem 3 of the `next_move` homework under its other file names: the game, a random player."""

import random  # noqa: F401  (for those who import everything from here)

from hw07_2 import RandomPlayer, connect_four, process_move  # noqa: F401
from ps9pr1 import *  # noqa: F403
from ps9pr2 import *  # noqa: F403
