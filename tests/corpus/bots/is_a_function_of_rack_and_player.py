"""Is a function that is told which player it is.
expect: plays as pick_move pick_move
"""


def pick_move(rack, player):
    assert player in (1, 2)
    return [column[-1] for column in rack].index(0)
