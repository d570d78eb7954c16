"""Calls its method as it pleases.
expect: problem its pickMove must be renamed to pick_move (spells_its_method_in_its_own_way.py
"""


class ComputerPlayer:
    def pickMove(self, rack):
        return 3
