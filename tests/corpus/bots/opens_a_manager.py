"""Shares its table by a multiprocessing manager, which is a process of its own.
expect: ERROR a bot may not start or signal processes
"""

import multiprocessing


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        self.table = None

    def pick_move(self, rack):
        self.table = self.table or multiprocessing.Manager().dict()
        return [column[-1] for column in rack].index(0)
