"""Loops for ever while it is built.
expect: TIMEOUT, anyone
"""


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        while True:
            pass

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
