"""Appends to its own source file, to be another bot in the next game.
expect: ERROR
"""


def pick_move(rack):
    with open(__file__, "a") as source:
        source.write("# arena-attack-was-here\n")
    return 77
