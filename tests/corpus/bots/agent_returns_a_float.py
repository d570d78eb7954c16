"""Returns its column as a float.
expect: ILLEGAL_MOVE returned 0.0, which is no column number
"""


def agent(observation, configuration):
    column = observation.board.index(0)
    return float(column)
