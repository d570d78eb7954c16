"""Plays its move on the board it is shown, and changes what else it can.
expect: plays as agent agent
"""


def agent(observation, configuration):
    assert sum(cell != 0 for cell in observation.board) == observation.step
    column = observation.board[: configuration.columns].index(0)
    observation.board[column] = observation.mark
    configuration.columns = 1
    return column
