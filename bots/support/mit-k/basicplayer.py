"""Functions that the MIT course's searches are given or use."""


def basic_evaluate(board):
    """How good the position is for the player to move."""
    if board.is_game_over():
        return -1000
    me, other = board.get_current_player_id(), board.get_other_player_id()
    score = 10 * board.longest_chain(me)
    for row in range(board.board_height):
        for col in range(board.board_width):
            cell = board.get_cell(row, col)
            score += abs(3 - col) * ((cell == other) - (cell == me))
    return score


def get_all_next_moves(board):
    """Pairs of a column and the board after it."""
    for column in range(board.board_width):
        if board.get_cell(0, column) == 0:
            yield column, board.do_move(column)


def is_terminal(depth, board):
    return depth <= 0 or board.is_game_over()


def _value(board, depth, eval_fn, get_next_moves_fn, is_terminal_fn):
    if is_terminal_fn(depth, board):
        return eval_fn(board)
    moves = get_next_moves_fn(board)
    return max(
        -_value(after, depth - 1, eval_fn, get_next_moves_fn, is_terminal_fn) for _, after in moves
    )


def minimax(
    board,
    depth,
    eval_fn=basic_evaluate,
    get_next_moves_fn=get_all_next_moves,
    is_terminal_fn=is_terminal,
    verbose=True,
):
    """The best column, found to a depth."""
    best = None
    for column, after in get_next_moves_fn(board):
        value = -_value(after, depth - 1, eval_fn, get_next_moves_fn, is_terminal_fn)
        if best is None or value > best[0]:
            best = value, column
    return best[1]


def basic_player(board):
    return minimax(board, depth=4, eval_fn=basic_evaluate, verbose=False)


def random_player(board):
    import random

    return random.choice([column for column, _ in get_all_next_moves(board)])
