"""My Connect Four bot. The last function of this file is the one that plays."""


def agent(observation, configuration):
    """Play the free column nearest to the middle. Make it better!

    observation.board is one list, row by row from the top: 0 (empty), 1 or 2, and
    observation.mark is 1 or 2: whose discs are mine. The columns are counted from 0.
    """
    columns = configuration.columns
    free = [c for c in range(columns) if observation.board[c] == 0]
    return min(free, key=lambda c: abs(c - (columns - 1) / 2))
