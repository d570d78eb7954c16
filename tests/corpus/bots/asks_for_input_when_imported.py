"""Asks for a game when it is imported.
expect: plays as next_move AIPlayer
"""


class AIPlayer:
    def __init__(self, checker, tiebreak, lookahead):
        self.checker = checker

    def next_move(self, board):
        return [c for c in range(board.width) if board.can_add_to(c)][0]


print("Welcome to Connect Four!")
answer = input("Shall I begin? ")
print(answer)
