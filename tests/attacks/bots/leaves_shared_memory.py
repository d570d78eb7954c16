"""Leaves a file in shared memory for its next game.
expect: plays
"""


def pick_move(rack):
    try:
        with open("/dev/shm/arena-attack-was-here-shm", "a") as file:
            file.write("x")
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
