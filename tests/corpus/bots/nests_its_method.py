"""Has its method one step too far to the right.
expect: problem its pick_move is inside the function __init__; check its indentation
"""


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        self.id = id

        def pick_move(self, rack):
            return 3
