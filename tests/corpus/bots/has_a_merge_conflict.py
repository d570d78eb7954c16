# Was handed in too soon.
# expect: problem has a merge conflict that nobody resolved (line 5)

def pick_move(rack):
<<<<<<< HEAD
    return 3
=======
    return 4
>>>>>>> feature
