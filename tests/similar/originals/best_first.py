"""Proof-number search for a forced win; without one, the column with most open lines."""

from collections import deque

OPEN, WIN, LOSS = range(3)
LIMIT = 3000


def moves_of(board):
    return [c for c in (3, 2, 4, 1, 5, 0, 6) if len(board[c]) < 6]


def makes_four(board, c, disc):
    r = len(board[c])

    def reach(dc, dr):
        n, x, y = 0, c + dc, r + dr
        while 0 <= x < 7 and 0 <= y < len(board[x]) and board[x][y] == disc:
            n, x, y = n + 1, x + dc, y + dr
        return n

    return reach(0, -1) >= 3 or any(reach(1, k) + reach(-1, -k) >= 3 for k in (-1, 0, 1))


class Entry:
    __slots__ = ("board", "children", "disc", "disproof", "is_or", "move", "parent", "proof")

    def __init__(self, board, disc, is_or, parent=None, move=None):
        self.board, self.disc, self.is_or = board, disc, is_or
        self.parent, self.move, self.children = parent, move, []
        self.proof = self.disproof = 1

    def settle(self, status):
        infinite = 10**9
        if status == WIN:
            self.proof, self.disproof = 0, infinite
        elif status == LOSS:
            self.proof, self.disproof = infinite, 0

    def update(self):
        proofs = [child.proof for child in self.children]
        disproofs = [child.disproof for child in self.children]
        if self.is_or:
            self.proof, self.disproof = min(proofs), sum(disproofs)
        else:
            self.proof, self.disproof = sum(proofs), min(disproofs)

    def grow(self):
        for c in moves_of(self.board):
            wins = makes_four(self.board, c, self.disc)
            board = tuple(
                column + self.disc if n == c else column for n, column in enumerate(self.board)
            )
            other = "b" if self.disc == "a" else "a"
            child = Entry(board, other, not self.is_or, self, c)
            if wins:
                child.settle(WIN if self.is_or else LOSS)
            elif not moves_of(board):
                child.settle(LOSS)
            self.children.append(child)


def prove(root):
    for _ in range(LIMIT):
        if root.proof == 0 or root.disproof == 0:
            break
        node = root
        while node.children:
            number = "proof" if node.is_or else "disproof"
            node = min(node.children, key=lambda child, number=number: getattr(child, number))
        node.grow()
        pending = deque([node])
        while pending:
            here = pending.popleft()
            here.update()
            if here.parent is not None:
                pending.append(here.parent)
    return root


def open_lines(board, c, disc):
    r, total = len(board[c]), 0
    for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for start in range(-3, 1):
            spots = [(c + (start + k) * dc, r + (start + k) * dr) for k in range(4)]
            if all(0 <= x < 7 and 0 <= y < 6 for x, y in spots):
                held = [board[x][y] if y < len(board[x]) else disc for x, y in spots]
                total += all(owner == disc for owner in held)
    return total


def pick_move(rack):
    filled = sum(1 for column in rack for cell in column if cell)
    me = filled % 2 + 1
    board = tuple("".join("a" if d == me else "b" for d in column if d) for column in rack)
    root = prove(Entry(board, "a", True))
    for child in root.children:
        if child.proof == 0:
            return child.move
    playable = [child.move for child in root.children if child.disproof != 0] or moves_of(board)
    return max(playable, key=lambda c: open_lines(board, c, "a"))
