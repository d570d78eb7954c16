def pick_move(rack):
    return 1
