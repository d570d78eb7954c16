"""Takes it that a rack has seven columns.
expect: ERROR raised IndexError: tuple index out of range (assumes_six_by_seven.py, line 8)
rules: 5x6
"""


def pick_move(rack):
    return min(range(7), key=lambda c: (rack[c][-1] != 0, -c))
