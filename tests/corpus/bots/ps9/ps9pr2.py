class Player:
    def __init__(self, checker):
        self.checker = checker
        self.num_moves = 0

    def first_free(self, b):
        self.num_moves += 1
        return [c for c in range(b.width) if b.can_add_to(c)][0]
