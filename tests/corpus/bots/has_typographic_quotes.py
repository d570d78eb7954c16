# Was pasted from a word processor.
# expect: problem has a typographic quote “ in line 5

def pick_move(rack):
    print(“thinking”)
    return 3
