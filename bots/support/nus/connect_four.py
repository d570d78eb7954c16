"""The game of the NUS course."""

from game_utils import initialize, is_end, step


class ConnectFour:
    def __init__(self):
        self.state = initialize()

    def step(self, col_id, player_id):
        step(self.state, col_id, player_id)

    def is_end(self):
        return is_end(self.state)
