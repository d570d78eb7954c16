# Is for Python 3, with a slip.
# expect: problem SyntaxError: Missing parentheses in call to 'print'

def pick_move(rack):
    print f"{rack}"
    return 3
