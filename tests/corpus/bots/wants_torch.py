"""Has a network.
expect: LOAD_ERROR No module named 'torch'; the package torch is not installed (wants_torch.py, line 5)
"""

import torch


def agent(observation, configuration):
    return int(torch.tensor(observation.board).argmin())
