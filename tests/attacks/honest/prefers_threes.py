"""Plays where most of its own discs are near, a random one of the best columns, and keeps a log,
which a thread writes.
"""

import random
import threading


def write(text):
    with open("log.txt", "a") as log:
        log.write(text)


def pick_move(rack, player):
    def neighbours(c):
        r = rack[c].index(0)
        near = [column[max(r - 1, 0) : r + 2] for column in rack[max(c - 1, 0) : c + 2]]
        return sum(cells.count(player) for cells in near)

    free = [c for c, column in enumerate(rack) if column[-1] == 0]
    most = max(map(neighbours, free))
    writer = threading.Thread(target=write, args=(f"{free} {most}\n",))
    writer.start()
    writer.join()
    return random.choice([c for c in free if neighbours(c) == most])
