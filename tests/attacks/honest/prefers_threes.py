"""Plays where most of its own discs are near, a random one of the best columns, and keeps a log."""

import random


def pick_move(rack, player):
    def neighbours(c):
        r = rack[c].index(0)
        near = [column[max(r - 1, 0) : r + 2] for column in rack[max(c - 1, 0) : c + 2]]
        return sum(cells.count(player) for cells in near)

    free = [c for c, column in enumerate(rack) if column[-1] == 0]
    most = max(map(neighbours, free))
    with open("log.txt", "a") as log:
        log.write(f"{free} {most}\n")
    return random.choice([c for c in free if neighbours(c) == most])
