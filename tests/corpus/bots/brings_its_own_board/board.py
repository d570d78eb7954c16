class Board:
    def __init__(self, height, width):
        self.height, self.width = height, width
        self.slots = [[" "] * width for row in range(height)]

    def add_checker(self, checker, col):
        row = max(r for r in range(self.height) if self.slots[r][col] == " ")
        self.slots[row][col] = checker

    def can_add_to(self, col):
        return 0 <= col < self.width and self.slots[0][col] == " "

    def first_free(self):
        return [c for c in range(self.width) if self.can_add_to(c)][0]
