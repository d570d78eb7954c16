"""Plays a random free column; its games are the same for the same seed."""

import random


def pick_move(rack):
    return random.choice([c for c, column in enumerate(rack) if column[-1] == 0])
