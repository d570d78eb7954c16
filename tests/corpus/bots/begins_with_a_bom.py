# Was saved by an editor that marks UTF-8.
# expect: plays
NAME = "für"
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
