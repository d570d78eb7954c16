"""Is an agent that keeps what it knows in an object.
expect: plays as agent agent
"""


class Thinker:
    def __init__(self):
        self.moves = 0

    def __call__(self, observation, configuration):
        assert self.moves == sum(cell == observation.mark for cell in observation.board)
        self.moves += 1
        return observation.board.index(0)


agent = Thinker()
