"""Is built by position, with names of its own for its arguments, and looks four plies ahead.
expect: plays as pick_move ComputerPlayer
"""


class ComputerPlayer:
    def __init__(self, who, how_deep):
        assert who in (1, 2)
        assert how_deep == 4
        self.who = who

    def pick_move(self, rack):
        assert isinstance(rack, tuple) and isinstance(rack[0], tuple)
        discs = [cell for column in rack for cell in column if cell]
        assert discs.count(1) - discs.count(2) == self.who - 1, discs
        return [column[-1] for column in rack].index(0)
