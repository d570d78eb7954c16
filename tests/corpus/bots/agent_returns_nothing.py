"""Has found no move.
expect: ILLEGAL_MOVE returned None, which is no column number
"""


def agent(observation, configuration):
    column = observation.board.index(0)
    return None
