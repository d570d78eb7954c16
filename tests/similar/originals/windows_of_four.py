"""Scores every window of four cells, as in a well-known video."""

import random

ROW_COUNT = 6
COLUMN_COUNT = 7
EMPTY = 0
WINDOW_LENGTH = 4


def get_next_open_row(board, col):
    for r in range(ROW_COUNT):
        if board[r][col] == 0:
            return r
    return None


def is_valid_location(board, col):
    return board[ROW_COUNT - 1][col] == 0


def winning_move(board, piece):
    for c in range(COLUMN_COUNT - 3):
        for r in range(ROW_COUNT):
            if all(board[r][c + i] == piece for i in range(4)):
                return True
    for c in range(COLUMN_COUNT):
        for r in range(ROW_COUNT - 3):
            if all(board[r + i][c] == piece for i in range(4)):
                return True
    for c in range(COLUMN_COUNT - 3):
        for r in range(ROW_COUNT - 3):
            if all(board[r + i][c + i] == piece for i in range(4)):
                return True
    for c in range(COLUMN_COUNT - 3):
        for r in range(3, ROW_COUNT):
            if all(board[r - i][c + i] == piece for i in range(4)):
                return True
    return False


def evaluate_window(window, piece):
    score = 0
    opp_piece = 1 if piece == 2 else 2
    if window.count(piece) == 4:
        score += 100
    elif window.count(piece) == 3 and window.count(EMPTY) == 1:
        score += 5
    elif window.count(piece) == 2 and window.count(EMPTY) == 2:
        score += 2
    if window.count(opp_piece) == 3 and window.count(EMPTY) == 1:
        score -= 4
    return score


def score_position(board, piece):
    center_array = [board[r][COLUMN_COUNT // 2] for r in range(ROW_COUNT)]
    score = center_array.count(piece) * 3
    for r in range(ROW_COUNT):
        for c in range(COLUMN_COUNT - 3):
            window = board[r][c : c + WINDOW_LENGTH]
            score += evaluate_window(window, piece)
    for c in range(COLUMN_COUNT):
        col_array = [board[r][c] for r in range(ROW_COUNT)]
        for r in range(ROW_COUNT - 3):
            window = col_array[r : r + WINDOW_LENGTH]
            score += evaluate_window(window, piece)
    for r in range(ROW_COUNT - 3):
        for c in range(COLUMN_COUNT - 3):
            window = [board[r + i][c + i] for i in range(WINDOW_LENGTH)]
            score += evaluate_window(window, piece)
    for r in range(ROW_COUNT - 3):
        for c in range(COLUMN_COUNT - 3):
            window = [board[r + 3 - i][c + i] for i in range(WINDOW_LENGTH)]
            score += evaluate_window(window, piece)
    return score


def search(board, depth, alpha, beta, maximizing, me):
    valid = [c for c in range(COLUMN_COUNT) if is_valid_location(board, c)]
    you = 3 - me
    if winning_move(board, me):
        return None, 10_000_000
    if winning_move(board, you):
        return None, -10_000_000
    if not valid:
        return None, 0
    if depth == 0:
        return None, score_position(board, me)
    column = random.choice(valid)
    value = float("-inf") if maximizing else float("inf")
    for col in valid:
        row = get_next_open_row(board, col)
        board[row][col] = me if maximizing else you
        new_score = search(board, depth - 1, alpha, beta, not maximizing, me)[1]
        board[row][col] = EMPTY
        if maximizing and new_score > value:
            value, column = new_score, col
            alpha = max(alpha, value)
        elif not maximizing and new_score < value:
            value, column = new_score, col
            beta = min(beta, value)
        if alpha >= beta:
            break
    return column, value


def pick_move(rack):
    board = [[rack[c][r] for c in range(COLUMN_COUNT)] for r in range(ROW_COUNT)]
    discs = sum(cell != 0 for row in board for cell in row)
    return search(board, 4, float("-inf"), float("inf"), True, discs % 2 + 1)[0]
