"""Principal variation search; threats on odd rows count more."""

EXACT, LOWER, UPPER = "exact", "lower", "upper"


class ConnectFour:
    def __init__(self, rack):
        self.n_columns = len(rack)
        self.n_rows = len(rack[0])
        self.field = {
            (c, r): rack[c][r]
            for c in range(self.n_columns)
            for r in range(self.n_rows)
            if rack[c][r]
        }
        self.tops = {c: sum(1 for x, _ in self.field if x == c) for c in range(self.n_columns)}
        self.current = 1 + len(self.field) % 2

    def candidates(self):
        centre = (self.n_columns - 1) / 2
        free = (c for c, top in self.tops.items() if top < self.n_rows)
        return sorted(free, key=lambda c: abs(c - centre))

    def play(self, c):
        self.field[c, self.tops[c]] = self.current
        self.tops[c] += 1
        self.current ^= 3

    def take_back(self, c):
        self.tops[c] -= 1
        del self.field[c, self.tops[c]]
        self.current ^= 3

    def last_won(self, c):
        r = self.tops[c] - 1
        mark = self.field[c, r]
        for step in ((0, 1), (1, 0), (1, 1), (1, -1)):
            chain = 1
            for direction in (-1, 1):
                x, y = c, r
                while True:
                    x, y = x + direction * step[0], y + direction * step[1]
                    if self.field.get((x, y)) != mark:
                        break
                    chain += 1
            if chain >= 4:
                return True
        return False

    def signature(self):
        return frozenset(self.field.items())

    def estimate(self):
        points = {1: 0, 2: 0}
        for c in range(self.n_columns):
            for r in range(self.tops[c], self.n_rows):
                for mark in (1, 2):
                    if self.threatens(c, r, mark):
                        odd = r % 2 == 0
                        points[mark] += 3 if odd == (mark == 1) else 1
        return points[self.current] - points[3 - self.current]

    def threatens(self, c, r, mark):
        for dc, dr in ((1, 0), (1, 1), (1, -1)):
            left = right = 0
            while self.field.get((c - (left + 1) * dc, r - (left + 1) * dr)) == mark:
                left += 1
            while self.field.get((c + (right + 1) * dc, r + (right + 1) * dr)) == mark:
                right += 1
            if left + right >= 3:
                return True
        return False


def pvs(game, depth, alpha, beta, memory):
    options = game.candidates()
    if not options:
        return 0
    if depth <= 0:
        return game.estimate()
    key = game.signature()
    stored = memory.get(key)
    if stored and stored[0] >= depth:
        _, kind, score = stored
        if kind == EXACT:
            return score
        if kind == LOWER:
            alpha = max(alpha, score)
        else:
            beta = min(beta, score)
        if alpha >= beta:
            return score
    original, top = alpha, None
    for index, c in enumerate(options):
        game.play(c)
        if game.last_won(c):
            score = 500 + depth
        elif index == 0:
            score = -pvs(game, depth - 1, -beta, -alpha, memory)
        else:
            score = -pvs(game, depth - 1, -alpha - 1, -alpha, memory)
            if alpha < score < beta:
                score = -pvs(game, depth - 1, -beta, -score, memory)
        game.take_back(c)
        top = score if top is None else max(top, score)
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    kind = UPPER if top <= original else LOWER if top >= beta else EXACT
    memory[key] = depth, kind, top
    return top


def pick_move(rack):
    game = ConnectFour([list(column) for column in rack])
    memory, ranked = {}, []
    for c in game.candidates():
        game.play(c)
        won = game.last_won(c)
        score = 1000 if won else -pvs(game, 4, -1000, 1000, memory)
        game.take_back(c)
        ranked.append((score, c))
    return max(ranked, key=lambda pair: pair[0])[1]
