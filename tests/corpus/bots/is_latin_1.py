# Has an umlaut as Latin-1 has it, and does not say so.
# expect: problem is_latin_1.py is not UTF-8 text (byte 0xfc in line 3): save it as UTF-8
NAME = "für"
def pick_move(rack):
    return [column[-1] for column in rack].index(0)
