"""Imports the module of the course's host and uses all of it.
expect: plays as pick_move ComputerPlayer
note: connect4
"""

from connect4 import exists_legal_move, find_win, make_rack, place_disc, print_rack


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        self.id = id

    def pick_move(self, rack):
        assert exists_legal_move(rack)
        assert find_win(rack) is None
        empty = make_rack()
        assert (len(empty), len(empty[0])) == (7, 6)
        assert len(make_rack(3, 2)) == 3
        print_rack(rack)
        mine = [list(column) for column in rack]
        column = [column[-1] for column in mine].index(0)
        place_disc(mine, self.id, column)
        assert sum(map(len, mine)) == 42 and mine != [list(column) for column in rack]
        return [column[-1] for column in rack].index(0)
