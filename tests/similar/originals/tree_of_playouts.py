"""Monte Carlo tree search with UCB1."""

from math import log, sqrt
from random import choice
from time import perf_counter


class Position:
    def __init__(self, stacks, turn):
        self.stacks = [list(stack) for stack in stacks]
        self.turn = turn
        self.last = None

    def free(self):
        return [i for i, stack in enumerate(self.stacks) if len(stack) < 6]

    def push(self, i):
        self.stacks[i].append(self.turn)
        self.last = (i, len(self.stacks[i]) - 1)
        self.turn = 3 - self.turn

    def at(self, x, y):
        return self.stacks[x][y] if 0 <= x < 7 and 0 <= y < len(self.stacks[x]) else None

    def is_won(self):
        if self.last is None:
            return False
        x, y = self.last
        owner = self.stacks[x][y]
        for dx, dy in [(1, 0), (0, 1), (1, 1), (-1, 1)]:
            length = 1
            for sign in (1, -1):
                step = 1
                while self.at(x + sign * step * dx, y + sign * step * dy) == owner:
                    length += 1
                    step += 1
            if length > 3:
                return True
        return False

    def clone(self):
        other = Position(self.stacks, self.turn)
        other.last = self.last
        return other


class Node:
    def __init__(self, parent, move, state):
        self.parent, self.move = parent, move
        self.children = []
        self.untried = [] if state.is_won() else state.free()
        self.visits = 0
        self.wins = 0.0
        self.mover = 3 - state.turn

    def select(self):
        def ucb(child):
            return child.wins / child.visits + sqrt(2 * log(self.visits) / child.visits)

        return max(self.children, key=ucb)

    def expand(self, state):
        move = self.untried.pop()
        state.push(move)
        child = Node(self, move, state)
        self.children.append(child)
        return child

    def backpropagate(self, winner):
        node = self
        while node is not None:
            node.visits += 1
            if winner == node.mover:
                node.wins += 1
            elif winner == 0:
                node.wins += 0.5
            node = node.parent


def simulate(state):
    while not state.is_won():
        moves = state.free()
        if not moves:
            return 0
        state.push(choice(moves))
    return 3 - state.turn


def pick_move(rack):
    stacks = [[cell for cell in column if cell] for column in rack]
    root_state = Position(stacks, 1 + sum(map(len, stacks)) % 2)
    root = Node(None, None, root_state)
    end = perf_counter() + 0.2
    while perf_counter() < end:
        node, state = root, root_state.clone()
        while not node.untried and node.children:
            node = node.select()
            state.push(node.move)
        if node.untried:
            node = node.expand(state)
        node.backpropagate(simulate(state))
    return max(root.children, key=lambda child: child.visits).move
