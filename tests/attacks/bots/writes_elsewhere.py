"""Writes a file into the world's temporary folder.
expect: ERROR
"""


def pick_move(rack):
    with open("/tmp/arena-attack-was-here-elsewhere", "a") as file:
        file.write("x")
    return 77
