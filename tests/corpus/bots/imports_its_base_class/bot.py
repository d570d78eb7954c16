"""The class that plays inherits from one of another file, which picks moves, too.
expect: plays as pick_move Mine
"""

from base import ComputerPlayer


class Mine(ComputerPlayer):
    def pick_move(self, rack):
        return super().pick_move(rack)
