"""Plays two agents of the NUS course against each other."""


class GameController:
    def __init__(self, board, agents):
        self.board, self.agents = board, agents

    def run(self):
        turn = 0
        while not self.board.is_end():
            column = self.agents[turn % 2].make_move(self.board.state)
            self.board.step(column, turn % 2 + 1)
            turn += 1
        return self.board.state
