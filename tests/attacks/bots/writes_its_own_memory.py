"""Opens its own memory in /proc for writing, where read-only pages can be written.
expect: plays
"""


def pick_move(rack):
    try:
        with open("/proc/self/mem", "r+b"):
            return 77
    except OSError:
        return [column[-1] for column in rack].index(0)
