"""Loops in the destructor of its player, which runs when the next game's is built.
expect: TIMEOUT, anyone
"""


class ComputerPlayer:
    def __del__(self):
        while True:
            pass

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
