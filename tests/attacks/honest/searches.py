"""Looks two plies ahead and takes the column from which the fewest replies are better."""

import random


class ComputerPlayer:
    def __init__(self, id, difficulty_level):
        self.id = id

    def pick_move(self, rack):
        columns = [list(column) for column in rack]
        scores = {c: self.search(columns, c, self.id, 2) for c in self.free(columns)}
        return random.choice([c for c in scores if scores[c] == max(scores.values())])

    def free(self, columns):
        return [c for c, column in enumerate(columns) if column[-1] == 0]

    def search(self, columns, c, player, depth):
        row = columns[c].index(0)
        score = self.value(columns, c, row, player)
        columns[c][row] = player
        replies = self.free(columns) if depth > 1 else []
        score -= max((self.search(columns, b, 3 - player, depth - 1) for b in replies), default=0)
        columns[c][row] = 0
        return score

    def value(self, columns, c, row, player):
        below = columns[c][:row][::-1]
        height = next((n for n, disc in enumerate(below) if disc != player), len(below))
        beside = sum(column[row] == player for column in columns[max(c - 3, 0) : c + 4])
        return max(height, beside)
