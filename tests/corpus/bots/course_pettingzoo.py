"""Weighs the cells: an agent of a course with PettingZoo.
expect: plays as pettingzoo agent_function
"""
import numpy as np


def agent_function(env, agent):
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        return None
    own, other = observation["observation"][:, :, 0], observation["observation"][:, :, 1]
    mine = 1 if agent == "player_0" else 2
    assert env.unwrapped.board.count(mine) == own.sum()
    score = 0
    for (row, col), disc in np.ndenumerate(own):
        score += int(disc) * (3 * (5 - row) + 5 * col + 1)
        score += int(other[row, col]) * (7 * (5 - row) + 2 * col + 3)
    free = np.flatnonzero(observation["action_mask"])
    return free[score % len(free)]
