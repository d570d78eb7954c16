"""Imports Kaggle's own host at its top, for its self-test alone.
expect: LOAD_ERROR No module named 'kaggle_environments'; the package kaggle-environments is not installed (tests_itself_in_kaggle.py, line 5)
"""

from kaggle_environments import make


def agent(observation, configuration):
    return observation.board.index(0)


make("connectx").run([agent, "random"])
