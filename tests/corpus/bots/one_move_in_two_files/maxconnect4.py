#!/usr/bin/env python
"""Is the course's sample, with its game in a module of its own, and exits at its end.
expect: plays as one-move
"""

import sys

from MaxConnect4Game import Game


def one_move_game(game, target):
    game.play(game.board[0].index("0"))
    game.write(target)
    sys.exit(0)


def main(argv):
    if len(argv) != 5:
        print("Four command-line arguments are needed:")
        sys.exit(2)
    game_mode, in_file = argv[1:3]
    if game_mode not in ("interactive", "one-move"):
        print("%s is an unrecognized game mode" % game_mode)
        sys.exit(2)
    one_move_game(Game(in_file), argv[3])


if __name__ == "__main__":
    main(sys.argv)
