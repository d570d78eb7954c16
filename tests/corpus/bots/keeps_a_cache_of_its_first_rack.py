"""Keeps what it found out about the first rack, in the instance and in its class.
expect: plays
"""


class ComputerPlayer:
    seen = []

    def __init__(self, id, difficulty_level):
        self.size = None
        assert not self.seen, "another game's racks"

    def pick_move(self, rack):
        if self.size is None:
            self.size = len(rack), len(rack[0])
        self.seen.append(rack)
        return [column[-1] for column in rack].index(0)
