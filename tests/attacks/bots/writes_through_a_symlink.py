"""Makes a symbolic link in its scratch folder and writes through it to the world outside.
expect: plays
"""

import os


def pick_move(rack):
    try:
        if not os.path.lexists("door"):
            os.symlink("/tmp", "door")
        with open("door/arena-attack-was-here-door", "a") as file:
            file.write("x")
    except OSError:
        return [column[-1] for column in rack].index(0)
    return 77
