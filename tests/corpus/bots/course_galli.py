"""Weighs the cells: made of a tutorial, with the game below.
expect: plays as galli minimax
"""
import math
import sys

import numpy as np
import pygame

ROW_COUNT = 6
COLUMN_COUNT = 7
EMPTY = 0
PLAYER_PIECE = 1
AI_PIECE = 2


def create_board():
    return np.zeros((ROW_COUNT, COLUMN_COUNT))


def get_valid_locations(board):
    return [col for col in range(COLUMN_COUNT) if board[ROW_COUNT - 1][col] == 0]


def minimax(board, depth, alpha, beta, maximizingPlayer):
    assert maximizingPlayer and alpha < beta and board.dtype == float
    score = 0
    for row in range(ROW_COUNT):
        for col in range(COLUMN_COUNT):
            if board[row][col] == AI_PIECE:
                score += 3 * row + 5 * col + 1
            elif board[row][col] == PLAYER_PIECE:
                score += 7 * row + 2 * col + 3
    free = get_valid_locations(board)
    return free[score % len(free)], score


board = create_board()
game_over = False
pygame.init()
screen = pygame.display.set_mode((700, 700))
while not game_over:
    for event in pygame.event.get():
        if event.type == pygame.QUIT:
            sys.exit()
    col, minimax_score = minimax(board, 5, -math.inf, math.inf, True)
