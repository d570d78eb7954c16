"""Has an argument that is in no course's documents.
expect: LOAD_ERROR wants an argument 'opening_book' that no contest gives it
"""


class ComputerPlayer:
    def __init__(self, id, difficulty_level, opening_book):
        self.book = opening_book

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
