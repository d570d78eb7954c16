# Was pasted from a web page.
# expect: problem has an invisible character (U+00A0) in line 5

def pick_move(rack):
    return 3
