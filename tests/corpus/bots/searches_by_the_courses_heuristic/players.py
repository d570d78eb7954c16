"""Has handed in its players alone, which import the other modules when they need them.
expect: plays as make_move AlphaBetaPlayer
note: heuristics
options: depth = 1
"""

from __future__ import annotations

from abc import abstractmethod

from heuristics import Heuristic


class PlayerController:
    def __init__(self, player_id: int, game_n: int, heuristic: Heuristic) -> None:
        self.player_id = player_id
        self.game_n = game_n
        self.heuristic = heuristic

    @abstractmethod
    def make_move(self, board) -> int:
        pass


class AlphaBetaPlayer(PlayerController):
    def __init__(self, player_id: int, game_n: int, depth: int, heuristic: Heuristic) -> None:
        super().__init__(player_id, game_n, heuristic)
        self.depth = depth

    def make_move(self, board) -> int:
        from app import winning

        state = board.get_board_state()
        assert state.shape == (board.width, board.height) == (7, 6)
        assert winning(state, self.game_n) == 0
        assert self.heuristic.winning(state, self.game_n) == 0
        before = str(board)
        children = [board.get_new_board(c, self.player_id) for c in range(7) if board.is_valid(c)]
        for child in children:
            self.heuristic.evaluate_board(self.player_id, child)
        assert str(board) == before
        assert self.heuristic.eval_count
        return self.heuristic.get_best_action(self.player_id, board)


class HumanPlayer(PlayerController):
    def make_move(self, board) -> int:
        return int(input()) - 1
