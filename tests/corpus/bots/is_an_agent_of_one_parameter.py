"""Takes the observation and no configuration.
expect: plays as agent act
"""


def act(observation):
    return [c for c in range(7) if observation.board[c] == 0][0]
