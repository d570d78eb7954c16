"""Weighs the cells: an agent of the course in Worcester.
expect: plays as wpi AlphaBetaAgent
"""
import agent


class AlphaBetaAgent(agent.Agent):
    def __init__(self, name, max_depth):
        super().__init__(name)
        self.max_depth = max_depth

    def go(self, brd):
        assert brd.player == self.player
        score = 0
        for y in range(brd.h):
            for x in range(brd.w):
                if brd.board[y][x] == self.player:
                    score += 3 * y + 5 * x + 1
                elif brd.board[y][x] != 0:
                    score += 7 * y + 2 * x + 3
        free = brd.free_cols()
        brd.add_token(free[0])  # it is a copy
        return free[score % len(free)]


THE_AGENT = AlphaBetaAgent("Group31", 4)
