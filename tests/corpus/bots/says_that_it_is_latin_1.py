# -*- coding: latin-1 -*-
# expect: plays
NAME = "für"
assert NAME == "f" + chr(252) + "r"
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
