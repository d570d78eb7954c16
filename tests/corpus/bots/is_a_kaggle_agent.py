"""Reads both its arguments by attribute and by key, and returns a numpy integer.
expect: plays as agent my_agent
"""

import numpy as np


def drop_piece(grid, col, mark, config):
    return next(r for r in range(config.rows - 1, -1, -1) if grid[r][col] == 0)


def is_terminal_node(grid, config):
    return list(grid[0, :]).count(0) == 0


def my_agent(obs, config):
    assert obs["board"] == obs.board and obs["mark"] == obs.mark
    assert (config.columns, config["rows"], config.inarow) == (7, 6, 4)
    assert config.timeout > 0 and config.actTimeout > 0 and config.episodeSteps >= 42
    assert obs.step == sum(1 for cell in obs.board if cell)
    assert obs.remainingOverageTime >= 0
    grid = np.asarray(obs.board).reshape(config.rows, config.columns)
    assert not is_terminal_node(grid, config)
    valid = np.array([c for c in range(config.columns) if obs.board[c] == 0])
    assert drop_piece(grid, valid[0], obs.mark, config) < 6
    return valid[0]


if __name__ == "__main__":
    from kaggle_environments import evaluate

    evaluate("connectx", [my_agent, "random"])
