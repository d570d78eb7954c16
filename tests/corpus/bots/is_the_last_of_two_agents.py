"""Has an older version of its agent before the one that counts.
expect: plays as agent agent_lookahead
"""


def agent_random(obs, config):
    return 99


def agent_lookahead(obs, config):
    return obs.board[: config.columns].index(0)
