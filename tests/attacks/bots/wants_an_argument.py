"""Wants an argument that no contest gives.
expect: LOAD_ERROR, anyone
"""


class ComputerPlayer:
    def __init__(self, id, difficulty_level, answers):
        self.answers = answers

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
