"""What a bot sees of PettingZoo's connect_four_v3, for boards of Arena."""

import numpy as np


class Env:
    """The environment; it is its own `unwrapped`."""

    def __init__(self, planes, agent):
        self.agents = self.possible_agents = ["player_0", "player_1"]
        self.agent_selection = agent
        self.terminations = self.truncations = dict.fromkeys(self.agents, False)
        self._planes = planes
        own = 1 if agent == "player_0" else 2
        cells = planes[:, :, 0] * own + planes[:, :, 1] * (3 - own)
        self.board = cells.astype(int).ravel().tolist()  # by rows, row 0 on top

    @property
    def unwrapped(self):
        return self

    def observe(self, agent):
        planes = self._planes if agent == self.agent_selection else self._planes[:, :, ::-1]
        mask = (self._planes[0].sum(axis=1) == 0).astype(np.int8)
        return {"observation": planes.astype(np.int8), "action_mask": mask}

    def last(self, observe=True):
        seen = self.observe(self.agent_selection) if observe else None
        return seen, 0, False, False, {}
