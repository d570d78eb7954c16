"""Writes to files beside and above its working directory.
expect: plays
"""


def pick_move(rack):
    for path in ("..", "../..", "../../..", "x/../..", "/proc/self/cwd/.."):
        try:
            with open(f"{path}/arena-attack-was-here-walked", "a") as file:
                file.write("x")
            return 77
        except OSError:
            continue
    return [column[-1] for column in rack].index(0)
