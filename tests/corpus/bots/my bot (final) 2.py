"""Has spaces and brackets in its file's name.
expect: plays as pick_move ComputerPlayer
"""


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        assert __file__.endswith("my bot (final) 2.py"), __file__

    def pick_move(self, rack):
        return [column[-1] for column in rack].index(0)
