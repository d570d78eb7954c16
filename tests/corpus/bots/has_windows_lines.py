# Was written on Windows.
# expect: plays
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
