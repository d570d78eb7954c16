"""Is no Python: a bracket is left open.
expect: LOAD_ERROR, anyone
"""


def pick_move(rack):
    return (0
