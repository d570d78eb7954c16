"""Looks as far ahead as the contest file says.
expect: plays
options: difficulty_level = 2
"""


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        assert difficulty_level == 2

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
