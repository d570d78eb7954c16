"""Has a copy of the course's module, which it has changed.
expect: plays as pick_move ComputerPlayer
"""

import connect4


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        self.id = id

    def pick_move(self, rack):
        return connect4.my_own_first_free(rack)
