"""Weighs the cells: the lab of a course at MIT.
expect: plays as mit-k your_player
"""
from basicplayer import get_all_next_moves, is_terminal
from connectfour import *
from util import INFINITY


def weigh(board):
    me = board.get_current_player_id()
    score = 0
    for row in range(board.board_height):
        for col in range(board.board_width):
            up = board.board_height - 1 - row
            cell = board.get_cell(row, col)
            if cell == me:
                score += 3 * up + 5 * col + 1
            elif cell != 0:
                score += 7 * up + 2 * col + 3
    assert score < INFINITY and not is_terminal(1, board)
    free = [move for move, _ in get_all_next_moves(board)]
    return free[score % len(free)]


your_player = lambda board: weigh(board)
