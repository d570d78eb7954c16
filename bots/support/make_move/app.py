"""The game of the `make_move` course."""

from compiled_by_numba import compiled


def start_game(game_n, board, players):
    """Play a game to its end, and print how it ended and what the players evaluated.

    Whoever plays where there is no room is asked again.
    """
    turn = 0
    while winning(board.get_board_state(), game_n) == 0:
        player = players[turn % 2]
        if board.play(player.make_move(board), player.player_id):
            turn += 1
    print(board)
    winner = winning(board.get_board_state(), game_n)
    print("The game is a draw!" if winner < 0 else f"Player {players[winner - 1]} won!")
    for player in players:
        print(f"Player {player} evaluated a board {player.get_eval_count()} times.")


def get_players(game_n):
    """Two persons, each with advice. Put other players here to see them play."""
    # they are not needed to import `winning`, and may be a bot's own, without these classes
    from heuristics import SimpleHeuristic
    from players import HumanPlayer

    players = [
        HumanPlayer(1, game_n, heuristic=SimpleHeuristic(game_n)),
        HumanPlayer(2, game_n, heuristic=SimpleHeuristic(game_n)),
    ]
    assert [player.player_id for player in players] == [1, 2]
    return players


@compiled
def winning(state, game_n):
    """Who has `game_n` in a row on `state[col, row]`: 1 or 2; -1 for a draw, else 0."""
    width, height = state.shape
    for col in range(width):
        for row in range(height):
            disc = state[col, row]
            if disc == 0:
                continue
            for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
                c, r, run = col, row, 0
                while run < game_n and c < width and 0 <= r < height and state[c, r] == disc:
                    c, r, run = c + right, r + down, run + 1
                if run == game_n:
                    return 1 if disc == 1 else 2
    for col in range(width):
        if state[col, 0] == 0:
            return 0
    return -1


def main():
    """Seven columns, six rows, four in a row."""
    from board import Board

    game_n = 4
    width = 7
    height = 6
    try:
        start_game(game_n, Board(width, height), get_players(game_n))
    except (EOFError, KeyboardInterrupt):
        print("\nThe game was left unfinished.")


if __name__ == "__main__":
    main()
