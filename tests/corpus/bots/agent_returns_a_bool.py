"""Returns whether the column is the first.
expect: ILLEGAL_MOVE returned True, which is no column number
"""


def agent(observation, configuration):
    column = observation.board.index(0)
    return column == 0
