"""Minimax with pruning after the lecture's pseudocode; the state is a class."""

INFINITY = float("inf")


class State:
    def __init__(self, columns, turn):
        self.columns = columns
        self.turn = turn

    def legal_moves(self):
        moves = []
        for number in range(len(self.columns)):
            if 0 in self.columns[number]:
                moves.append(number)
        return moves

    def successor(self, move):
        copied = [column[:] for column in self.columns]
        height = 0
        while copied[move][height] != 0:
            height += 1
        copied[move][height] = self.turn
        return State(copied, 2 if self.turn == 1 else 1)

    def has_won(self, player):
        width, height = len(self.columns), len(self.columns[0])
        # vertical
        for x in range(width):
            run = 0
            for y in range(height):
                run = run + 1 if self.columns[x][y] == player else 0
                if run == 4:
                    return True
        # horizontal
        for y in range(height):
            run = 0
            for x in range(width):
                run = run + 1 if self.columns[x][y] == player else 0
                if run == 4:
                    return True
        # diagonals
        for x in range(width - 3):
            for y in range(height - 3):
                rising = [self.columns[x + i][y + i] for i in range(4)]
                falling = [self.columns[x + i][y + 3 - i] for i in range(4)]
                if rising.count(player) == 4 or falling.count(player) == 4:
                    return True
        return False

    def is_terminal(self):
        return self.has_won(1) or self.has_won(2) or not self.legal_moves()


def evaluate(state, player):
    other = 2 if player == 1 else 1
    if state.has_won(player):
        return 10000
    if state.has_won(other):
        return -10000
    score = 0
    for x, column in enumerate(state.columns):
        for disc in column:
            if disc == player:
                score += 4 - abs(3 - x)
            elif disc == other:
                score -= 4 - abs(3 - x)
    return score


def minimax(state, player, depth, low, high, maximizing):
    if depth == 0 or state.is_terminal():
        return evaluate(state, player), None
    best_move = None
    if maximizing:
        best = -INFINITY
        for move in state.legal_moves():
            value, _ = minimax(state.successor(move), player, depth - 1, low, high, False)
            if value > best:
                best, best_move = value, move
            low = max(low, best)
            if low >= high:
                break
    else:
        best = INFINITY
        for move in state.legal_moves():
            value, _ = minimax(state.successor(move), player, depth - 1, low, high, True)
            if value < best:
                best, best_move = value, move
            high = min(high, best)
            if low >= high:
                break
    return best, best_move


def pick_move(rack):
    ones = sum(column.count(1) for column in map(list, rack))
    twos = sum(column.count(2) for column in map(list, rack))
    player = 1 if ones == twos else 2
    start = State([list(column) for column in rack], player)
    _, move = minimax(start, player, 4, -INFINITY, INFINITY, True)
    return start.legal_moves()[0] if move is None else move
