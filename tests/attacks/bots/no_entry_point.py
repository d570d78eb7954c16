"""Has nothing that could pick a move.
expect: LOAD_ERROR, anyone
"""


def choose_column(rack):
    return [column[-1] for column in rack].index(0)
