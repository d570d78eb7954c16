"""Iterative deepening with killer moves and a history table, until the time is over."""

import time
from itertools import groupby

BUDGET = 0.3
LINES = []
for x in range(7):
    for y in range(6):
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            cells = [(x + n * dx, y + n * dy) for n in range(4)]
            if all(0 <= a < 7 and 0 <= b < 6 for a, b in cells):
                LINES.append([a * 6 + b for a, b in cells])
THROUGH = {cell: [line for line in LINES if cell in line] for cell in range(42)}
WEIGHTS = {1: 1, 2: 6, 3: 30}


class OutOfTime(Exception):
    pass


class Searcher:
    def __init__(self, cells):
        self.cells = cells
        self.tops = [sum(1 for y in range(6) if cells[x * 6 + y]) for x in range(7)]
        self.killers = {}
        self.history = [0] * 7
        self.deadline = time.monotonic() + BUDGET

    def ordered(self, ply):
        killer = self.killers.get(ply)
        playable = (x for x in range(7) if self.tops[x] < 6)
        return sorted(playable, key=lambda x: (x != killer, -self.history[x], abs(x - 3)))

    def make(self, x, side):
        self.cells[x * 6 + self.tops[x]] = side
        self.tops[x] += 1

    def undo(self, x):
        self.tops[x] -= 1
        self.cells[x * 6 + self.tops[x]] = 0

    def completes(self, x, side):
        cell = x * 6 + self.tops[x]
        return any(
            all(other == cell or self.cells[other] == side for other in line)
            for line in THROUGH[cell]
        )

    def static(self, side):
        total = 0
        for line in LINES:
            owners = {self.cells[cell] for cell in line} - {0}
            if len(owners) == 1:
                owner = owners.pop()
                weight = WEIGHTS.get(sum(1 for cell in line if self.cells[cell]), 0)
                total += weight if owner == side else -weight
        return total

    def look(self, depth, ply, side, alpha, beta):
        if time.monotonic() > self.deadline:
            raise OutOfTime
        moves = self.ordered(ply)
        if not moves:
            return 0
        for x in moves:
            if self.completes(x, side):
                return 10_000 - ply
        if depth == 0:
            return self.static(side)
        for x in moves:
            self.make(x, side)
            try:
                score = -self.look(depth - 1, ply + 1, -side, -beta, -alpha)
            finally:
                self.undo(x)
            if score >= beta:
                self.killers[ply] = x
                self.history[x] += depth * depth
                return score
            alpha = max(alpha, score)
        return alpha

    def best(self):
        chosen = self.ordered(0)[0]
        for depth in range(1, 43):
            scores = []
            try:
                for x in self.ordered(0):
                    if self.completes(x, 1):
                        return x
                    self.make(x, 1)
                    try:
                        scores.append((-self.look(depth - 1, 1, -1, -99_999, 99_999), x))
                    finally:
                        self.undo(x)
            except OutOfTime:
                return chosen
            scores.sort(key=lambda pair: -pair[0])
            top = next(groupby(scores, key=lambda pair: pair[0]))
            chosen = min(top[1], key=lambda pair: abs(pair[1] - 3))[1]
        return chosen


def pick_move(rack):
    filled = sum(map(bool, (cell for column in rack for cell in column)))
    mine = filled % 2 + 1
    signs = [0 if not cell else 1 if cell == mine else -1 for column in rack for cell in column]
    return Searcher(signs).best()
