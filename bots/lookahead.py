"""A player that looks ahead: the last part of the Connect Four homework with X and O, finished.

It can be played with from a Python prompt, where the course's files are found:

    PYTHONPATH=bots/support/next_move python -i bots/lookahead.py
    >>> connect_four(Player("X"), AIPlayer("O", "RANDOM", 3))
"""

import random

from hw07_1 import Board, Player
from hw07_2 import RandomPlayer, connect_four, process_move

__all__ = ["AIPlayer", "Board", "Player", "RandomPlayer", "connect_four", "process_move"]

FULL, LOSS, OPEN, WIN = -1, 0, 50, 100
"""Scores of a column, by what comes of a checker there."""


class AIPlayer(Player):
    """Plays in a column of the highest score."""

    def __init__(self, checker: str, tiebreak: str, lookahead: int) -> None:
        """`tiebreak` is 'LEFT', 'RIGHT' or 'RANDOM'; `lookahead` counts moves, its own first."""
        super().__init__(checker)
        self.tiebreak = tiebreak
        self.lookahead = lookahead

    def __repr__(self) -> str:
        return f"{super().__repr__()} ({self.tiebreak}, {self.lookahead})"

    def max_score_column(self, scores: list[int]) -> int:
        """The column of the highest score; of several the one that the tie-break picks."""
        best = [column for column, score in enumerate(scores) if score == max(scores)]
        if self.tiebreak == "RANDOM":
            return random.choice(best)
        return best[0] if self.tiebreak == "LEFT" else best[-1]

    def scores_for(self, board: Board) -> list[int]:
        """The score of every column; the board is left as it was.

        What is good for the opponent, who looks ahead one move less, is bad for this player.
        """
        opponent = AIPlayer(self.opponent_checker(), self.tiebreak, self.lookahead - 1)
        if board.is_win_for(self.checker):
            known = WIN
        elif board.is_win_for(opponent.checker):
            known = LOSS
        else:
            known = OPEN if self.lookahead == 0 else None
        scores = []
        for column in range(board.width):
            if not board.can_add_to(column):
                scores.append(FULL)
            elif known is not None:
                scores.append(known)
            else:
                board.add_checker(self.checker, column)
                answer = max(opponent.scores_for(board))
                board.remove_checker(column)
                scores.append({WIN: LOSS, LOSS: WIN}.get(answer, OPEN))
        return scores

    def next_move(self, board: Board) -> int:
        """The best column; counts the move."""
        self.num_moves += 1
        return self.max_score_column(self.scores_for(board))
