"""Part III of the `next_move` homework, as it is handed out: what its player is built on."""

import random  # noqa: F401  (for those who import everything from here)

from hw07_2 import *  # noqa: F403
