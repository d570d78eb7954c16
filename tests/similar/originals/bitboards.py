"""Negamax on two integers, with a table of positions."""

HEIGHT, WIDTH = 6, 7
STRIDE = HEIGHT + 1
ORDER = (3, 2, 4, 1, 5, 0, 6)
FULL = sum(((1 << HEIGHT) - 1) << (STRIDE * c) for c in range(WIDTH))


def has_four(bits):
    for shift in (1, STRIDE, STRIDE - 1, STRIDE + 1):
        pairs = bits & (bits >> shift)
        if pairs & (pairs >> 2 * shift):
            return True
    return False


def threats(bits, taken):
    free = FULL & ~taken
    found = (bits << 1) & (bits << 2) & (bits << 3)
    for shift in (STRIDE, STRIDE - 1, STRIDE + 1):
        twos = (bits << shift) & (bits << 2 * shift)
        found |= twos & (bits << 3 * shift)
        found |= twos & (bits >> shift)
        twos = (bits >> shift) & (bits >> 2 * shift)
        found |= twos & (bits << shift)
        found |= twos & (bits >> 3 * shift)
    return bin(found & free).count("1")


class Engine:
    def __init__(self, limit):
        self.limit = limit
        self.table = {}
        self.nodes = 0

    def negamax(self, mine, theirs, depth, alpha, beta):
        self.nodes += 1
        taken = mine | theirs
        if taken == FULL:
            return 0
        if depth == 0:
            return threats(mine, taken) - threats(theirs, taken)
        key = (mine, theirs, depth)
        known = self.table.get(key)
        if known is not None:
            return known
        best = -9999
        for column in ORDER:
            bit = self.drop(taken, column)
            if not bit:
                continue
            if has_four(mine | bit):
                return 1000 + depth
            value = -self.negamax(theirs, mine | bit, depth - 1, -beta, -alpha)
            if value > best:
                best = value
            if best > alpha:
                alpha = best
            if alpha >= beta:
                return best
        self.table[key] = best
        return best

    @staticmethod
    def drop(taken, column):
        base = 1 << (STRIDE * column)
        mask = ((1 << HEIGHT) - 1) * base
        return (taken + base) & mask & ~taken

    def choose(self, mine, theirs):
        taken = mine | theirs
        scored = []
        for rank, column in enumerate(ORDER):
            bit = self.drop(taken, column)
            if bit:
                won = has_four(mine | bit)
                value = 5000 if won else -self.negamax(theirs, mine | bit, self.limit, -9999, 9999)
                scored.append((value, -rank, column))
        return max(scored)[2]


def pick_move(rack):
    sides = [0, 0]
    for c, column in enumerate(rack):
        for r, cell in enumerate(column):
            if cell:
                sides[cell - 1] |= 1 << (STRIDE * c + r)
    turn = bin(sides[0] | sides[1]).count("1") % 2
    return Engine(6).choose(sides[turn], sides[1 - turn])
