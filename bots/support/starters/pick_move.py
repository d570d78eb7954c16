"""My Connect Four bot."""


class ComputerPlayer:
    """Plays the free column nearest to the middle. Make it better!"""

    def __init__(self, id, difficulty_level):
        self.id = id  # 1 or 2: whose discs are mine
        self.difficulty_level = difficulty_level  # plies to look ahead

    def pick_move(self, rack):
        """Return the column to play, counted from 0.

        rack[c][r] is 0 (empty), 1 or 2; c counts from the left, r from the bottom. It is made
        of tuples: to try moves, copy it with [list(column) for column in rack].
        """
        middle = (len(rack) - 1) / 2
        free = [c for c in range(len(rack)) if rack[c][-1] == 0]
        return min(free, key=lambda c: abs(c - middle))
