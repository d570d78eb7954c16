"""Has changed the course's board and heuristic.
expect: plays as make_move MinMaxPlayer
"""


class MinMaxPlayer:
    def __init__(self, player_id, game_n, depth, heuristic):
        self.player_id = player_id
        self.heuristic = heuristic

    def make_move(self, board):
        assert not board.is_winning(self.player_id)
        move, value = self.heuristic.get_best_action(self.player_id, board)
        assert value == 17
        return move
