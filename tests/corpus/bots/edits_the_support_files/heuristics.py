class SimpleHeuristic:
    def __init__(self, game_n):
        self.game_n = game_n
        self.eval_count = 0

    def get_best_action(self, player_id, board):
        return next(c for c in range(board.width) if board.is_valid(c)), 17
