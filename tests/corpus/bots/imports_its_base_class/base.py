class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        self.id = id

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
